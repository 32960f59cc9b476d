"""`python -m surveyor.smallweb` serves the small web until it is interrupted, and prints its settings.

python -m surveyor.smallweb > small.env      in one terminal
set -a; . ./small.env; set +a                in another, and then surveyor as always
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import shlex
import sys
from collections.abc import Sequence

from surveyor.errors import SurveyorError
from surveyor.smallweb.server import SmallWeb


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m surveyor.smallweb", description="Invented sites on loopback."
    )
    parser.add_argument("--address", default="127.0.0.1", help="a loopback address to listen on")
    parser.add_argument("--port", type=int, default=0, help="0: any that is free")
    parser.add_argument("--delay", type=float, default=0.05, help="seconds between requests to one site")
    asked = parser.parse_args(arguments)
    try:
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(_serve(asked.address, asked.port, asked.delay))
    except SurveyorError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    return 0


async def _serve(address: str, port: int, delay: float) -> None:
    web = SmallWeb()
    await web.start(address, port)
    for name, value in web.environment(delay_seconds=delay).items():
        sys.stdout.write(f"{name}={shlex.quote(value)}\n")
    sys.stdout.flush()
    sys.stderr.write(f"{len(web.sites)} sites; look at them at http://{address}:{web.port}/; Ctrl-C ends.\n")
    try:
        await asyncio.Event().wait()
    finally:
        await web.close()


if __name__ == "__main__":
    sys.exit(main())
