"""CPU on the event loop for the largest light page: every HTML element in every shape, every encoding."""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from typing import Final

from surveyor.crawl.pages.html import read_page
from surveyor.crawl.pages.links import TooHeavy
from surveyor.crawl.pages.scope import Scope
from surveyor.names import canonical_domain, parse_url
from surveyor.net import charset
from surveyor.net.markup import LIGHT_BYTES

LIMIT: Final = 20.0  # milliseconds on a machine that others use as well; a quiet one needs a third

ELEMENTS: Final = tuple(
    name
    for line in (
        "a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big",
        "blink blockquote body br button canvas caption center cite code col colgroup content data",
        "datalist dd del details dfn dialog dir div dl dt element em embed fieldset figcaption figure",
        "font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe image",
        "img input ins isindex kbd keygen label legend li link listing main map mark marquee math",
        "menu menuitem meta meter multicol nav nextid nobr noembed noframes noscript object ol",
        "optgroup option output p param picture plaintext portal pre progress q rb rp rt rtc ruby s",
        "samp script search section select shadow slot small source spacer span strike strong style",
        "sub summary sup svg table tbody td template textarea tfoot th thead time title tr track tt u",
        "ul var video wbr xmp x-y",
    )
    for name in line.split()
)
_AROUND: Final = ("ruby", "select", "table", "svg", "math", "template", "ul")


def shapes(element: str, size: int) -> dict[str, bytes]:
    """Ways to fill a page with one element, each as large as may be read on the loop."""
    name = element.encode()
    start, end, long = b"<%b>" % name, b"</%b>" % name, b"<%b x=1>" % name
    made = {
        "open": start * 3_000,
        "open with text": (start + b"x") * 3_000,
        "with attributes": b"".join(b"<%b x=%d>" % (name, number) for number in range(3_000)),
        "with many attributes": (b"<%b " % name + b" ".join(b"%x" % n for n in range(100)) + b">") * 200,
        "within each other": start * 1_500 + end * 1_500,
        "one after the other": (start + end) * 1_500,
        "ends": end * 3_000,
        "then paragraphs": long * 500 + b"<p>x" * 2_500,
        "left open, few": long * 8 + b"<p>x" * 900,
        "and paragraphs": (long + b"<p>x") * 1_500,
        "and blocks": (start + b"<div>") * 1_500,
    }
    made |= {f"in {other}": b"<%b>" % other.encode() + start * 2_999 for other in _AROUND}
    fitted = {shape: raw[:size] for shape, raw in made.items()}
    # As deep as is light in any case: nothing is looked at below a thousand tags.
    fitted |= {f"{shape}, shallow": _tags(raw, 1_000) for shape, raw in fitted.items()}
    return fitted


def _tags(raw: bytes, most: int) -> bytes:
    return b"<".join(raw.split(b"<")[: most + 1])


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench loop", description=__doc__)
    parser.add_argument(
        "--all", action="store_true", help="print every element and label, not the worst twenty"
    )
    args = parser.parse_args(argv)
    elements = sorted((_worst_shape(element) for element in ELEMENTS), reverse=True)
    labels = sorted((_worst_bytes(label) for label in charset._LABELS), reverse=True)
    for title, rows in (("element", elements), ("encoding label", labels)):
        print(f"{title:<18} {'ms':>6}   worst at {LIGHT_BYTES // 1024} KiB")
        for spent, name, what in rows if args.all else rows[:20]:
            print(f"{name:<18} {spent:6.2f}   {what}")
        print(f"{len(rows)} in all, the worst takes {rows[0][0]:.2f} ms (at most {LIMIT:g})\n")
    return 1 if max(elements[0][0], labels[0][0]) > LIMIT else 0


def _worst_shape(element: str) -> tuple[float, str, str]:
    found = []
    for shape, raw in shapes(element, LIGHT_BYTES).items():
        kept = []
        spent = _milliseconds(lambda raw=raw, kept=kept: kept.append(_read(raw)))  # type: ignore[misc]
        found.append((spent, element, shape if kept[-1] else f"{shape} (left to the child)"))
    return max(found)


def _read(raw: bytes) -> bool:
    """What the loop does with a page: weigh it, and read it if it is light."""
    scope = Scope(canonical_domain("example.org"))
    try:
        read_page(raw, parse_url("https://example.org/"), scope, agent_token="surveyor", light=True)
    except TooHeavy:
        return False
    return True


def _worst_bytes(label: str) -> tuple[float, str, str]:
    name = charset.encoding_for(label) or ""
    size = LIGHT_BYTES // 4 if name.startswith("utf-16") else LIGHT_BYTES
    noise = random.Random(1).randbytes(size)
    bodies = {f"byte {octet:02x}": bytes([octet]) * size for octet in range(0x80, 0x100, 5)}
    bodies |= {"noise": noise, "high noise": bytes(octet | 0x80 for octet in noise)}
    bodies |= {"halves of pairs": b"\xd8\x00" * (size // 2), "and reversed": b"\x00\xd8" * (size // 2)}
    bodies |= {"escapes": b"\x1b$B\xff" * (size // 4), "leads": b"\x81\xff" * (size // 2)}
    return max(
        (_milliseconds(lambda body=body: charset._decoded(body, name)), label, what)  # type: ignore[misc]
        for what, body in bodies.items()
    )


def _milliseconds(work: Callable[[], object]) -> float:
    """Of this thread's CPU, the better of two: the first also warms caches."""
    best = float("inf")
    for _ in range(2):
        begun = time.thread_time()
        work()
        best = min(best, time.thread_time() - begun)
    return best * 1000
