"""The application: all declared routes, behind the middleware."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from surveyor import __version__
from surveyor.bootstrap.workspace import Workspace
from surveyor.web import failures, health, metrics, problems
from surveyor.web.api import API
from surveyor.web.middleware import Protection
from surveyor.web.pages import PAGES
from surveyor.web.routing import Routes, require_declared
from surveyor.web.state import AppState

# Each takes its place here; routes that are not listed are not installed.
ROUTES: tuple[Routes, ...] = (
    health.routes,
    metrics.routes,
    *API,
    *PAGES,
)


def create_app(workspace: Workspace) -> FastAPI:
    """The application of an open workspace, which stays open longer than the application."""
    state = AppState.of(workspace)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await state.close()

    # Nothing is served that nobody declared, the description of the API included.
    app = FastAPI(
        title="Surveyor",
        version=__version__,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    app.state.surveyor = state
    for group in ROUTES:
        group.install(app)
    require_declared(app, ROUTES)
    app.state.needs = {(entry.path, entry.method): entry.needs for group in ROUTES for entry in group.entries}
    failures.install(app)
    problems.install(app)
    app.add_middleware(Protection, unexpected=problems.unexpected, too_large=problems.too_large)
    app.add_middleware(metrics.Counted)
    return app
