"""Markup that is given to the HTML parser: cut or defused where it could make the parser slow or large.

Parsing as browsers do takes square time, and sometimes square space, for a few constructions:
formatting elements left open (each following paragraph gets a copy of all of them), elements nested
ten thousands deep, and tags with ten thousands of attributes. 33 KB are enough for a gigabyte. The
parser cannot be stopped once it runs, so such pages are recognised before, by cheap signs. What is
cut away is named; a page that is not hostile passes unchanged.

`light` finds the pages that cost a few milliseconds at most, whatever they are made of: they may be
parsed on an event loop. Any other belongs into a process that can be ended.
"""

from __future__ import annotations

import re
from itertools import islice

# Bytes of a page that are parsed. What is longer is a list or data, and no page that anybody reads.
MAX_BYTES = 4 * 1024 * 1024
# Tags; a tree of that many takes about 40 MB.
MAX_TAGS = 60_000
# Attributes of one tag. They are compared with each other: ten thousand take half a second.
MAX_ATTRIBUTES = 1_000
# Bytes of a tag that cannot hold enough attributes to matter: a page may well end within one.
_SHORT_TAG = 16 * 1024
# Bytes up to which no construction takes more than a tenth of a second.
_HARMLESS_BYTES = 6 * 1024
# Bytes up to which formatting is the only danger that counts.
_LARGE_BYTES = 64 * 1024
# Tags up to which formatting is harmless too: half of them open, each copied by the other half.
_HARMLESS_TAGS = 800
# Formatting elements with attributes that may be open at once; of those without attributes the
# parser itself keeps three of a kind.
_MAX_FORMATTING = 64
# Tags up to which nesting is harmless: half of them open, the other half searching among them.
_SHALLOW_TAGS = 8_000
# Steps of about 20 ns that searching the open elements may take, as tags x depth; and the depth
# that is always granted, which is where browsers stop nesting.
_MAX_STEPS = 20_000_000
_DEPTH_GRANTED = 512

# A light page: bytes, and tags. Real pages of this size take under three milliseconds.
LIGHT_BYTES = 96 * 1024
LIGHT_TAGS = 3_000
# Tags that may all be nested: their square is what searching among them takes.
_LIGHT_NESTED = 1_000
# Elements within one another where there are more tags.
_LIGHT_DEPTH = 256
# Copies of formatting elements left open, as tags x elements open at once.
_LIGHT_COPIES = 8_000
# Bytes between two `<` that cannot hold enough attributes to matter, and attributes of a longer tag.
_LIGHT_PIECE = 512
_LIGHT_ATTRIBUTES = 100

_FORMATTING_NAMES = rb"(?i:b|big|code|em|font|i|s|small|strike|strong|tt|u)"
_FORMATTING_OPEN = re.compile(rb"<(?=[bcefistuBCEFISTU])" + _FORMATTING_NAMES + rb"[ \t\n\f\r/]")
_FORMATTING = re.compile(rb"<(/?)(?=[bcefistuBCEFISTU])" + _FORMATTING_NAMES + rb"(?=[ \t\n\f\r/>])")
# The slash of each; the two characters that come first distinguish nearly all other tags.
_FORMATTING_SLASHES = re.compile(
    rb"<(/?+)(?=[bcefistuBCEFISTU][ \t\n\f\r/>imotIMOT])" + _FORMATTING_NAMES + rb"[ \t\n\f\r/>]"
)
# Text that is struck out must stay so: an element that means the same and is not copied.
_STRUCK = re.compile(rb"<(/?)(?i:s|strike)(?=[ \t\n\f\r/>])")
_TAG = re.compile(rb"<(/?)([a-zA-Z][^\s/>]{0,20})")
_ATTRIBUTE = rb"""[\s/]*+[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+)?)?"""
# As many whole tokens as there are; it stops where a tag has too many attributes or never ends.
_TOKENS = re.compile(
    rb"(?:[^<]++|<[a-zA-Z][^\s/>]*+(?:" + _ATTRIBUTE + rb"){0,%d}+[\s/]*+>|<(?![a-zA-Z]))*+" % MAX_ATTRIBUTES
)
_TAG_NAME = re.compile(rb"/?[a-zA-Z]")
_WHOLE_TAG = re.compile(rb"/?[^\s/>]*+(?:" + _ATTRIBUTE + rb"){0,%d}+[\s/]*+>" % _LIGHT_ATTRIBUTES)
_DRAWING = re.compile(rb"<(?i:svg|math)")
_SCRIPT_OR_COMMENT = re.compile(rb"<(?:!--|(?i:(script|style)(?=[\s/>])[^>]*+>))")
_DATA = re.compile(rb"(?i:application/ld\+json)")
_ENDS = {
    b"": re.compile(rb"--!?>"),
    b"script": re.compile(rb"</(?i:script)"),
    b"style": re.compile(rb"</(?i:style)"),
}
# Elements that do not nest: they have no content, or the next of their kind ends them.
_FLAT = frozenset(
    b"area base br col embed hr img input link meta param source track wbr "
    b"a nobr h1 h2 h3 h4 h5 h6 form p li dt dd tr td th tbody thead tfoot colgroup option "
    b"html head body".split()
)

# These nest within a template, or cost the more the more of them there are.
_LIGHT_FLAT = _FLAT - {b"form", b"option"}


def contained(raw: bytes) -> tuple[bytes, str | None]:
    """The markup to parse, and the reason if something was cut away."""
    if len(raw) <= _HARMLESS_BYTES:
        return raw, None
    cut = None
    if len(raw) > MAX_BYTES:
        raw, cut = raw[:MAX_BYTES], "too_long"
    tags = raw.count(b"<")
    if tags > _HARMLESS_TAGS and _has_much_formatting(raw):
        raw = _plain(raw)
    return _contained_large(raw, tags, cut) if len(raw) > _LARGE_BYTES else (raw, cut)


def light(raw: bytes) -> bytes | None:
    """The markup, if parsing it takes a few milliseconds at most; None: it may take longer."""
    if len(raw) > LIGHT_BYTES or b"\0" in raw:
        return None
    tags = raw.count(b"<")
    if tags >= LIGHT_TAGS or _has_long_tag(raw):
        raw = _without_scripts(raw)  # where an `a < b` looks like a tag of many attributes
        tags = raw.count(b"<")
        if tags >= LIGHT_TAGS or _has_long_tag(raw):
            return None
    tags += 1
    if tags * tags > _LIGHT_COPIES and _formatting_depth(raw) * tags > _LIGHT_COPIES:
        return None
    if tags <= _LIGHT_NESTED:
        return raw
    flat = frozenset() if _DRAWING.search(raw) else _LIGHT_FLAT
    return raw if _first_excess(raw, _LIGHT_DEPTH, flat)[1] is None else None


def _has_long_tag(raw: bytes) -> bool:
    """Whether a piece from a `<` to the next may be a tag with many attributes."""
    at = raw.find(b"<")
    while at >= 0:
        # The last of those that are near enough: short pieces are passed over many at a time.
        following = raw.rfind(b"<", at + 1, at + _LIGHT_PIECE + 2)
        if following < 0:
            following = raw.find(b"<", at + _LIGHT_PIECE + 2)
            end = following if following >= 0 else len(raw)
            is_long = end - at - 1 > _LIGHT_PIECE
            if is_long and _TAG_NAME.match(raw, at + 1, end) and not _WHOLE_TAG.match(raw, at + 1, end):
                return True
        at = following
    return False


def _formatting_depth(raw: bytes) -> int:
    """How many formatting elements are open at once, at most."""
    depth = deepest = 0
    for slash in _FORMATTING_SLASHES.findall(raw):
        if not slash:
            depth += 1
            if depth > deepest:
                deepest = depth
        elif depth:
            depth -= 1
    return deepest


def _has_much_formatting(raw: bytes) -> bool:
    return next(islice(_FORMATTING_OPEN.finditer(raw), _MAX_FORMATTING, None), None) is not None


def _plain(raw: bytes) -> bytes:
    """The markup with formatting elements renamed to one the parser does not copy."""
    return _FORMATTING.sub(rb"<\1span", _STRUCK.sub(rb"<\1del", raw))


def _contained_large(raw: bytes, tags: int, cut: str | None) -> tuple[bytes, str | None]:
    raw = _without_scripts(raw.replace(b"\0", b""))  # the parser leaves zeros out as well, at a great cost
    tokens = _TOKENS.match(raw)
    end = tokens.end() if tokens else 0
    if end < len(raw) - _SHORT_TAG:
        raw, cut = raw[:end], cut or "endless_tag"
    if tags <= _SHALLOW_TAGS or (tags := raw.count(b"<")) <= _SHALLOW_TAGS:
        return raw, cut
    end, why = _first_excess(raw, max(_DEPTH_GRANTED, _MAX_STEPS // min(tags, MAX_TAGS)))
    return _plain(raw[:end]), why or cut


def _without_scripts(raw: bytes) -> bytes:
    """The markup without comments and without what is in scripts and styles.

    We read none of it, it looks like markup in places, and within drawings the parser takes it for
    markup; so it could hide anything from the checks that follow. Linked data is read: it stays, with
    its angle brackets written in the other way that JSON has for them.
    """
    kept = []
    at = 0
    while (start := _SCRIPT_OR_COMMENT.search(raw, at)) is not None:
        name = (start[1] or b"").lower()
        kept.append(raw[at : start.end() if name else start.start()])
        end = _ENDS[name].search(raw, start.end() - (0 if name else 2))  # `<!-->` is a whole comment
        if end is None:
            break
        if name == b"script" and _DATA.search(start[0]):
            kept.append(raw[start.end() : end.start()].replace(b"<", rb"\u003c"))
        at = end.start() if name else end.end()
    else:
        kept.append(raw[at:])
    return b"".join(kept)


def _first_excess(raw: bytes, depth_allowed: int, flat: frozenset[bytes] = _FLAT) -> tuple[int, str | None]:
    """Where there are too many tags, or too many of them open at once; and which of the two."""
    opened: dict[bytes, int] = {}
    depth = 0
    for number, tag in enumerate(_TAG.finditer(raw)):
        if number >= MAX_TAGS:
            return tag.start(), "too_many_tags"
        name = tag[2].lower()
        if name in flat and not (opened.get(b"svg") or opened.get(b"math")):  # within these all nest
            continue
        if not tag[1]:
            opened[name] = opened.get(name, 0) + 1
            depth += 1
            if depth > depth_allowed:
                return tag.start(), "too_deep"
        elif opened.get(name, 0):
            opened[name] -= 1
            depth -= 1
    return len(raw), None
