"""Serve until interrupted."""

from __future__ import annotations

import asyncio
import sys

from tests.support.hostile import Hostile


async def main(port: int) -> None:
    async with Hostile.serve(port=port):
        await asyncio.Event().wait()


asyncio.run(main(int(sys.argv[1])))
