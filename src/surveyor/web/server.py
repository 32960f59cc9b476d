"""Runs the application: one listening socket, one process, until it is stopped."""

from __future__ import annotations

import socket
from collections.abc import Callable
from functools import partial
from typing import Any

import uvicorn

from surveyor.bootstrap.workspace import Workspace
from surveyor.errors import Refused
from surveyor.process import resources
from surveyor.web.app import create_app
from surveyor.web.connections import USUAL, Bounds, Connection, Connections

# Seconds that open requests get to finish when the process ends.
_GRACE_SECONDS = 5


async def run(
    workspace: Workspace, host: str, port: int, ready: Callable[[str], None] = lambda _: None
) -> None:
    """Serve until interrupted; `ready` is called with the address once it can be asked."""
    with listen(host, port) as listening:
        ready(url_of(listening))
        server = uvicorn.Server(config(workspace))
        resources.look_past_modules()  # or a request is held up while all that is loaded is looked at
        await server.serve(sockets=[listening])


def config(workspace: Workspace, bounds: Bounds = USUAL) -> uvicorn.Config:
    proxies = workspace.settings.web.proxies
    protocol: Any = partial(Connection, connections=Connections(bounds, proxies))
    return uvicorn.Config(
        create_app(workspace),
        http=protocol,
        log_config=None,
        access_log=False,
        server_header=False,
        # Nobody but a proxy that the settings name may say where a visitor comes from.
        proxy_headers=bool(proxies),
        forwarded_allow_ips=proxies or None,
        timeout_graceful_shutdown=_GRACE_SECONDS,
        ws="none",
    )


def listen(host: str, port: int) -> socket.socket:
    """A socket that takes connections; port 0 is a free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        raise Refused(f"cannot listen at {host} port {port}: {error.strerror}; name another --port") from None
    return listening


def url_of(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
