"""Probes: whether the process answers, and whether it can do its work. They tell no more than that."""

from __future__ import annotations

import asyncio
from functools import cache

from fastapi import Request
from fastapi.responses import PlainTextResponse, Response

from surveyor import logs
from surveyor.db import schema
from surveyor.errors import SchemaOutdated, SurveyorError
from surveyor.people import Scope
from surveyor.web import problems
from surveyor.web.access import Who
from surveyor.web.routing import ANYBODY, Routes
from surveyor.web.state import state_of

# Seconds; a probe that waits longer says the same as one that fails.
_PATIENCE_SECONDS = 3.0
_log = logs.get("web")


async def admit_probe(request: Request, needs: Scope | None) -> None:
    """Lets everybody in without a look at the database, which may be what is wrong."""
    request.state.who = Who()


routes = Routes(admit=admit_probe)


@routes.get("/healthz", needs=ANYBODY)
async def healthz() -> PlainTextResponse:
    """Restart the process when this does not answer."""
    return PlainTextResponse("ok\n")


@routes.get("/readyz", needs=ANYBODY)
async def readyz(request: Request) -> Response:
    """Send no visitors while this is not 200: the database does not answer, or its schema is not ours."""
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            if await schema.current(state_of(request).db) != _head():
                raise SchemaOutdated("the database has another schema; run `surveyor db upgrade`")
    except (SurveyorError, TimeoutError) as error:
        _log.warning("health check failed", error=str(error) or "the database took too long")
        message = str(error) if isinstance(error, SchemaOutdated) else "the database does not answer"
        return problems.problem(503, message)
    return PlainTextResponse("ready\n")


@cache
def _head() -> str:
    """Read once: finding it means reading every migration."""
    return schema.head()
