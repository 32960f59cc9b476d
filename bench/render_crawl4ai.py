"""Crawl4AI's deep crawl as its documentation sets it up; run by `bench render` in .venv-bench-render."""

from __future__ import annotations

import asyncio
import json
import sys

from crawl4ai import AsyncWebCrawler, BrowserConfig, CacheMode, CrawlerRunConfig
from crawl4ai.deep_crawling import BFSDeepCrawlStrategy


async def main() -> None:
    orders = json.loads(sys.argv[1])
    config = CrawlerRunConfig(
        deep_crawl_strategy=BFSDeepCrawlStrategy(max_depth=20, include_external=False, max_pages=10_000),
        wait_until="networkidle",
        check_robots_txt=True,
        semaphore_count=orders["at_once"],
        cache_mode=CacheMode.BYPASS,
        stream=True,
        verbose=False,
    )
    browser = BrowserConfig(headless=True, verbose=False, extra_args=["--no-sandbox"])
    async with AsyncWebCrawler(config=browser) as crawler:
        found: set[str] = set()
        async for each in await crawler.arun(orders["url"], config=config):
            if each.success and orders["truth"] in each.html:
                found.add(each.url)
                print(f"found {len(found)}", flush=True)


if __name__ == "__main__":
    asyncio.run(main())
