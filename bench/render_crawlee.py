"""Crawlee's browser mode as its documentation sets it up; run by `bench render` in .venv-bench-render."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from datetime import timedelta

from crawlee import ConcurrencySettings
from crawlee.configuration import Configuration
from crawlee.crawlers import PlaywrightCrawler, PlaywrightCrawlingContext


async def main() -> None:
    orders = json.loads(sys.argv[1])
    crawler = PlaywrightCrawler(
        configuration=Configuration(storage_dir=orders["folder"]),
        respect_robots_txt_file=True,
        concurrency_settings=ConcurrencySettings(
            min_concurrency=1, desired_concurrency=orders["at_once"], max_concurrency=orders["at_once"]
        ),
        headless=True,
        browser_launch_options={"executable_path": orders["program"], "args": ["--no-sandbox"]},
        request_handler_timeout=timedelta(minutes=5),
        configure_logging=False,
    )
    found: set[str] = set()

    @crawler.router.default_handler
    async def keep(context: PlaywrightCrawlingContext) -> None:
        await context.page.wait_for_load_state("networkidle")
        html = await context.page.content()
        if orders["truth"] in html:
            found.add(context.request.url)
            print(f"found {len(found)}", flush=True)
        await context.push_data({"url": context.request.url, "html": html})
        await context.enqueue_links(strategy="same-hostname")

    await crawler.run([orders["url"]])


if __name__ == "__main__":
    logging.basicConfig(level=logging.ERROR)
    asyncio.run(main())
