"""Old crawl logs of others into the register: dry run first, streamed, never over what is alive.

`sources` reads logs of every kind as counts of requests, `totals` joins them per canonical domain, `service`
says what would become of them and writes it, `store` has its statements. `pages` brings URLs and contents,
`jobdir` and `queued` what waits in a queue of Scrapy. `registers` is for registers of others.
"""

from surveyor.backfill.destination import Destination
from surveyor.backfill.pages import Keeper
from surveyor.backfill.service import BackfillRequest, Report, backfill
from surveyor.backfill.sources import IMAGE_TABLE, LOG_TABLE, Mapped

__all__ = [
    "IMAGE_TABLE",
    "LOG_TABLE",
    "BackfillRequest",
    "Destination",
    "Keeper",
    "Mapped",
    "Report",
    "backfill",
]
