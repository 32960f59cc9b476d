"""Learning from people: pages of domains they decided on become a small model of what they want.

A domain's decision stands for its pages: those that were relevant or gave a record on an approved one,
those that looked most like it on a rejected one. Its quality is measured on domains it has not seen.
"""

from __future__ import annotations

import asyncio
import re

from surveyor.db import Database
from surveyor.errors import BadInput, Refused
from surveyor.extract.model import Example, Model, features, train
from surveyor.extract.store import training as store
from surveyor.extract.store.training import Decided
from surveyor.registry.actors import Actor
from surveyor.registry.events import EventKind, NewEvent
from surveyor.registry.store import events

# Domains of each kind before there is anything to learn: fewer show the names of sites, not their subject.
LEAST_DOMAINS = 5
_LINK = re.compile(r"\]\([^)\n]{0,2000}\)")
_HEADING = re.compile(r"^#{1,6} (.{1,500})", re.MULTILINE)


async def train_model(db: Database, by: Actor) -> Model:
    """Train on all decisions and keep the model; pages are read again with it from now on."""
    async with db.read() as tx:
        decided = await store.decisions(tx)
    yes = sum(decided.values())
    if min(yes, len(decided) - yes) < LEAST_DOMAINS:
        raise Refused(
            f"{yes} approved and {len(decided) - yes} rejected candidates are too few to learn from;"
            f" decide on at least {LEAST_DOMAINS} of each (`surveyor candidates`)"
        )
    examples: list[Example] = []
    for no, wanted in decided.items():
        async with db.read() as tx:
            pages = await store.pages_of(tx, no, wanted=wanted)
        examples += [_example(page) for page in pages]
    model = await asyncio.to_thread(train, examples)
    async with db.write() as tx:
        await store.keep(db, tx, model.to_bytes())
        data = {
            "pages": model.quality.examples,
            "domains": len(decided),
            "accuracy": str(model.quality.accuracy),
        }
        await events.append(tx, [NewEvent(EventKind.RELEVANCE_TRAINED, by.name, data=data)])
    return model


def _example(page: Decided) -> Example:
    headings = " ".join(_HEADING.findall(page.markdown))
    text = _LINK.sub("]", page.markdown)
    return Example(features(page.title, page.url, headings, text), page.wanted, page.domain_no)


async def load_model(db: Database) -> Model | None:
    """What was learned last; one that another version of the program wrote counts for nothing."""
    async with db.read() as tx:
        raw = await store.kept(tx)
    try:
        return Model.from_bytes(raw) if raw else None
    except BadInput:
        return None
