"""The admin at the end of the demo: an account to log in with, a process that serves, an address."""

from __future__ import annotations

import contextlib
import secrets
import signal
import socket
import subprocess
from typing import TYPE_CHECKING

from surveyor.errors import Refused
from surveyor.people import Hasher, service
from surveyor.registry.actors import Actor, Role

if TYPE_CHECKING:
    from surveyor.bootstrap.workspace import Workspace
    from surveyor.cli.demo_scene import Scene

_NAME = "demo"
_HOST = "127.0.0.1"


def serve(scene: Scene, port: int) -> None:
    """Serve the workspace until interrupted."""
    password = secrets.token_urlsafe(9)
    scene.ask(lambda workspace: _add_user(workspace, password))
    scene.heading("Look around", "The same in a browser: decide, follow, ask why.", stage=False)
    port = _free(port)
    quiet = subprocess.DEVNULL
    with scene.started("serve", "--host", _HOST, "--port", str(port), stream=quiet) as web:
        if not scene.until(lambda: _answers(port), web):
            raise Refused(f"`surveyor serve` ended with code {web.returncode}; --port names another port")
        scene.line(f"  http://{_HOST}:{port}/")
        scene.line(f"  log in as {_NAME} with the password {password}")
        scene.say(f"The workspace is {scene.workspace}. Ctrl-C ends the demo.")
        with contextlib.suppress(KeyboardInterrupt):
            signal.signal(signal.SIGTERM, signal.default_int_handler)
            web.wait()
        scene.line("")


async def _add_user(workspace: Workspace, password: str) -> None:
    hasher = Hasher()
    try:
        await service.add_user(workspace.db, hasher, _NAME, Role.ADMIN, password, Actor.operator())
    finally:
        hasher.close()


def _free(port: int) -> int:
    """The port, or another one where somebody has it already: perhaps another demo."""
    for wanted in (port, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with contextlib.suppress(OSError):
                probe.bind((_HOST, wanted))
                return int(probe.getsockname()[1])
    raise Refused(f"no port of {_HOST} is free; --once ends the demo without the admin")


def _answers(port: int) -> bool:
    try:
        socket.create_connection((_HOST, port), 1).close()
    except OSError:
        return False
    return True
