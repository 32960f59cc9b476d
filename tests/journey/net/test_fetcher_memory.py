"""Memory: what all hostile answers together cost a process that asks for nothing else."""

from __future__ import annotations

import asyncio
import subprocess
import sys

from tests.journey.net.conftest import settings_for
from tests.support.hostile import CASES, MIB, Hostile

SLOW = {"silent", "slow-head", "slow-body", "slow-error", "stall-in-body"}  # they cost time, and nothing else

CLIENT = """
import asyncio, resource, sys
from surveyor.errors import NetError
from surveyor.net.fetcher import Fetcher
from surveyor.settings import NetSettings

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

async def main(settings, cases):
    async with Fetcher(settings, grace=0.2) as fetcher:
        for case in ("page", "packed-twice", "chunked"):
            await fetcher.get(f"http://site.example/{case}")
        before = peak()
        for case in cases:
            try:
                await fetcher.get(f"http://site.example/{case}")
            except NetError:
                pass
        print(peak() - before)

asyncio.run(main(NetSettings.model_validate_json(sys.argv[1]), sys.argv[2:]))
"""


async def test_all_bad_answers_together_cost_little_memory(hostile: Hostile) -> None:
    settings = settings_for(hostile, max_bytes=10_000_000)
    cases = sorted(set(CASES) - SLOW)
    client = await asyncio.create_subprocess_exec(
        sys.executable, "-c", CLIENT, settings.model_dump_json(), *cases, stdout=subprocess.PIPE
    )
    out, _ = await client.communicate()
    assert int(out) <= 64 * MIB
