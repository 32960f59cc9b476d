"""Names: microseconds per canonical domain and per resolved link, warm and with hosts never seen before."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from time import process_time

from surveyor.errors import NotADomain
from surveyor.names import canonical_domain, resolve, url_key

# Microseconds per call that a typical text or link may cost at most.
LIMIT = 10.0
# CPU time, and the best round: other programs on the machine must not show in the figures.
ROUNDS = 7
CALLS = 10_000

BASE = "https://www.example.org/news/2024/index.html?page=2"
_numbers = count()


def _domain(text: str) -> None:
    with suppress(NotADomain):
        canonical_domain(text)


def _link(href: str) -> None:
    resolve(BASE, href)


def _fresh(pattern: str, size: int) -> list[str]:
    """Texts that no cache has seen."""
    return [pattern.format(next(_numbers)) for _ in range(size)]


Row = tuple[str, Callable[[str], object], str, bool]
ROWS: Sequence[Row] = (
    # what it is, the call, the text ({} is a number never used before), whether the limit holds for it
    ("domain", _domain, "example.org", True),
    ("domain from a URL", _domain, "https://www.example.org/about/us?x=1", True),
    ("domain from a URL with port", _domain, "https://www.example.org:8443/about/us", True),
    ("domain, international", _domain, "https://www.münchen.de/", True),
    ("domain, new host", _domain, "www.site{}.co.uk", True),
    ("domain from a URL, new host", _domain, "https://blog.site{}.com/about/us?x=1", True),
    ("domain, new international host", _domain, "münchen{}.de", False),
    ("domain refused: mail address", _domain, "info@example.org", False),
    ("link, relative", _link, "../2023/report.html", True),
    ("link, absolute path", _link, "/about/our-people/contact", True),
    ("link, path and query", _link, "/search?q=food+bank&page=3&sort=date", True),
    ("link, own site in full", _link, "https://www.example.org/about", True),
    ("link, with tracking", _link, "https://other.org/a?utm_source=x&utm_medium=y&id=7", True),
    ("link, encoded path", _link, "/caf%c3%a9/%7Euser/stra%c3%9fe", True),
    ("link, foreign letters", _link, "/über-uns/straße", True),
    ("link to a new host", _link, "https://www.site{}.org/page", True),
    ("link, fragment", _link, "#top", True),
    ("link refused: mailto", _link, "mailto:info@example.org", True),
    ("key of a path and query", url_key, "/about/our-people/contact?x=1", True),
)


def _microseconds(call: Callable[[str], object], pattern: str) -> float:
    """CPU time per call, in the best round."""
    rounds = []
    for _ in range(ROUNDS):
        texts = _fresh(pattern, CALLS) if "{}" in pattern else [pattern] * CALLS
        begun = process_time()
        for text in texts:
            call(text)
        rounds.append(process_time() - begun)
    return min(rounds) / CALLS * 1e6


def main(argv: list[str]) -> int:
    del argv  # no options
    canonical_domain("warm-up.münchen.de")  # loads the suffix list and the tables of IDNA
    over = 0
    for label, call, pattern, limited in ROWS:
        spent = _microseconds(call, pattern)
        late = limited and spent > LIMIT
        over += late
        print(f"{label:34} {spent:7.2f} µs{f'   over the limit of {LIMIT:g} µs' if late else ''}")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
