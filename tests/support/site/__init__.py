"""The tests' ground truth: a web made from a seed, and a server whose log knows what was really asked.

`graph` says what exists and what a crawl must bring, computed from the seed and never from the
server. `server` answers for all hosts on one port and writes a line per request; `process` runs it
in a process of its own. `special` and `traps` are hosts with one bad habit each.
"""

from tests.support.site.graph import HostGraph, Page, SiteGraph
from tests.support.site.log import Entry, plain_host, read_log
from tests.support.site.process import SiteProcess
from tests.support.site.server import OpenConnection, SiteServer
from tests.support.site.spec import Manner, SiteSpec

__all__ = [
    "Entry",
    "HostGraph",
    "Manner",
    "OpenConnection",
    "Page",
    "SiteGraph",
    "SiteProcess",
    "SiteServer",
    "SiteSpec",
    "plain_host",
    "read_log",
]
