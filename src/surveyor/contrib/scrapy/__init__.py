"""The register for an existing Scrapy project: no change to its spiders, one line of settings.

    ADDONS = {"surveyor.contrib.scrapy.Addon": 500}

Phases are turned on one by one by flags (`flags`). `tally` counts what Scrapy does per domain,
`reports` writes it to the register, `extension` listens to Scrapy's signals and keeps the worker's place.
"""

from surveyor.contrib.scrapy.addon import Addon
from surveyor.contrib.scrapy.extension import DomainTracking

__all__ = ["Addon", "DomainTracking"]
