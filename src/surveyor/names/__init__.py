"""Canonical domains and URLs: values that are normal by construction, or refused with a reason.

Two spellings of one host never become two domains, and what is canonical once stays as it is.
Texts are read in two tempers. What a person or a file gives (`canonical_domain`, `parse_url`)
is refused when programs could read it differently; a link on a page (`resolve`) is read as a
browser reads it, because that is what its author tested. Either way one parser decides, and
only its serialisation goes on: nothing downstream sees the text that was written.

    canonical_domain   a domain out of anything that may be written for one
    parent_domain      the registrable domain above it
    shown_domain       its Unicode form, for people
    looks_deceptive    whether people should be warned about that form
    parse_url          a PageUrl, or the reason why not
    resolve            a PageUrl out of a page's link, or None: the hot path
    url_key            the 64-bit key of a path and query
"""

from __future__ import annotations

from surveyor.names.display import looks_deceptive, shown_domain
from surveyor.names.domains import DEFAULT_RULES, DomainName, NameRules, canonical_domain, parent_domain
from surveyor.names.urls import PageUrl, parse_url, resolve, url_key

__all__ = [
    "DEFAULT_RULES",
    "DomainName",
    "NameRules",
    "PageUrl",
    "canonical_domain",
    "looks_deceptive",
    "parent_domain",
    "parse_url",
    "resolve",
    "shown_domain",
    "url_key",
]
