"""Paths and queries in one spelling: what only tells who came from where is dropped.

The browser's parser has resolved dots and encoded what must be. On top, percent triplets are
written in capitals and in paths decoded where they stand for plain characters, and parameters
that campaigns and sessions add are dropped. Case of the path and order of parameters stay: to
a server they may mean something. All steps together are idempotent.
"""

from __future__ import annotations

import re

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
