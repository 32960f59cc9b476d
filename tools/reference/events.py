"""Kinds of events: their names are what listeners rely on."""

from __future__ import annotations

from surveyor.registry.events import EventKind
from tools.reference.markdown import code, page, table
from tools.reference.sources import described

_INTRODUCTION = """\
Every change of a state, every decision and every act by hand is a row in `events`, written in the
transaction that makes it true. The table is append-only: both databases refuse an update or a delete.

A row has `id`, `at`, `kind`, `actor`, `domain_no`, `version` (of the domain, after the change), `from_state`,
`to_state`, `reason` and `data` (JSON). `surveyor domain-info` shows those of one domain.
"""

# For kinds that have no sentence beside them in the code.
_MEANINGS = {
    "SEEDS_INGESTED": "a batch of a seed list was written; `data`: source, named, new, review_status",
    "LINKS_DISCOVERED": "a batch of domains that pages link to was registered; `data`: named, new",
    "DISCOVERY_STARTED": "a session of searches began; `data`: session, type, queries, providers",
    "DISCOVERY_ENDED": "it ended; `to_state` says how, `data` has its counts",
    "PROVIDER_SUSPENDED": "a search provider is left alone; `reason` is the trouble, `data`: provider, until",
    "PROVIDER_RESUMED": "a person ended a provider's suspension; `data`: provider",
    "DOMAIN_REGISTERED": "a single domain was added to the register",
    "DOMAIN_APPROVED": "it may be crawled, and is due",
    "DOMAIN_REJECTED": "a person said no; the reason is kept",
    "DOMAIN_SUSPENDED": "its crawl was stopped; a lease on it has ended",
    "DOMAIN_RESUMED": "it was suspended and is approved again",
    "DOMAIN_BACK_IN_REVIEW": "a person must decide again; trust is gone; `data` of a crawl: sign, seen",
    "QUALITY_CHANGED": "judging moved it along its quality lifecycle",
    "DOMAIN_BLACKLISTED": "it is never judged, crawled or suggested again; a lease on it has ended",
    "DOMAIN_UNBLACKLISTED": "an admin took it off the blacklist",
    "NO_FUNDS_THIS_YEAR": "nothing is to be had there until its year ends",
    "CRAWL_STARTED": "its crawl began: it is active now",
    "CRAWL_DUE_AGAIN": "a claim took it after a cooldown or at its date of refresh",
    "DOMAIN_EXHAUSTED": "nothing of it is left to fetch",
    "DOMAIN_BLOCKED": "the site does not want us or fails; `reason` is the obstacle's code",
    "DOMAIN_UNREACHABLE": "no connection could be had; `reason` is the obstacle's code",
    "DOMAIN_RESET": "a person cleared its errors, blocks and cooldown",
    "DOMAIN_EDITED": "a person changed limits, notes or trust; `data`: each field with from and to",
    "DOMAINS_MERGED": "rows of one domain were joined; `data`: merged_no, merged_domain, was",
    "CLAIM_RELEASED": "a person ended a lease by hand; `data`: worker",
    "RECRAWL_ASKED": "a person asked for all its pages again, now",
    "PRIORITIES_RECALCULATED": "all priorities were written anew; `data`: read, changed",
}


def body() -> str:
    rows = [(code(kind.value), meaning) for kind, meaning in described(EventKind, _MEANINGS).items()]
    return page("Events", _INTRODUCTION + "\n" + table(("kind", "what happened"), rows))
