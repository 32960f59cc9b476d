"""Canonical URLs of pages: parsed as browsers do, with everything dropped that names no other page.

`resolve` runs once per link of every page: one call into the browser's parser, one look into the
cache of hosts, and no exception for the many links that lead nowhere.

Paths and queries have one spelling. The browser's parser has resolved dots and encoded what must be. On
top, percent triplets are written in capitals and in paths decoded where they stand for plain characters,
and parameters that campaigns and sessions add are dropped. Case of the path and order of parameters stay:
to a server they may mean something. All steps together are idempotent.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ada_url import join_url, normalize_url
from xxhash import xxh3_64_intdigest

from surveyor.errors import NotADomain, NotAUrl
from surveyor.names.domains import DEFAULT_RULES, DomainName, HostVerdict, NameRules, judge_host
from surveyor.names.spelling import MAX_NAME, MAX_URL, Unclear, authority, trimmed, written_host

# Parameters that advertising and mailing services add to links on their way to a reader. A name is
# here only if its service documents it and no site could use it for content; `ref`, `source`, `cid`
# and the like are not, because they choose pages on some sites.
_TRACKING = frozenset(
    name
    for names in (
        "gclid gclsrc dclid gbraid wbraid gad_source gad_campaignid _ga _gl",  # Google
        "msclkid yclid ysclid",  # Microsoft, Yandex
        "fbclid igshid twclid ttclid li_fat_id epik",  # Facebook, Instagram, X, TikTok, LinkedIn, Pinterest
        "mc_cid mc_eid mkt_tok",  # Mailchimp, Marketo
        "_hsenc _hsmi __hstc __hssc __hsfp hsctatracking",  # HubSpot
        "vero_id vero_conv oly_anon_id oly_enc_id wickedid",  # Vero, Omeda, Wicked Reports
        "mtm_campaign mtm_keyword mtm_kwd mtm_source mtm_medium mtm_content mtm_cid mtm_group mtm_placement",
        "pk_campaign pk_keyword pk_kwd pk_source pk_medium pk_content pk_cid",  # Matomo, as above, and Piwik
    )
    for name in names.split()
)
# Session names of PHP, Java, ColdFusion, osCommerce and Zen Cart.
_SESSIONS = frozenset({"phpsessid", "jsessionid", "cfid", "cftoken", "oscsid", "zenid"})
_DROPPED = _TRACKING | _SESSIONS
# Classic ASP appends random letters to its session's name.
_DROPPED_PREFIXES = ("utm_", "aspsessionid")
# These name content on some sites (a talk's session, a story's id), so the value must tell:
# 32 hexadecimal digits and more are a hash; shorter ones may be the key of a record.
_MAYBE_SESSIONS = frozenset({"sid", "sessid", "sessionid", "session_id"})
_HASH = re.compile(r"[0-9a-f]{32,128}", re.IGNORECASE)
# Behind a dot it stays, or the rest of the segment could become `..`.
_PATH_SESSION = re.compile(r"(?<!\.)(?:;jsessionid=[^/;]*)+", re.IGNORECASE)

_SMALL_HEX = r"[0-9A-Fa-f][a-f]|[a-f][0-9A-F]"
_PLAIN_HEX = r"2[DE]|3[0-9]|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE]"
# Behind a stray percent sign nothing is decoded: the result could be read as a new triplet.
_UNTIDY_PATH = re.compile(rf"(?<!%)(?<!%[0-9A-Fa-f])%(?:{_SMALL_HEX}|{_PLAIN_HEX})")
_UNTIDY_QUERY = re.compile(rf"%(?:{_SMALL_HEX})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def tidy_target(target: str) -> str:
    """The canonical form of a path and query that the browser's parser wrote."""
    path, mark, query = target.partition("?")
    if "%" in path:
        path = _UNTIDY_PATH.sub(_plain_or_capital, path)
    if ";" in path:
        path = _PATH_SESSION.sub("", path)
    if not mark:
        return path
    if "%" in query:
        query = _UNTIDY_QUERY.sub(_capital, query)
    query = "&".join([parameter for parameter in query.split("&") if not _is_dropped(parameter)])
    return f"{path}?{query}" if query else path


def _is_dropped(parameter: str) -> bool:
    name, _, value = parameter.partition("=")
    name = name.lower()
    if name in _DROPPED or name.startswith(_DROPPED_PREFIXES):
        return True
    return name in _MAYBE_SESSIONS and _HASH.fullmatch(value) is not None


def _plain_or_capital(triplet: re.Match[str]) -> str:
    char = chr(int(triplet[0][1:], 16))
    return char if char in _UNRESERVED else triplet[0].upper()


def _capital(triplet: re.Match[str]) -> str:
    return triplet[0].upper()


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


def parse_url(text: str, rules: NameRules = DEFAULT_RULES) -> PageUrl:
    """The URL that `text` is; raises NotAUrl or NotADomain with the reason."""
    try:
        clean = trimmed(text)
        if _OWN_HOST.match(clean):
            authority(clean)
    except Unclear as unclear:
        raise NotAUrl(text, str(unclear)) from None
    if _host_is_long(clean):
        raise NotADomain(text, f"the name is longer than {MAX_NAME} characters")
    try:
        parts = _parts(normalize_url(clean), rules)
    except ValueError:
        raise _refusal(text, clean) from None
    if parts is None:
        raise NotAUrl(text, f"“{clean.partition(':')[0][:20]}:” is not http:// or https://")
    scheme, (host, domain, reason), target = parts
    if domain is None:
        raise NotADomain(text, reason)
    url = PageUrl(scheme, host, domain, target)
    if len(url.text) > MAX_URL:
        raise NotAUrl(text, f"it is longer than {MAX_URL:,} characters when encoded")
    return url


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


def _host_is_long(text: str) -> bool:
    """Whether an international host is too long to be passed on: IDNA takes quadratic time."""
    if len(text) <= MAX_NAME or text.isascii():
        return False
    found = _OWN_HOST.match(text.lstrip(_DROPPED_AROUND).translate(_DROPPED_INSIDE))
    return found is not None and len(found[1].rpartition("@")[2]) > MAX_NAME + len(".:65535")


def _refusal(text: str, clean: str) -> NotAUrl | NotADomain:
    """Why the browser's parser refused the text."""
    if not _OWN_HOST.match(clean):
        return NotAUrl(text, "write https:// or http:// in front of it")
    try:
        written_host(clean)
    except Unclear as unclear:
        return NotADomain(text, str(unclear))
    return NotAUrl(text, "browsers do not accept it")
