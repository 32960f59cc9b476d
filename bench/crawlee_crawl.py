"""Crawlee as its documentation sets up a crawl of HTML pages; run by `bench crawl` in .venv-bench.

What it does: ParselCrawler with its own HTTP client, robots.txt obeyed, `enqueue_links` within the
host, the request queue and one record per page (URL, title, hash of the content) as files on disk, as
is its default. What it does not: one request at a time per host, a transaction around any of that, a
log of fetches, a table of links, leases, per-domain budgets and counters, traps.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import sys
from datetime import timedelta

from crawlee import ConcurrencySettings
from crawlee.configuration import Configuration
from crawlee.crawlers import ParselCrawler, ParselCrawlingContext


async def main() -> None:
    orders = json.loads(sys.argv[1])
    hosts = len(orders["hosts"])
    crawler = ParselCrawler(
        configuration=Configuration(storage_dir=orders["folder"]),
        respect_robots_txt_file=True,
        concurrency_settings=ConcurrencySettings(
            min_concurrency=min(8, hosts), desired_concurrency=hosts, max_concurrency=hosts
        ),
        statistics_log_format="inline",
        request_handler_timeout=timedelta(minutes=5),
        configure_logging=False,
    )

    @crawler.router.default_handler
    async def keep(context: ParselCrawlingContext) -> None:
        await context.push_data(
            {
                "url": context.request.url,
                "title": context.selector.css("title::text").get(),
                "hash": hashlib.sha256(await context.http_response.read()).hexdigest(),
            }
        )
        await context.enqueue_links(strategy="same-hostname")

    await crawler.run([f"http://{host}:{orders['port']}/" for host in orders["hosts"]])


if __name__ == "__main__":
    logging.basicConfig(level=logging.ERROR)  # it warns of its own defaults
    asyncio.run(main())
