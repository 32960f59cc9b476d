"""One line of settings: puts the parts into their places of a Scrapy project."""

from __future__ import annotations

from scrapy.settings import BaseSettings

from surveyor.contrib.scrapy.extension import DomainTracking, DownloadErrors

# After Scrapy's own, so that what they change has been changed.
_EXTENSION_ORDER = 500
# Next to the engine: it hears of errors last, when nobody tries again.
_ERRORS_ORDER = 50


class Addon:
    """`ADDONS = {"surveyor.contrib.scrapy.Addon": 500}`; the flags say what is at work."""

    def update_settings(self, settings: BaseSettings) -> None:
        settings.setdefault_in_component_priority_dict("EXTENSIONS", DomainTracking, _EXTENSION_ORDER)
        settings.setdefault_in_component_priority_dict(
            "DOWNLOADER_MIDDLEWARES", DownloadErrors, _ERRORS_ORDER
        )
