"""Keeps what a page itself asks of robots: X-Robots-Tag headers and meta robots elements.

A page may speak to everybody or to one agent; what it says to us and what it says to everybody
add up, the stricter wins. Unknown words are passed over, and nothing raises.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntFlag

# Directives that are written with a colon and so look like the name of an agent.
_WITH_VALUE = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})
_EVERYBODY = ("*", "robots")


class PageRobots(IntFlag):
    """What a page asks for; an integer, so that it is stored as one."""

    NOFOLLOW = 1
    """Its links are not to be followed."""
    NOINDEX = 2
    """It is not to be shown to people who search."""
    NOIMAGEAI = 4
    """Its images are not for training models."""
    NOAI = 8
    """Nothing in it is for training models."""

    @property
    def words(self) -> str:
        """As the page might have written it: `nofollow, noindex`."""
        return ", ".join(str(flag.name).lower() for flag in self)


NOTHING_ASKED = PageRobots(0)

# As plain integers: joining flags costs a microsecond each time.
_WORDS = {str(flag.name).lower(): flag.value for flag in PageRobots} | {
    "none": PageRobots.NOFOLLOW.value | PageRobots.NOINDEX.value
}


def from_headers(values: Iterable[str], token: str) -> PageRobots:
    """From the values of all X-Robots-Tag headers; `token` is our product token in lower case.

    `otherbot: noindex, nofollow` is for that agent up to the next name or the end of the value.
    """
    asked = 0
    for value in values:
        ours = True
        for item in value.split(","):
            name, colon, rest = item.partition(":")
            agent = name.strip().lower()
            if colon and agent not in _WITH_VALUE:
                ours = agent == token or agent in _EVERYBODY
                item = rest
            if ours:
                asked |= _asked(item)
    return PageRobots(asked)


def from_meta(name: str, content: str, token: str) -> PageRobots:
    """From one `<meta name=... content=...>`; nothing if it does not speak to us."""
    agent = name.strip().lower()
    return PageRobots(_asked(content)) if agent == token or agent in _EVERYBODY else NOTHING_ASKED


def _asked(text: str) -> int:
    asked = 0
    for word in text.lower().replace(",", " ").split():  # many forget the comma
        asked |= _WORDS.get(word, 0)
    return asked
