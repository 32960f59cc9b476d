"""What a page may ask for while it is shown: what its text needs, and nothing else."""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple
from urllib.parse import urlsplit

# Requests of one page that are let through; a large front end has some forty scripts.
MOST_REQUESTS = 80
# Characters; a longer address is no page's.
_LONGEST_URL = 8_000
_KINDS: Final = {"script": "script", "xhr": "data", "fetch": "data"}
_SAFE: Final = frozenset({"GET", "HEAD"})

# Hosts that measure visitors or show adverts: text never comes from there, and nobody asked us to be counted.
_TRACKERS: Final = frozenset(
    {
        "google-analytics.com",
        "googletagmanager.com",
        "googlesyndication.com",
        "googleadservices.com",
        "doubleclick.net",
        "connect.facebook.net",
        "facebook.com",
        "hotjar.com",
        "clarity.ms",
        "bat.bing.com",
        "matomo.cloud",
        "plausible.io",
        "segment.com",
        "segment.io",
        "mixpanel.com",
        "amplitude.com",
        "fullstory.com",
        "newrelic.com",
        "nr-data.net",
        "sentry.io",
        "bugsnag.com",
        "datadoghq.com",
        "linkedin.com",
        "licdn.com",
        "tiktok.com",
        "twitter.com",
        "x.com",
        "yandex.ru",
        "hs-analytics.net",
        "hs-scripts.com",
        "intercom.io",
        "crisp.chat",
        "tawk.to",
        "cookiebot.com",
        "onetrust.com",
        "cookielaw.org",
        "quantserve.com",
        "scorecardresearch.com",
        "criteo.com",
        "taboola.com",
        "outbrain.com",
    }
)


class RequestVerdict(Enum):
    PAGE = "page"  # the page itself: its answer is here
    ASK = "ask"  # the caller is asked for it
    EMPTY = "empty"  # answered with nothing: those who wait for it go on
    PREFLIGHT = "preflight"  # answered with a yes: what is asked for then is judged
    REFUSE = "refuse"  # the page gets an error


class Decision(NamedTuple):
    verdict: RequestVerdict
    kind: str = ""


_REFUSED: Final = Decision(RequestVerdict.REFUSE)


def decide(
    url: str,
    method: str,
    resource: str,
    *,
    main_frame: bool,
    navigates: bool,
    asked: int,
    styles: bool = False,
) -> Decision:
    """About one request of a page. `asked`: how many were let through before; `styles`: for a screenshot.

    The first is ours, for the page itself, however the browser spells its address.
    """
    if navigates:
        return Decision(RequestVerdict.PAGE) if main_frame and asked == 0 else _REFUSED
    is_style = resource == "stylesheet"
    if is_style and not styles:
        return Decision(RequestVerdict.EMPTY)  # loaders of chunks wait for their styles
    if method == "OPTIONS" and resource in _KINDS:
        return Decision(RequestVerdict.PREFLIGHT)
    if (resource not in _KINDS and not is_style) or method not in _SAFE or asked >= MOST_REQUESTS:
        return _REFUSED
    return _by_address(url, "style" if is_style else _KINDS[resource])


def _by_address(url: str, kind: str) -> Decision:
    if len(url) > _LONGEST_URL:
        return _REFUSED
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return _REFUSED
    if parts.scheme not in ("http", "https") or is_tracker(host):
        return _REFUSED
    return Decision(RequestVerdict.ASK, kind)


def is_tracker(host: str) -> bool:
    labels = host.lower().rstrip(".").split(".")
    return any(".".join(labels[start:]) in _TRACKERS for start in range(len(labels) - 1))
