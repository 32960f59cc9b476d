"""A tab in a context of its own: for pages of one site, one after the other, and for no other site.

A process for each page would cost more than the page. What a page stored is cleared before the next.
"""

from __future__ import annotations

import asyncio
from base64 import b64decode
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import urlsplit

from surveyor.render.devtools import Devtools

OnEvent = Callable[[str, str, dict[str, Any]], None]
"""Called with an event: its session (the page's, or that of a worker of it), its name, its values."""

# Of the window, in pixels.
WIDTH: Final = 1_280
HEIGHT: Final = 2_000
# Of a screenshot, in pixels; what is below is not on it.
_SHORTEST: Final = 200
_TALLEST: Final = 5_000
_BLANK: Final = "about:blank"
_ALL_REQUESTS: Final = {"patterns": [{"urlPattern": "*", "requestStage": "Request"}]}
ATTACH: Final = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}


class Tab:
    """Made by `Tabs`; `target` is its name, and that of its main frame."""

    def __init__(self, devtools: Devtools, context: str, target: str, session: str) -> None:
        self._devtools, self._context, self.target, self._session = devtools, context, target, session
        self._workers: list[str] = []
        self._listener: OnEvent | None = None
        self.pages = 0  # that were shown to their end
        self.is_clean = True  # nothing is in it
        self._blank: asyncio.Future[None] | None = None

    def listen(self, on_event: OnEvent) -> None:
        self._listener, self.is_clean = on_event, False

    async def clean(self, url: str) -> None:
        """After a page that was shown to its end: it is gone then, with what it stored."""
        self._listener = None
        origin = _origin(url)
        for is_local in (True, False):
            kept = {"securityOrigin": origin, "isLocalStorage": is_local}
            self.send("DOMStorage.clear", {"storageId": kept})
        self.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
        self._devtools.send("Storage.clearCookies", {"browserContextId": self._context})
        self._blank = asyncio.get_running_loop().create_future()
        self.send("Page.navigate", {"url": _BLANK})
        await self._blank  # before that, the browser may still send events of the page before
        for worker in self._workers:
            self._devtools.forget(worker)
        self._workers.clear()
        self.pages, self.is_clean = self.pages + 1, True

    async def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        return await self._devtools.ask(method, params, self._session)

    def send(self, method: str, params: dict[str, Any], session: str = "") -> None:
        self._devtools.send(method, params, session or self._session)

    def crash(self) -> None:
        """End the page's process: to close a page in good order takes long while it floods its browser."""
        self.send("Page.crash", {})
        self._listener = None
        for session in (self._session, *self._workers):
            self._devtools.mute(session)

    async def screenshot(self, height: int) -> bytes:
        """A PNG of the page from its top, so many pixels tall, within bounds."""
        clip = {"x": 0, "y": 0, "width": WIDTH, "height": min(max(height, _SHORTEST), _TALLEST), "scale": 1}
        taken = await self.ask("Page.captureScreenshot", {"clip": clip, "captureBeyondViewport": True})
        return b64decode(taken["data"])

    async def close(self) -> None:
        for session in (self._session, *self._workers):
            self._devtools.forget(session)
        await self._devtools.ask("Target.disposeBrowserContext", {"browserContextId": self._context})

    def prepare(self) -> None:
        """In this order, before anything of the page runs; nobody waits for it."""
        self._devtools.listen(self._session, self._on_event)
        self._devtools.send(
            "Browser.setDownloadBehavior", {"behavior": "deny", "browserContextId": self._context}
        )
        window = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
        for method, params in (
            ("Fetch.enable", _ALL_REQUESTS),
            ("Page.enable", {}),
            ("Inspector.enable", {}),
            ("Target.setAutoAttach", ATTACH),
            ("Emulation.setDeviceMetricsOverride", window),
            ("Runtime.runIfWaitingForDebugger", {}),
        ):
            self.send(method, params)

    def _on_event(self, event: str, values: dict[str, Any]) -> None:
        if event == "Target.attachedToTarget" and values["targetInfo"]["type"] == "worker":
            self._attach(values["sessionId"])
        elif event == "Page.frameNavigated":
            self._navigated(values["frame"])
        if self._listener is not None:
            self._listener(self._session, event, values)

    def _navigated(self, frame: dict[str, Any]) -> None:
        is_blank = frame["id"] == self.target and frame["url"] == _BLANK
        if is_blank and self._blank is not None and not self._blank.done():
            self._blank.set_result(None)

    def _attach(self, worker: str) -> None:
        """Its requests are taken out like the page's. Whatever else a page starts stays as it is: waiting."""
        self._workers.append(worker)
        self._devtools.listen(worker, lambda event, values: self._of_worker(worker, event, values))
        self.send("Fetch.enable", _ALL_REQUESTS, worker)
        self.send("Runtime.runIfWaitingForDebugger", {}, worker)

    def _of_worker(self, worker: str, event: str, values: dict[str, Any]) -> None:
        if self._listener is not None:
            self._listener(worker, event, values)


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
