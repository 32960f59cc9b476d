"""Canonical domains: one spelling for each, whatever a person or a page wrote.

Lower-case ASCII, without scheme, user info, path, final dot, leading `www.` and the ports 80
and 443. Subdomains are domains of their own unless the rules collapse them. Addresses, single
labels and public suffixes are no domains unless the rules allow hosts.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple, NewType

from surveyor.errors import NotADomain
from surveyor.names.idn import PREFIX, unicode_label
from surveyor.names.spelling import MAX_NAME, MAX_URL, Unclear, split_port, written_host

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

DomainName = NewType("DomainName", str)

# Hosts whose verdict is remembered per process: about 6 MB, and the hosts one crawl meets repeat.
_REMEMBERED_HOSTS = 16_384
# Nearly everything that is given for a domain; what does not match takes the careful way. The last
# label starts with a letter, so that no spelling of an IP address passes.
_PLAIN = re.compile(
    r"(?:https?://)?([a-z0-9_.-]{1,253}\.[a-z][a-z0-9-]{0,62})(?:[/?][ -~]*)?", re.IGNORECASE | re.ASCII
)
_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
# The browser's parser writes every IPv4 address like this, and lets no other name end in a number.
_IPV4 = re.compile(r"[0-9.]+")


@dataclass(frozen=True, slots=True)
class NameRules:
    """What counts as a domain."""

    collapse_subdomains: bool = False
    """`blog.example.com` is `example.com`."""
    allow_hosts: bool = False
    """Single labels, IP addresses and bare suffixes too: tests and intranets only."""


DEFAULT_RULES = NameRules()


class HostVerdict(NamedTuple):
    """A host without its final dot and the domain it belongs to, or the reason why it has none."""

    host: str
    domain: DomainName | None
    reason: str


def canonical_domain(text: str, rules: NameRules = DEFAULT_RULES) -> DomainName:
    """The domain that `text` names; raises NotADomain with the reason if it names none."""
    plain = _PLAIN.fullmatch(text) if len(text) <= MAX_URL else None
    try:
        host = plain[1].lower() if plain else written_host(text)
    except Unclear as unclear:
        raise NotADomain(text, str(unclear)) from None
    verdict = judge_host(host, rules.collapse_subdomains, rules.allow_hosts)
    if verdict.domain is None:
        raise NotADomain(text, verdict.reason)
    return verdict.domain


def parent_domain(domain: str) -> str:
    """The registrable domain of a canonical domain, without port; a host that has none is its own."""
    name, _ = split_port(domain)
    return name if _is_address(name) else _registrable(name) or name


@lru_cache(maxsize=_REMEMBERED_HOSTS)
def judge_host(host: str, collapse_subdomains: bool, allow_hosts: bool) -> HostVerdict:
    """The verdict on a host as the browser's parser writes it: ASCII, lower case, maybe with a port."""
    name, port = split_port(host)
    name = name.removesuffix(".")
    host = f"{name}:{port}" if port else host.removesuffix(".")
    own = None if _is_address(name) else _registrable(name)
    reason = _why_no_name(name) or _why_no_domain(name, own, allow_hosts)
    if not reason and port == "0":
        reason = "port 0 cannot be asked"
    if reason:
        return HostVerdict(host, None, reason)
    kept = name if own is None else own if collapse_subdomains else _without_www(name, own)
    return HostVerdict(host, DomainName(kept if port in {"", "80", "443"} else f"{kept}:{port}"), "")


def _without_www(name: str, own: str) -> str:
    """The name without any leading `www.`, down to `own`; dropping only one would not be stable."""
    while name != own and name.startswith("www."):
        name = name[len("www.") :]
    return name


def _is_address(name: str) -> bool:
    return name.startswith("[") or _IPV4.fullmatch(name) is not None


def _why_no_domain(name: str, own: str | None, allow_hosts: bool) -> str:
    """Why nobody can hold this name, or an empty text; `own` is its registrable domain."""
    if own is not None and "_" in own:
        return "only a subdomain may have an underscore"
    if allow_hosts:
        return ""
    if own is not None:
        return "" if _is_of_letters(name.rpartition(".")[2]) else "a top-level domain has letters only"
    if _is_address(name):
        return "it is an IP address"
    if "." not in name:
        return "it is a single label; a domain has a dot in it"
    return "it is a public suffix: names are registered under it, not this one itself"


def _is_of_letters(label: str) -> bool:
    """Whether a label could be a top-level domain; marks belong to the letters of some languages."""
    said = (unicode_label(label) or "") if label.startswith(PREFIX) else label
    return said.isalpha() or all(unicodedata.category(char)[0] in "LM" for char in said)


def _why_no_name(name: str) -> str:
    """The first rule that a name breaks, or an empty text."""
    if name.startswith("["):
        return ""
    if len(name) > MAX_NAME:
        return f"the name is longer than {MAX_NAME} characters"
    if _NAME.fullmatch(name) is None:
        return next(filter(None, map(_why_no_label, name.split("."))))
    if PREFIX in name:
        for label in name.split("."):
            if label.startswith(PREFIX) and unicode_label(label) is None:
                return f"“{label}” is not a valid international label"
    return ""


def _why_no_label(label: str) -> str:
    if not label:
        return "the name has an empty label (two dots in a row, or a dot in front)"
    if len(label) > 63:
        return "a label of the name is longer than 63 characters"
    if label.startswith("-") or label.endswith("-"):
        return "a label of the name begins or ends with a hyphen"
    odd = next((char for char in label if not (char.isalnum() or char in "-_")), "")
    return f"the name contains the character “{odd}”" if odd else ""


@lru_cache(maxsize=_REMEMBERED_HOSTS)
def _registrable(name: str) -> str | None:
    """The public suffix and one label; None if the name is no longer than its suffix."""
    own: str | None = _suffixes().privatesuffix(name)
    return own


@cache
def _suffixes() -> PublicSuffixList:
    """The bundled list, private section included. Loaded at first use: it takes 60 ms."""
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList(accept_unknown=True, only_icann=False)
