"""The site and the workspace of the crawl's tests, for what comes after a crawl."""

from tests.journey.crawl.conftest import make_crawl

__all__ = ["make_crawl"]
