"""A small web of invented sites on loopback, for the demo, the tests, and whoever wants to try something.

Funders, food banks and photo galleries in eight languages; blocked, slow, endless, parked and
unreachable ones; robots.txt of every kind; and a search engine that speaks SearXNG's JSON. A site is a
folder below `sites/` that anybody can read and edit: docs/smallweb.md says how.

    SmallWeb       start, hosts, environment, change, asked, close
    in_thread      the same in a thread, as a context
    expected       what a curator would find on each site, and the stage it should end in
    load_sites     the sites as values
"""

from __future__ import annotations

from surveyor.smallweb.reading import load_sites
from surveyor.smallweb.server import Asked, SmallWeb, in_thread
from surveyor.smallweb.sites import Change, Page, Site
from surveyor.smallweb.truth import Expected, ExpectedContact, ExpectedRecord, expected

__all__ = [
    "Asked",
    "Change",
    "Expected",
    "ExpectedContact",
    "ExpectedRecord",
    "Page",
    "Site",
    "SmallWeb",
    "expected",
    "in_thread",
    "load_sites",
]
