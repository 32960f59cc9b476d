"""A program that uses the API: it shows a token, sends JSON and reads the answer."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from tests.web.serving import Visitor


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def kind(self) -> str:
        return self.headers.get("content-type", "")


class Program:
    def __init__(self, url: str, token: str | None = None) -> None:
        self.url, self.token = url, token
        self.heard: list[str] = []  # everything it was ever answered

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """`body` is sent as JSON; bytes are sent as they are."""
        sent = {"content-type": "application/json"} | {n.replace("_", "-"): v for n, v in headers.items()}
        if self.token is not None:
            sent["authorization"] = f"Bearer {self.token}"
        content = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        address = path if path.startswith(("/api/", "/metrics", "/healthz", "/readyz")) else f"/api/v1{path}"
        reply = Visitor(self.url).ask(method, address, content, sent)
        self.heard.append(reply.text + repr(reply.headers))
        return Answer(reply.status, reply.headers, reply.text)

    def get(self, path: str) -> Answer:
        return self.ask("GET", path)

    def post(self, path: str, body: Any = None) -> Answer:
        return self.ask("POST", path, body)

    def patch(self, path: str, body: Any) -> Answer:
        return self.ask("PATCH", path, body)
