"""One page under many names: session ids, orders of parameters, parameters that change nothing, stray
escapes, wrong paths.

Each kind has a key that all names of one page share. No kind is believed before the site itself has
shown it: pages with the same key must have looked alike, several times, and hardly ever different.
From then on a name is cut when the page was fetched under another one, so every page is still
fetched once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from urllib.parse import unquote

from xxhash import xxh32_intdigest

from surveyor.crawl.detect.path_pattern import TRAP_ENTITIES, TRAP_REPEAT
from surveyor.crawl.detect.recent import PageDigest, PageDigests

TRAP_SESSION = "trap_session"
TRAP_FACETS = "trap_facets"

# Pairs that must have looked alike before a kind is believed, and how many for each pair that differed.
_PAIRS = 3
_PER_COUNTER_EXAMPLE = 4
# Pages that one parameter with one value left as they were, or values of one parameter that did; and
# parameters of a target that are looked at.
_IDLE = 5
_MOST_PARAMETERS = 6
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
# What a target must have in it to be looked at for such values at all.
_MAYBE_SESSION = re.compile(r"(?i:[0-9a-z]{16}|[0-9a-f]{8}-|=1[0-9]{9}|[?&][ostuv])")
_ASP_SESSION = re.compile(r"\([a-z]\([0-9a-z]{16,}\)\)", re.IGNORECASE)
_ANY_TOKEN = re.compile(r"(?i:(?=[a-z]*[0-9])[0-9a-z]{12,})")
# Links of one page with the same random value that make it a session's.
_SHARED = 5
_ESCAPE = re.compile(r"amp;|%25", re.IGNORECASE)

_ESCAPES: Final = "escapes"
_ORDER: Final = "order of parameters"
_FOLDERS: Final = "order of folders"
_ENDS: Final = "ends of paths"
_UNSEEN: Final = PageDigest(0, 0, 0)


@dataclass(slots=True)
class Evidence:
    """How often two names of a kind turned out to be one page, and how often two."""

    reason: str
    enough: int = _PAIRS
    same: int = 0
    differ: int = 0
    values: set[str] = field(default_factory=set)
    """Of a parameter with any value, those that were alike: each counts once."""
    paths: set[str] = field(default_factory=set)
    """Of a parameter, two at most where it left a page as it was: known of one, it says nothing of others."""

    @property
    def proven(self) -> bool:
        return self.same >= self.enough and self.same >= _PER_COUNTER_EXAMPLE * self.differ


class Key(NamedTuple):
    """What all names of a page share, if they are of this kind."""

    kind: str
    text: str
    reason: str
    is_target: bool = False
    """Whether it is a target itself, to be looked for among the pages that were fetched."""
    parameter: str = ""
    """What was left out of it, with its value."""
    is_of_any_value: bool = False


@dataclass(slots=True)
class _Idle:
    """A page that reads as the one without a parameter; its links are still coming in."""

    target: str
    key: Key
    leads_on: bool = False

    def note_link(self, link: str) -> None:
        """A link that was not known before: more of a list, unless it leads back here, as log-ins do."""
        path, here = link.partition("?")[0], self.target.partition("?")[0]
        leads_back = path == here or self.key.parameter in link or (len(here) > 1 and here in unquote(link))
        self.leads_on = self.leads_on or not leads_back


@dataclass(eq=False)
class UrlAliases:
    _digests: PageDigests = field(default_factory=PageDigests)
    _idle: list[_Idle] = field(default_factory=list)
    evidence: dict[str, Evidence] = field(default_factory=dict)
    _anything_proven: bool = False
    _home_title: int | None = None
    # Last segments of paths that several folders have, each with a page of its own.
    _own_names: set[str] = field(default_factory=set)

    def note(self, target: str) -> None:
        """A page that was fetched before this memory began."""
        for text in (target, *(key.text for key in _keys(target) if not key.is_target)):
            if self._digests.get(text) is None:
                self._digests.set(text, _UNSEEN)

    def note_link(self, link: str, found_on: str) -> None:
        """A link that was not known before."""
        for idle in self._idle:
            if idle.target == found_on:
                idle.note_link(link)

    def learn(self, target: str, digest: PageDigest, links: Sequence[tuple[str, int]]) -> None:
        for idle in self._idle:
            self._weigh(idle.key, idle.target, not idle.leads_on)
        self._idle.clear()
        if not digest.content:  # what shows nothing has the digest of anything
            self.note(target)
            return
        if self._home_title is None:
            self._home_title = digest.title
        for key in _keys(target):
            seen = (
                digest if key.reason != TRAP_SESSION else digest._replace(content=_with_links(digest, links))
            )
            before = self._digests.get(key.text)
            if before is not None and before != _UNSEEN:
                same = before.content == seen.content
                if key.parameter and same and before.title == seen.title:
                    self._idle.append(_Idle(target, key))
                    continue
                # Pages that scripts fill say the same; by their titles they are told apart.
                same = not key.parameter and (
                    same or (before.is_like(seen) and self._may_only_be_like(key, seen, links))
                )
                self._weigh(key, target, same)
            if not key.is_target:
                self._digests.set(key.text, seen)
        self._digests.set(target, digest)

    def _may_only_be_like(self, key: Key, seen: PageDigest, links: Sequence[tuple[str, int]]) -> bool:
        """Whether a likeness will do, because the part that differs can hardly be what names the page."""
        if key.kind in (_ORDER, _ESCAPES):
            return True
        if key.reason == TRAP_SESSION:
            return _share_a_token(links)
        return seen.title != self._home_title  # of a site that has one title for all pages it says nothing

    def _weigh(self, key: Key, target: str, alike: bool) -> None:
        evidence = self.evidence.get(key.kind)
        if evidence is None:
            # One value of a parameter is no kind before it left a page as it was: there may be any number.
            is_one_value = bool(key.parameter) and not key.is_of_any_value
            if len(self.evidence) >= _MOST_KINDS or (is_one_value and not alike):
                return
            evidence = self.evidence[key.kind] = Evidence(key.reason, _IDLE if key.parameter else _PAIRS)
        if alike and key.parameter and len(evidence.paths) < 2:
            evidence.paths.add(target.partition("?")[0])
        if alike and key.is_of_any_value:
            if evidence.same < _MOST_KINDS:
                evidence.values.add(key.parameter)
                evidence.same = len(evidence.values)
        elif alike:
            evidence.same += 1
        else:
            evidence.differ += 1
            if key.kind == _ENDS and len(self._own_names) < _MOST_KINDS:
                self._own_names.add(_last(target))
        self._anything_proven = any(each.proven for each in self.evidence.values())

    def judge(self, target: str) -> str | None:
        """The reason if the page was fetched under another name, as far as names can tell."""
        if not self._anything_proven or self._digests.get(target) is not None:
            return None
        for key in _keys(target):
            evidence = self.evidence.get(key.kind)
            if evidence is None or not evidence.proven or self._digests.get(key.text) is None:
                continue
            if key.kind == _ENDS and _last(target) in self._own_names:
                continue
            if len(evidence.paths) == 1 and target.partition("?")[0] not in evidence.paths:
                continue
            return key.reason
        return None


def _keys(target: str) -> Iterator[Key]:
    """One key for each kind of alias that the target may be."""
    path, _, query = target.partition("?")
    if _ESCAPE.search(target):
        yield Key(_ESCAPES, _unescaped(target), TRAP_ENTITIES, is_target=True)
    kind, key = _without_sessions(path, query) if _MAYBE_SESSION.search(target) else ("", "")
    if kind:
        yield Key(kind, f"{kind} {key}", TRAP_SESSION)
    if query:
        yield from _without_parameters(path, query)
    if "&" in query:
        yield Key(_ORDER, f"order {path}?{'&'.join(sorted(set(query.split('&'))))}", TRAP_FACETS)
    elif path.count("/") > 2:
        folders = path.split("/")
        if not any(map(str.isdigit, folders)):
            yield Key(_FOLDERS, f"folders {sorted(folders)}{query}", TRAP_FACETS)
            start = path.rfind("/", 0, path.rfind("/", 0, -1))
            yield Key(_ENDS, f"end {target[start:]}", TRAP_REPEAT)
    at = path.find("/", 1) if not _last(target).isdigit() else -1
    for _ in range(_MOST_ENDS):
        if at < 0 or at == len(path) - 1:
            break
        yield Key(_ENDS, target[at:], TRAP_REPEAT, is_target=True)
        at = path.find("/", at + 1)


def _without_parameters(path: str, query: str) -> Iterator[Key]:
    """The target without each of its parameters: this value of it, and any."""
    parameters = query.split("&")
    for parameter in parameters[:_MOST_PARAMETERS]:
        rest = "&".join(one for one in parameters if one != parameter)
        bare = f"{path}?{rest}" if rest else path
        yield Key(f"parameter {parameter}", bare, TRAP_FACETS, True, parameter)
        name = parameter.partition("=")[0]
        yield Key(f"any {name}", bare, TRAP_FACETS, True, parameter, is_of_any_value=True)


def _with_links(digest: PageDigest, links: Sequence[tuple[str, int]]) -> int:
    """The content together with where the page leads, sessions apart.

    Lists and galleries may have the same few words on every page, and a random value in the address
    that tells where they go on.
    """
    led_to = sorted({_without_sessions(*link.partition("?")[::2])[1] or link for link, _ in links})
    return xxh32_intdigest("\n".join(led_to).encode(), digest.content)


def _share_a_token(links: Sequence[tuple[str, int]]) -> bool:
    """Whether one random value stands in links to several pages, as a session's does and an id's does not."""
    for link, _ in links:
        found = _ANY_TOKEN.search(link)
        if found is not None:
            return sum(found[0] in other for other, _ in links) >= _SHARED
    return False


def _last(target: str) -> str:
    return target.partition("?")[0].rstrip("/").rpartition("/")[2]


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
