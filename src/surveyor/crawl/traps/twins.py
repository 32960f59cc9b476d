"""One page under many names: session ids, orders of parameters, stray escapes, paths put together wrongly.

Each kind has a key that all names of one page share. No kind is believed before the site itself has
shown it: pages with the same key must have looked alike, several times, and hardly ever different.
From then on a name is cut when the page was fetched under another one, so every page is still
fetched once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from surveyor.crawl.traps.recent import Look, Looks
from surveyor.crawl.traps.shape import TRAP_ENTITIES, TRAP_REPEAT

TRAP_SESSION = "trap_session"
TRAP_FACETS = "trap_facets"

# Pairs that must have looked alike before a kind is believed, and how many for each pair that differed.
_PAIRS = 3
_PER_COUNTER_EXAMPLE = 4
# Kinds with a name of their own, such as a parameter, that are kept; a site has a handful.
_MOST_KINDS = 200
# Ends of a path that are looked for among the pages known.
_MOST_ENDS = 6

# A value that no person wrote: long, of letters and digits, not of words; or a clock's.
_RANDOM = (
    r"(?=[^/&]*[0-9])(?=[^/&]*[a-z])[0-9a-z]{16,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|1[0-9]{9,15}"
)
_TOKEN = re.compile(rf"(?i:{_RANDOM})")
# Shorter ones where the name says what they are.
_SESSION_NAME = re.compile(
    r"(?i:s|sid|ssid|sess|session|session_?id|sessid|token|visit|visitor|vid|uid|osid)"
)
_SHORT_TOKEN = re.compile(r"(?i:(?=.*[0-9])[0-9a-z_-]{6,})")
_ASP_SESSION = re.compile(r"\([a-z]\([0-9a-z]{16,}\)\)", re.IGNORECASE)
_ESCAPES = re.compile(r"amp;|%25", re.IGNORECASE)


@dataclass(slots=True)
class Evidence:
    """How often two names of a kind turned out to be one page, and how often two."""

    reason: str
    same: int = 0
    differ: int = 0
    example: str = ""
    cuts: int = 0

    @property
    def proven(self) -> bool:
        return self.same >= _PAIRS and self.same >= _PER_COUNTER_EXAMPLE * self.differ


class Twins:
    def __init__(self) -> None:
        self._looks = Looks()
        self.evidence: dict[str, Evidence] = {}
        self._anything_proven = False

    def note(self, target: str) -> None:
        """A page that was fetched before this memory began."""
        for key in {target, *(key for _, key, _ in _keys(target))}:
            if self._looks.get(key) is None:
                self._looks.set(key, Look(0, 0, 0))

    def learn(self, target: str, look: Look) -> None:
        for kind, key, reason in _keys(target):
            before = self._looks.get(key)
            if before is not None and before.chars:
                self._weigh(kind, reason, target, before.is_like(look))
            if key != target and not kind.startswith("end"):
                self._looks.set(key, look)
        self._looks.set(target, look)

    def _weigh(self, kind: str, reason: str, target: str, alike: bool) -> None:
        evidence = self.evidence.get(kind)
        if evidence is None:
            if len(self.evidence) >= _MOST_KINDS:
                return
            evidence = self.evidence[kind] = Evidence(reason)
        if alike:
            evidence.same += 1
            evidence.example = evidence.example or target
        else:
            evidence.differ += 1
        self._anything_proven = any(each.proven for each in self.evidence.values())

    def judge(self, target: str) -> str | None:
        """The reason if the page was fetched under another name, as far as names can tell."""
        if not self._anything_proven:
            return None
        for kind, key, reason in _keys(target):
            evidence = self.evidence.get(kind)
            if evidence is not None and evidence.proven and self._looks.get(key) is not None:
                evidence.cuts += 1
                return reason
        return None


def _keys(target: str) -> Iterator[tuple[str, str, str]]:
    """For each kind of twin that the target may be: the kind's name, the shared key, the reason code."""
    path, _, query = target.partition("?")
    if _ESCAPES.search(target):
        clean = _unescaped(target)
        if clean != target:
            yield "escapes", clean, TRAP_ENTITIES
    kind, key = _without_sessions(path, query)
    if kind:
        yield kind, key, TRAP_SESSION
    if "&" in query:
        yield "order", f"{path}?{'&'.join(sorted(set(query.split('&'))))}", TRAP_FACETS
    at = path.find("/", 1)
    for _ in range(_MOST_ENDS):
        if at < 0 or at == len(path) - 1:
            break
        yield "ends", path[at:] + target[len(path) :], TRAP_REPEAT
        at = path.find("/", at + 1)


def _unescaped(target: str) -> str:
    while True:
        clean = re.sub("amp;", "", target.replace("%25", "%"), flags=re.IGNORECASE)
        if clean == target:
            return clean
        target = clean


def _without_sessions(path: str, query: str) -> tuple[str, str]:
    """The kind, named for where the random values stand, and the target without them."""
    places = []
    segments = path.split("/")
    for number, segment in enumerate(segments):
        if len(segment) >= 16 and (_TOKEN.fullmatch(segment) or _ASP_SESSION.fullmatch(segment)):
            places.append(f"/{number}")
            segments[number] = "*"
    parameters = query.split("&") if query else []
    for number, parameter in enumerate(parameters):
        name, _, value = parameter.partition("=")
        if _is_session(name, value):
            places.append(name)
            parameters[number] = f"{name}=*"
    if not places:
        return "", ""
    return f"session {' '.join(places)}", "/".join(segments) + "?" + "&".join(parameters)


def _is_session(name: str, value: str) -> bool:
    if len(value) < 6:
        return False
    if _TOKEN.fullmatch(value):
        return True
    return bool(_SESSION_NAME.fullmatch(name) and _SHORT_TOKEN.fullmatch(value))
