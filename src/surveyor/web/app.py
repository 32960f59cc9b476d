"""The application: every desk's routes, behind the shield."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from surveyor import __version__
from surveyor.bootstrap import Workspace
from surveyor.web import failures, health, metrics, problems
from surveyor.web.api import API
from surveyor.web.desk import Desk, require_declared
from surveyor.web.pages import PAGES
from surveyor.web.shield import Shield
from surveyor.web.site import Site

# Each takes its place here; a desk that is not listed is not installed.
DESKS: tuple[Desk, ...] = (
    health.desk,
    metrics.desk,
    *API,
    *PAGES,
)


def create_app(workspace: Workspace) -> FastAPI:
    """The application of an open workspace, which stays open longer than the application."""
    site = Site.of(workspace)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await site.close()

    # Nothing is served that no desk declared, the description of the API included.
    app = FastAPI(
        title="Surveyor",
        version=__version__,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    app.state.site = site
    for desk in DESKS:
        desk.install(app)
    require_declared(app, DESKS)
    failures.install(app)
    problems.install(app)
    app.add_middleware(Shield, unexpected=problems.unexpected, too_large=problems.too_large)
    app.add_middleware(metrics.Counted)
    return app
