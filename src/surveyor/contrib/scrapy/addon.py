"""One line of settings: puts the parts into their places of a Scrapy project."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from scrapy.settings import BaseSettings

from surveyor.contrib.scrapy.extension import DomainTracking, DownloadErrors
from surveyor.contrib.scrapy.flags import Flags
from surveyor.contrib.scrapy.items import ItemPages
from surveyor.contrib.scrapy.output import PageOutput
from surveyor.contrib.scrapy.scheduler import FrontierScheduler

# After Scrapy's own, so that what they change has been changed.
_EXTENSION_ORDER = 500
# Next to the engine: it gets errors last, when no other middleware tries again.
_ERRORS_ORDER = 50
# Next to the engine too: what passes there is what the engine gets.
_OUTPUT_ORDER = 10
# Before all others: it knows an item by what the spider yielded.
_ITEMS_ORDER = -1000


# Commands that look at one page for a person: it is theirs, known or not, and no crawl.
_TOOLS = frozenset({"shell", "fetch", "view", "parse", "check"})


def is_tool(argv: Sequence[str]) -> bool:
    """Whether `scrapy` was called to look at a page, not to crawl; by the interpreter's own arguments, as
    Scrapy takes the command out of `sys.argv`."""
    names = [Path(each).name for each in argv[1:]]
    program = next((place for place, name in enumerate(names) if name.startswith("scrapy")), len(names))
    rest = [each for each in names[program + 1 :] if not each.startswith("-")]
    return bool(rest) and rest[0] in _TOOLS


class Addon:
    """`ADDONS = {"surveyor.contrib.scrapy.Addon": 500}`; the flags say what is at work."""

    def update_settings(self, settings: BaseSettings) -> None:
        flags = Flags.read(settings)
        if not flags.domain_tracking or is_tool(sys.orig_argv):
            return
        settings.setdefault_in_component_priority_dict(
            "DOWNLOADER_MIDDLEWARES", DownloadErrors, _ERRORS_ORDER
        )
        if not flags.keeps_queue:
            settings.setdefault_in_component_priority_dict("EXTENSIONS", DomainTracking, _EXTENSION_ORDER)
            return
        settings.set("SCHEDULER", FrontierScheduler, priority="addon")
        settings.setdefault_in_component_priority_dict("SPIDER_MIDDLEWARES", PageOutput, _OUTPUT_ORDER)
        settings.setdefault_in_component_priority_dict("ITEM_PIPELINES", ItemPages, _ITEMS_ORDER)
