"""Keeps the rules of one robots.txt for one agent, read as RFC 9309 says; pure: bytes in, answers out.

Parsing takes anything a server may send and never raises. The parser is our own: Protego takes the
group of `survey` for `surveyor`, lets a Crawl-delay end a group (the RFC: other records must not),
adds rules that nobody wrote, and forgets the line that decided, which `why` shows. It also holds an
address against every rule in turn, which is felt per link where a site has many.

A pattern is cut at its stars and the pieces are looked up one after the other. Nothing is tried
twice, so that no pattern, however many stars it has, can keep the event loop waiting.
"""

from __future__ import annotations

import re
import string
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

MAX_BYTES = 500 * 1024  # what the RFC asks to be read at the least; longer files are no person's work
# Octets of wildcard patterns times octets of an address, at most. No sane site comes near; past it
# one address may cost more than 5 ms, and the polite answer is no.
_MOST_WORK = 100_000_000

# Addresses and patterns in one spelling: octets that need no code are written plainly, all others as
# %XX. `*` and `$` get codes too, since in an address they are plain characters, and a pattern that
# means them says %2A and %24.
_UNRESERVED = frozenset(string.ascii_letters + string.digits + "-._~")
_PLAIN_IN_QUERY = frozenset(":/?@")  # legal as they are, so the RFC takes both spellings for one
_ODD = re.compile(r"%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?#\[\]@!&'()+,;=]")


# Every way to write an octet -> our way.
_CODES = {char: f"%{ord(char):02X}" for char in map(chr, range(256))}
_IN_PATH = _CODES | {
    written: char if char in _UNRESERVED else code
    for char, code in _CODES.items()
    for written in (code, code.lower(), code[:2] + code[2].lower(), code[:2].lower() + code[2])
}
_IN_QUERY = _IN_PATH | {
    written: char for char in _PLAIN_IN_QUERY for written in (_CODES[char], _CODES[char].lower())
}


def _spelt(octets: str, in_query: bool) -> str:
    ours = _IN_QUERY if in_query else _IN_PATH
    return _ODD.sub(lambda found: ours[found[0]], octets)


def _spelt_target(target: str) -> str:
    if not target.isascii():
        target = target.encode("utf-8", "replace").decode("latin-1")
    path, mark, query = target.partition("?")
    return _spelt(path, in_query=False) + mark + _spelt(query, in_query=True)


def _spelt_pieces(pattern: str) -> list[str]:
    """A pattern cut at its stars, each piece in our spelling."""
    pieces, in_query = [], False
    for piece in pattern.split("*"):
        path, mark, query = ("", "", piece) if in_query else piece.partition("?")
        in_query = in_query or bool(mark)
        pieces.append(_spelt(path, in_query=False) + mark + _spelt(query, in_query=True))
    return pieces


class _Rule(NamedTuple):
    """An Allow or Disallow line that concerns us."""

    line: int
    allow: bool
    value: str


class _Wildcard(NamedTuple):
    """A pattern cut at its stars; `tail` must end the address, None if anything may."""

    rank: int
    head: str
    middle: tuple[str, ...]
    tail: str | None

    def matches(self, target: str) -> bool:
        if not target.startswith(self.head):
            return False
        at = len(self.head)
        for piece in self.middle:  # its first place leaves the most room, so it is the only one to try
            at = target.find(piece, at)
            if at < 0:
                return False
            at += len(piece)
        return self.tail is None or (target.endswith(self.tail) and len(target) - len(self.tail) >= at)

    def key(self) -> str:
        """The piece that tells most: an address without it cannot match.

        That is the longest behind a star; many rules of a site share their heads.
        """
        inner = max((self.tail or "", *self.middle), key=len)
        return inner if len(inner) > 1 else max((inner, self.head), key=len)


# A rule's rank is one integer, so that the strongest rule is a max(): octets of the pattern, then a
# bit for Allow (it wins ties), then the line number. No rank (0) allows.
_LINE_BITS = 20  # MAX_BYTES has room for fewer than 2**20 lines
_LINE_MASK = (1 << _LINE_BITS) - 1
_TOO_MUCH_WORK = 1 << 62  # stronger than any rule, and denies


def _is_allow(rank: int) -> bool:
    return rank == 0 or bool(rank >> _LINE_BITS & 1)


class _Matcher:
    """The rules of one group, arranged so that an address is held against few of them."""

    __slots__ = ("_exact", "_longest", "_plain", "_sizes", "_wild", "texts")

    def __init__(self, rules: Iterable[_Rule]) -> None:
        self.texts: dict[int, str] = {}
        self._plain: dict[str, int] = {}  # prefix -> rank
        self._exact: dict[str, int] = {}  # whole address -> rank
        wild: defaultdict[str, list[_Wildcard]] = defaultdict(list)
        work = 1
        for rule in rules:
            self.texts[rule.line] = rule.value
            work += self._add(rule, wild)
        self._sizes = tuple(sorted({len(prefix) for prefix in self._plain}))
        self._wild = tuple((key, tuple(group)) for key, group in wild.items())
        self._longest = _MOST_WORK // work

    def _add(self, rule: _Rule, wild: dict[str, list[_Wildcard]]) -> int:
        """Put a rule in its place; returns the octets that have to be searched for because of it."""
        pattern = rule.value if rule.value[0] in "/*" else f"/{rule.value}"
        anchored = pattern.endswith("$")
        head, *rest = _spelt_pieces(pattern.removesuffix("$"))
        octets = len(head) + sum(map(len, rest)) + len(rest) + anchored
        rank = (octets << 1 | rule.allow) << _LINE_BITS | rule.line
        if not any(rest) and not (anchored and rest):
            kind = self._exact if anchored else self._plain
            kind[head] = max(rank, kind.get(head, 0))
            return 0
        tail = rest.pop() if anchored else None
        wildcard = _Wildcard(rank, head, tuple(filter(None, rest)), tail)
        wild[wildcard.key()].append(wildcard)
        return octets

    def rank(self, target: str) -> int:
        """Of the strongest rule that matches; 0 if none does."""
        if _ODD.search(target) is not None:
            target = _spelt_target(target)
        if len(target) > self._longest:
            return _TOO_MUCH_WORK
        best, ranks = self._exact.get(target, 0), self._plain
        for size in self._sizes:
            prefix = target[:size]
            if prefix in ranks and ranks[prefix] > best:
                best = ranks[prefix]
        for key, group in self._wild:
            if key in target:
                for rule in group:
                    if rule.rank > best and rule.matches(target):
                        best = rule.rank
        return best

    def denies_all(self) -> bool:
        """Whether a Disallow that matches every address outranks every Allow."""
        groups = [rule for _, group in self._wild for rule in group]
        everywhere = [self._plain.get(prefix, 0) for prefix in ("", "/")]
        everywhere += [rule.rank for rule in groups if rule[1:] in (("", (), ""), ("/", (), ""))]
        denial = max((rank for rank in everywhere if not _is_allow(rank)), default=0)
        ranks = [*self._plain.values(), *self._exact.values(), *(rule.rank for rule in groups)]
        return denial > max((rank for rank in ranks if _is_allow(rank)), default=0)


@dataclass(frozen=True, slots=True)
class RobotsRules:
    """The lines of one robots.txt that concern one agent, ready to be asked."""

    crawl_delay: float | None = None
    """Seconds between requests, as Crawl-delay says; the cap is the pace's business."""
    request_delay: float | None = None
    """Seconds between requests, as Request-rate says; the cap is the pace's business."""
    sitemaps: tuple[str, ...] = ()
    """As written, absolute or not, each once."""
    denies_all: bool = False
    """Whether no address may be fetched (but robots.txt itself)."""
    _matcher: _Matcher | None = None

    @classmethod
    def parse(cls, body: bytes, agent: str) -> RobotsRules:
        """Rules for our product token, else for `*`, out of anything a server may send."""
        return _Reader(product_token(agent)).read(cut(body))

    @property
    def delay(self) -> float | None:
        """What the site asks for between two requests, in seconds."""
        return max((d for d in (self.crawl_delay, self.request_delay) if d is not None), default=None)

    def allows(self, target: str) -> bool:
        """Whether the rules let us fetch this path and query."""
        if self._matcher is None or _is_allow(self._matcher.rank(target)):
            return True
        return target == "/robots.txt"

    def rule_for(self, target: str) -> str | None:
        """The line that decided about this path and query, for people; None if no line did."""
        rank = self._matcher.rank(target) if self._matcher is not None else 0
        if self._matcher is None or rank == 0:
            return None
        if rank == _TOO_MUCH_WORK:
            return "too many wildcards for so long an address"
        line = rank & _LINE_MASK
        value = self._matcher.texts[line].encode("latin-1").decode("utf-8", "replace")[:200]
        shown = "".join(ch if ch.isprintable() else "�" for ch in value)
        return f"{'Allow' if _is_allow(rank) else 'Disallow'}: {shown} (line {line})"


NO_RULES = RobotsRules()

_TOKEN = re.compile(r"[A-Za-z0-9_.-]+")
_BROWSER_LIKE = re.compile(r"Mozilla/[^;]*compatible;\s*([A-Za-z0-9_.-]+)", re.IGNORECASE)


@lru_cache(maxsize=64)
def product_token(agent: str) -> str:
    """The name in a user agent that robots.txt groups are matched with, in lower case."""
    if found := _BROWSER_LIKE.match(agent):
        return found[1].lower()
    found = _TOKEN.match(agent.strip())
    return found[0].lower() if found else ""


def cut(body: bytes) -> bytes:
    """At most MAX_BYTES, cut at a line end: half a Disallow would deny more than it says."""
    if len(body) <= MAX_BYTES:
        return body
    ends = (body.rfind(end, 0, MAX_BYTES + 1) for end in (b"\n", b"\r"))
    return body[: max(*ends, 0)]


# What people write for each record; the misspellings are common, and their meaning is plain.
_FIELDS = {
    written: field
    for field, ways in {
        "agent": ("user-agent", "useragent", "user agent"),
        "allow": ("allow",),
        "disallow": ("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"),
        "crawl-delay": ("crawl-delay", "crawldelay", "crawl delay"),
        "request-rate": ("request-rate", "requestrate", "request rate"),
        "sitemap": ("sitemap", "sitemaps", "site-map"),
    }.items()
    for written in ways
}
_BLANK = " \t\x0b\x0c"  # not str.strip()'s idea, which would eat octets of UTF-8 letters
_NOISE = (b"\0", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")  # NULs and byte order marks, wherever they are
# A page in place of the file. Comments before it say nothing: they also stand above real rules.
_HTML = re.compile(
    rb"(?:\s*+<!--(?:[^-]++|-(?!->))*+-->)*+\s*+<(?:!doctype|\?xml|html|head|body|meta|title|script)\b",
    re.IGNORECASE,
)
# Blanks that people cannot see: no-break, of other widths, of no width.
_ODD_BLANKS = "\u00a0\u1680\u2000-\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff"
_AROUND = re.compile(rf"^[{_BLANK}{_ODD_BLANKS}]+|[{_BLANK}{_ODD_BLANKS}]+$")
_SECONDS = re.compile(r"\d{0,9}[.,]?\d{1,9}", re.ASCII)
_RATE = re.compile(r"(\d{1,9})\s*/\s*(\d{1,9})\s*([smhd]?)", re.ASCII | re.IGNORECASE)
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400}
_OURS, _EVERYBODYS = 1, 2


class _Reader:
    """Reads a file once, top to bottom, keeping what is for us and what is for everybody."""

    def __init__(self, token: str) -> None:
        self._token = token
        self._seen = 0
        # Whom the next rule is for. Only Allow and Disallow end a run of user-agent lines for the
        # rules, as the RFC has it; a delay ends it for delays alone, as those who write it mean it.
        self._rules_for = self._delays_for = 0
        self._rules_ended = self._delays_ended = False
        self._rules: dict[int, list[_Rule]] = {_OURS: [], _EVERYBODYS: []}
        self._crawl_delays: dict[int, float] = {}
        self._request_delays: dict[int, float] = {}
        self._sitemaps: dict[str, None] = {}

    def read(self, body: bytes) -> RobotsRules:
        for octets in _NOISE:
            body = body.replace(octets, b"")
        if _HTML.match(body) is not None:
            return NO_RULES
        # One character per octet: what is not UTF-8 is matched as the octets it is.
        text = body.decode("latin-1").replace("\r\n", "\n").replace("\r", "\n")
        for number, line in enumerate(text.split("\n"), 1):
            self._line(number, _trimmed(line.partition("#")[0]))
        who = _OURS if self._seen & _OURS else _EVERYBODYS
        matcher = _Matcher(self._rules[who]) if self._rules[who] else None
        self._sitemaps.pop("", None)
        return RobotsRules(
            crawl_delay=self._crawl_delays.get(who),
            request_delay=self._request_delays.get(who),
            sitemaps=tuple(self._sitemaps),
            denies_all=matcher is not None and matcher.denies_all(),
            _matcher=matcher,
        )

    def _line(self, number: int, line: str) -> None:
        name, _, value = line.partition(":")
        field = _FIELDS.get(_trimmed(name).lower())
        if field is None:  # perhaps the colon is missing
            name, _, value = line.replace("\t", " ").partition(" ")
            field = _FIELDS.get(name.lower())
        if field is None:
            return
        value = _trimmed(value)
        if field == "agent":
            self._agent(value)
        elif field == "sitemap":
            self._sitemaps[value.encode("latin-1").decode("utf-8", "replace")] = None
        elif field in ("allow", "disallow"):
            self._rules_ended = self._delays_ended = True
            for who, rules in self._rules.items():
                if self._rules_for & who and value:
                    rules.append(_Rule(number, field == "allow", value))
        else:
            self._delays_ended = True
            self._keep_delay(field, value)

    def _agent(self, value: str) -> None:
        name = _TOKEN.match(value)
        ours = name is not None and name[0].lower() == self._token
        who = _OURS if ours else _EVERYBODYS if value.split(" ")[0] == "*" else 0
        self._rules_for = who | (0 if self._rules_ended else self._rules_for)
        self._delays_for = who | (0 if self._delays_ended else self._delays_for)
        self._rules_ended = self._delays_ended = False
        self._seen |= who

    def _keep_delay(self, field: str, value: str) -> None:
        delay = _crawl_delay(value) if field == "crawl-delay" else _request_delay(value)
        kept = self._crawl_delays if field == "crawl-delay" else self._request_delays
        for who in (_OURS, _EVERYBODYS):
            if self._delays_for & who and delay is not None:
                kept[who] = max(delay, kept.get(who, 0.0))


def _trimmed(text: str) -> str:
    """Without the blanks around it, seen or not. One character per octet comes in and goes out."""
    if text.isascii():
        return text.strip(_BLANK)
    octets = text.encode("latin-1")
    try:
        return _AROUND.sub("", octets.decode("utf-8")).encode("utf-8").decode("latin-1")
    except UnicodeDecodeError:
        return text.strip(_BLANK + "\xa0")  # not UTF-8: there the octet is a blank and no part of a letter


def _crawl_delay(value: str) -> float | None:
    found = _SECONDS.match(value)
    return float(found[0].replace(",", ".")) if found else None


def _request_delay(value: str) -> float | None:
    """`1/5` is one request in five seconds, `30/1m` thirty in a minute; hours of the day are not read."""
    found = _RATE.match(value)
    if found is None or int(found[1]) == 0:
        return None
    return int(found[2]) * _UNITS[found[3].lower()] / int(found[1])
