"""Learning from what people decided about candidates, through the pages of their domains."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from surveyor.db import Database
from surveyor.errors import Refused
from surveyor.extract.model import features
from surveyor.extract.training import load_model, train_model
from surveyor.registry.candidates import CandidateStatus, NewCandidate
from surveyor.registry.store import candidates
from tests.support.extract_help import extract, record, see, told
from tests.support.registry_help import ADMIN, add_domain

YES = "# Grants\n\nApply for a grant by the deadline. Who may apply: [charities](https://c.example/shop)."
NO = "# Casino\n\nPlay slots and win. Bonus for new players."


async def _decided(db: Database, name: str, approved: bool) -> None:
    no = (await add_domain(db, name)).no
    text, found = (YES, [record("Small Grants")]) if approved else (NO, [])
    for page in range(2):
        await see(db, no, f"/{page}", text=f"{text} {name} {page}", relevant=approved, records=found)
    new = NewCandidate(
        session_id=None,
        url=f"https://{name}/",
        title="Grants",
        organisation_name=None,
        program_name=None,
        confidence=Decimal("0.80"),
        threshold=Decimal("0.60"),
        scores=[],
        reasoning="said so",
        judge_version="1",
    )
    async with db.write() as tx:
        made = await candidates.add(tx, no, new, ADMIN)
        last = CandidateStatus.APPROVED if approved else CandidateStatus.REJECTED
        for status in (CandidateStatus.PENDING_REVIEW, CandidateStatus.IN_REVIEW, last):
            await candidates.advance_candidate(tx, made, status, ADMIN, reason="looked at it")


async def test_a_model_learns_from_decided_candidates_and_is_kept(db: Database, tmp_path: Path) -> None:
    assert await load_model(db) is None
    for index in range(6):
        await _decided(db, f"yes{index}.example", True)
        await _decided(db, f"no{index}.example", False)
    await extract(db, tmp_path)
    model = await train_model(db, ADMIN)
    assert (model.quality.examples, model.quality.wanted) == (24, 12)
    assert model.quality.accuracy == Decimal("1.00")
    assert await load_model(db) == model
    wanted = features("Grants", "https://new.example/grants", "Grants", "Apply for a grant by the deadline")
    unwanted = features("Casino", "https://new.example/play", "Casino", "Play slots and win a bonus")
    assert model.score(wanted) > Decimal("0.7") > Decimal("0.3") > model.score(unwanted)
    (event,) = await told(db, "RelevanceTrained")
    assert event.data == {"pages": 24, "domains": 12, "accuracy": "1.00"}


async def test_too_few_decisions_teach_nothing(db: Database, tmp_path: Path) -> None:
    for index in range(6):
        await _decided(db, f"yes{index}.example", True)
    await _decided(db, "no.example", False)
    await extract(db, tmp_path)
    with pytest.raises(Refused, match="6 approved and 1 rejected candidates are too few"):
        await train_model(db, ADMIN)
    assert await load_model(db) is None
