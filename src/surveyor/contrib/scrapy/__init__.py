"""The register for an existing Scrapy project: no change to its spiders, one line of settings.

    ADDONS = {"surveyor.contrib.scrapy.Addon": 500}

Phases are turned on one by one by flags (`flags`). Tracking alone: `extension` listens to Scrapy's signals,
`tally` counts per domain, `reports` writes. With any other phase requests wait in the register's frontier:
`scheduler` is what Scrapy's engine asks, `crawl` what happens behind it, `visit` one domain, `pages` one
request in Scrapy's hands, `output` sees what callbacks yield, `requests` makes texts of requests. Items
become records (`record_pipeline`) and stored images (`image_pipeline`) when their page is over.
"""

from surveyor.contrib.scrapy.addon import Addon
from surveyor.contrib.scrapy.extension import DomainTracking
from surveyor.contrib.scrapy.image_pipeline import ImagePipeline
from surveyor.contrib.scrapy.record_pipeline import RecordPipeline

__all__ = ["Addon", "DomainTracking", "ImagePipeline", "RecordPipeline"]
