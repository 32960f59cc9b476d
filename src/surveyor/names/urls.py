"""Canonical URLs of pages: parsed as browsers do, with everything dropped that names no other page.

`resolve` runs once per link of every page: one call into the browser's parser, one look into the
cache of hosts, and no exception for the many links that lead nowhere.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ada_url import join_url, normalize_url
from xxhash import xxh3_64_intdigest

from surveyor.errors import NotADomain, NotAUrl
from surveyor.names.domains import DEFAULT_RULES, DomainName, HostVerdict, NameRules, judge_host
from surveyor.names.spelling import MAX_NAME, MAX_URL, Unclear, authority, trimmed, written_host
from surveyor.names.targets import tidy_target

# How a text begins that does not take its host from the page it stands on, and then user info, host
# and port. Browsers do not mind how many slashes there are, or which.
_OWN_HOST = re.compile(r"(?:[a-z][a-z0-9+.-]*:[/\\]*|[/\\]{2,})([^/\\?#]*)", re.IGNORECASE | re.ASCII)
# What browsers drop from a link before they read it: blanks and control characters around, these inside.
_DROPPED_AROUND = "".join(map(chr, range(0x21)))
_DROPPED_INSIDE = {ord(char): None for char in "\t\r\n"}


class PageUrl(NamedTuple):
    """A canonical http(s) URL."""

    scheme: str
    host: str
    """As a browser asks for it: lower-case ASCII, with `www.` and a port that is not the scheme's."""
    domain: DomainName
    target: str
    """Path and query."""

    @property
    def text(self) -> str:
        return f"{self.scheme}://{self.host}{self.target}"


def parse_url(text: str, base: str | None = None, rules: NameRules = DEFAULT_RULES) -> PageUrl:
    """The URL that `text` is, seen from `base` if given; raises NotAUrl or NotADomain with the reason."""
    try:
        clean = trimmed(text)
        if _OWN_HOST.match(clean):
            authority(clean)
    except Unclear as unclear:
        raise NotAUrl(text, str(unclear)) from None
    if _host_is_long(clean):
        raise NotADomain(text, f"the name is longer than {MAX_NAME} characters")
    try:
        parts = _parts(normalize_url(clean) if base is None else join_url(base, clean), rules)
    except ValueError:
        raise _refusal(text, clean, base) from None
    if parts is None:
        scheme = clean.partition(":")[0][:20]
        raise NotAUrl(text, f"“{scheme}:” is not http:// or https://")
    return _judged(text, *parts)


def resolve(base: str, href: str, rules: NameRules = DEFAULT_RULES) -> PageUrl | None:
    """Where a link on the page `base` leads; None if that is no http(s) URL of a valid domain."""
    if len(href) > MAX_URL or _host_is_long(href):
        return None
    try:
        parts = _parts(join_url(base, href), rules)
    except ValueError:
        return None
    if parts is None:
        return None
    scheme, (host, domain, _), target = parts
    if domain is None or len(target) + len(host) + len(scheme) + 3 > MAX_URL:
        return None
    return PageUrl(scheme, host, domain, target)


def url_key(target: str) -> int:
    """The key of a path and query within its domain: xxh3 as a signed 64-bit integer."""
    key = xxh3_64_intdigest(target.encode())
    return key - (1 << 64) if key >> 63 else key


def _parts(href: str, rules: NameRules) -> tuple[str, HostVerdict, str] | None:
    """Scheme, host and target of what the browser's parser wrote; None if it is not http(s)."""
    if href.startswith("https://"):
        scheme, start = "https", 8
    elif href.startswith("http://"):
        scheme, start = "http", 7
    else:
        return None
    slash = href.index("/", start)
    host = href[start:slash]
    if "@" in host:
        host = host[host.rindex("@") + 1 :]
    target = href[slash:]
    if "#" in target:
        target = target[: target.index("#")]
    return scheme, judge_host(host, rules.collapse_subdomains, rules.allow_hosts), tidy_target(target)


def _judged(text: str, scheme: str, verdict: HostVerdict, target: str) -> PageUrl:
    if verdict.domain is None:
        raise NotADomain(text, verdict.reason)
    url = PageUrl(scheme, verdict.host, verdict.domain, target)
    if len(url.text) > MAX_URL:
        raise NotAUrl(text, f"it is longer than {MAX_URL:,} characters when encoded")
    return url


def _host_is_long(text: str) -> bool:
    """Whether an international host is too long to be handed on: IDNA takes quadratic time."""
    if len(text) <= MAX_NAME or text.isascii():
        return False
    found = _OWN_HOST.match(text.lstrip(_DROPPED_AROUND).translate(_DROPPED_INSIDE))
    return found is not None and len(found[1].rpartition("@")[2]) > MAX_NAME + len(".:65535")


def _refusal(text: str, clean: str, base: str | None) -> NotAUrl | NotADomain:
    """Why the browser's parser refused the text."""
    if not _OWN_HOST.match(clean):
        if base is None:
            return NotAUrl(text, "write https:// or http:// in front of it")
        return NotAUrl(text, "it does not lead anywhere from the page it stands on")
    try:
        written_host(clean)
    except Unclear as unclear:
        return NotADomain(text, str(unclear))
    return NotAUrl(text, "browsers do not accept it")
