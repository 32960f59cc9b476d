"""The one write path for a domain's states, limits and notes.

Each function runs in the caller's transaction, locks the domain, checks the arrow,
writes the rows and the event. A decision that ends permission withdraws the lease
in the same transaction: a worker's next write is refused, and nothing is due.
"""

from __future__ import annotations

from surveyor.registry.store.changes.crawl import reset
from surveyor.registry.store.changes.edits import EDITABLE, RENDER, edit
from surveyor.registry.store.changes.quality import advance_quality, settle_judged
from surveyor.registry.store.changes.review import advance_assets, advance_review, lock_with_assets
from surveyor.registry.store.changes.writing import withdraw

__all__ = [
    "EDITABLE",
    "RENDER",
    "advance_assets",
    "advance_quality",
    "advance_review",
    "edit",
    "lock_with_assets",
    "reset",
    "settle_judged",
    "withdraw",
]
