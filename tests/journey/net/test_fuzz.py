"""The client and answers made at random: whatever comes, it ends with an answer or an error of ours."""

from __future__ import annotations

import random

from lab.fuzz import run
from tests.support.hostile.fuzz import FuzzServer, script


async def test_no_answer_brings_anything_but_an_answer_or_an_error_of_ours() -> None:
    async with FuzzServer.serve(seed=7) as server:
        found = await run(server.port, 400)
    assert (found.foreign, found.dirty, found.answers) == ([], [], 400)
    assert found.ends["answer"] > 50 and found.ends["bad_response"] > 50
    assert len(found.ends) >= 6


def test_a_number_is_answered_the_same_every_time() -> None:
    assert [script(random.Random(f"1 {number}")) for number in range(50)] == [
        script(random.Random(f"1 {number}")) for number in range(50)
    ]
