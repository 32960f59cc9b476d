"""The one place where routes come from: each is declared with what it needs, or does not exist.

    routes = Routes()

    @routes.get("/domains", needs=Scope.READ)
    async def domains(request: Request) -> Response: ...

`needs` cannot be left out; `ANYBODY` is for the few pages without a login. `require_declared`
refuses to start an application that has a route from elsewhere.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import Depends, FastAPI, Request
from fastapi.responses import Response

from surveyor.people import Scope
from surveyor.web.access import admit_browser

ANYBODY: Scope | None = None
Admit = Callable[[Request, Scope | None], Awaitable[None]]
Endpoint = Callable[..., Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Entry:
    """A route: what is asked for, who may ask, who answers."""

    method: str
    path: str
    needs: Scope | None
    endpoint: Endpoint
    options: dict[str, Any]

    @property
    def methods(self) -> tuple[str, ...]:
        return ("GET", "HEAD") if self.method == "GET" else (self.method,)


class Routes:
    """Routes that let visitors in the same way: `admit` is for browsers unless said otherwise."""

    def __init__(self, prefix: str = "", admit: Admit = admit_browser, **options: Any) -> None:
        self.prefix, self.admit = prefix, admit
        self.entries: list[Entry] = []
        # Pages answer with responses of their own and have no place in a description of an API.
        self.options = {"response_model": None, "include_in_schema": False} | options

    def get(self, path: str, *, needs: Scope | None, **options: Any) -> Callable[[Endpoint], Endpoint]:
        return self._declare("GET", path, needs, options)

    def post(self, path: str, *, needs: Scope | None, **options: Any) -> Callable[[Endpoint], Endpoint]:
        return self._declare("POST", path, needs, options)

    def delete(self, path: str, *, needs: Scope | None, **options: Any) -> Callable[[Endpoint], Endpoint]:
        return self._declare("DELETE", path, needs, options)

    def patch(self, path: str, *, needs: Scope | None, **options: Any) -> Callable[[Endpoint], Endpoint]:
        return self._declare("PATCH", path, needs, options)

    def _declare(
        self, method: str, path: str, needs: Scope | None, options: dict[str, Any]
    ) -> Callable[[Endpoint], Endpoint]:
        def keep(endpoint: Endpoint) -> Endpoint:
            entry = Entry(method, self.prefix + path, needs, endpoint, self.options | options)
            self.entries.append(entry)
            return endpoint

        return keep

    def install(self, app: FastAPI) -> None:
        for entry in self.entries:
            gate = Depends(_gate(self.admit, entry.needs))
            methods = list(entry.methods)
            app.add_api_route(
                entry.path, entry.endpoint, methods=methods, dependencies=[gate], **entry.options
            )


def _gate(admit: Admit, needs: Scope | None) -> Callable[[Request], Awaitable[None]]:
    async def gate(request: Request) -> None:
        await admit(request, needs)

    return gate


def require_declared(app: FastAPI, groups: Sequence[Routes]) -> None:
    """No route without its entry: what nobody declared would be open to everybody."""
    entries = [entry for group in groups for entry in group.entries]
    declared = {(entry.path, method) for entry in entries for method in entry.methods}
    for route in app.routes:
        for method in getattr(route, "methods", None) or ("?",):
            path = getattr(route, "path", repr(route))
            if (path, method) not in declared:
                raise RuntimeError(f"{method} {path} is not declared; say what it needs in a `Routes`")


def redirect(path: str) -> Response:
    """After a change, the browser asks for a page; loading it again repeats nothing."""
    return Response(status_code=303, headers={"location": path})
