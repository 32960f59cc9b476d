"""Puts in plain what a page hides from machines and shows to people: addresses of mail, above all.

Only what a visitor would see, or get by a click, is put in. No script is worked out; texts in one that are
joined by a sign, turned into numbers or shifted as a known system does are read as they stand.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from surveyor.extract.fields import emails
from surveyor.extract.fields.normalize import words

# Characters of a script that is looked at; those that write an address are short.
LONGEST_SCRIPT: Final = 6_000
# Texts that a script joins, and signs it writes as numbers.
_JOINED: Final = re.compile(r"""(?P<quote>['"])\s{0,5}\+\s{0,5}['"]""")
_NUMBERED: Final = re.compile(r"\\(?:x|u00)([0-9a-fA-F]{2})")
_SIGN_CODE: Final = re.compile(r"String\.fromCharCode\(64\)")
_QUOTES: Final = re.compile(r"""['"]""")
# Elements of each sort that are looked at.
_MOST = 200
_SCRIPT_SIGNS = re.compile(
    r"@|&#(?:64|x40);|\\x40|\\u0040|%40|fromCharCode|mailto|lto:|UnCrypt", re.IGNORECASE
)
_SCRIPT_SINKS = re.compile(r"\.write|HTML|\.href|\.append|\.text|\.html|setAttribute|location")
# Pictures of the sign: what their text or the name of their file may be.
_SIGN_PICTURES = re.compile(
    r"\s*[(\[{]?\s*(?:@|at|ät|a|arroba|arobase|arond|кльомба|παπάκι|klammeraffe|at[- ]?sign)\s*[)\]}]?\s*",
    re.IGNORECASE,
)
_SIGN_FILES = re.compile(
    r"(?:^|[/_-])(?:at|arroba|arobase|klammeraffe|at[-_]?sign|papaki)\.(?:gif|png|svg|jpe?g)", re.IGNORECASE
)
_DOT_PICTURES = re.compile(
    r"\s*[(\[{]?\s*(?:\.|dot|punkt|point|punct|punto|точка)\s*[)\]}]?\s*", re.IGNORECASE
)
_BACKWARDS = re.compile(r"bidi-override|direction\s{0,3}:\s{0,3}rtl", re.IGNORECASE)
_BACKWARDS_RULE = re.compile(
    r"[.#]([\w-]{1,60})\s{0,5}\{[^{}]{0,200}?(?:bidi-override|direction\s{0,3}:\s{0,3}rtl)", re.IGNORECASE
)
# Parts of an address in attributes of their own, by what these are usually called.
_USER_NAMES: Final = frozenset(
    {"user", "name", "local", "localpart", "account", "u", "mailuser", "before", "part1", "n", "to"}
)
_HOST_NAMES: Final = frozenset(
    {"domain", "host", "site", "server", "d", "maildomain", "after", "part2", "at"}
)
_END_NAMES: Final = frozenset({"tld", "ext", "suffix", "t", "part3", "zone"})
_ATTRIBUTES: Final = words(
    "cfemail email mail mailto user name domain enc e enc-email address contact m href link b64 "
    "encoded email-encoded cipher obf value text content part1 x addr reverse rot13 local u code "
    "hash key info "
)
_DATA_NAME: Final = re.compile(rb"data-([a-z0-9-]{1,20})")
# Elements whose attributes are the page's own business.
_DEAF: Final = frozenset(
    {"input", "form", "button", "html", "body", "script", "meta", "link", "img", "iframe", "select"}
)


def deobfuscate(tree: LexborHTMLParser, raw: bytes) -> None:
    """Change the tree of these bytes so that hidden addresses stand in its text or its links."""
    for node in tree.css("img[alt],img[src]")[: _MOST * 5]:
        _picture(node)
    # A selector with thirty attributes takes longer than the whole parse; most pages have none of them.
    named = {name.decode() for name in _DATA_NAME.findall(raw.lower())} & _ATTRIBUTES
    for node in tree.css(",".join(f"[data-{name}]" for name in sorted(named)))[:_MOST] if named else ():
        _attributes(node)
    for node in tree.css(
        'a[href*="email-protection"],a[href^="javascript:"],[onclick],[onmouseover],[onfocus]'
    )[:_MOST]:
        _link(node)
    for node in tree.css("script:not([src])")[:_MOST]:
        _script(node)
    _backwards(tree)


def _picture(node: LexborNode) -> None:
    values = node.attributes
    text, file = values.get("alt") or "", values.get("src") or ""
    if _SIGN_PICTURES.fullmatch(text) or (len(text) < 3 and _SIGN_FILES.search(file)):
        node.replace_with("@")
    elif _DOT_PICTURES.fullmatch(text):
        node.replace_with(".")


def _attributes(node: LexborNode) -> None:
    if node.tag in _DEAF:
        return
    values = {
        name[5:]: value for name, value in node.attributes.items() if name.startswith("data-") and value
    }
    address = emails.of_proxy(values.get("cfemail", "")) or _of_parts(values)
    for value in values.values():
        address = address or emails.of_attribute(value)
    if address is not None:
        _put(node, address)


def _of_parts(values: dict[str, str]) -> str | None:
    def one(names: Iterable[str]) -> str:
        return next((values[name].strip(" @.") for name in values if name in names), "")

    user, host, end = one(_USER_NAMES), one(_HOST_NAMES), one(_END_NAMES)
    if not user or not host:
        return None
    return emails.valid(f"{user}@{host}.{end}" if end else f"{user}@{host}")


def _link(node: LexborNode) -> None:
    values = node.attributes
    href = values.get("href") or ""
    _, _, code = href.partition("email-protection#")
    address = emails.of_proxy(code) if code else None
    if address is None:
        for name in ("href", "onclick", "onmouseover", "onfocus"):
            script = (values.get(name) or "")[:LONGEST_SCRIPT]
            address = address or _of_script(script.removeprefix("javascript:"))
    if address is not None:
        _put(node, address)


def _of_script(script: str) -> str | None:
    if len(script) < 8 or not _SCRIPT_SIGNS.search(script):
        return None
    plain = _SIGN_CODE.sub("'@'", html.unescape(script))
    joined = _JOINED.sub("", _NUMBERED.sub(lambda found: chr(int(found[1], 16)), plain))
    for text in _QUOTES.split(joined, maxsplit=60):
        address = _first(text.removeprefix("mailto:")) or emails.of_shifted(text)
        if address is not None:
            return address
    return None


def _first(text: str) -> str | None:
    found = emails.find(text.replace("%40", "@"))
    return found[0].value if found else None


def _script(node: LexborNode) -> None:
    kind = node.attributes.get("type") or "text/javascript"
    script = node.text()
    if "javascript" not in kind or len(script) > LONGEST_SCRIPT:
        return
    if not _SCRIPT_SINKS.search(script):
        return
    address = _of_script(script)
    if address is not None:
        node.insert_before(f" {address} ")


def _put(node: LexborNode, address: str) -> None:
    """Let a link lead to the address; where its text says nothing of it, or nothing at all, say it."""
    if node.tag == "a":
        node.attrs["href"] = f"mailto:{address}"
    text = node.text(strip=True)
    if address in emails.unmasked(text).lower():
        return
    if node.tag != "a" or not text or "protected" in text or "@" in text:
        node.replace_with(_element(address))


def _element(address: str) -> LexborNode | str:
    parsed = LexborHTMLParser(f'<a href="mailto:{html.escape(address)}">{html.escape(address)}</a>')
    return parsed.css_first("a") or address


def _backwards(tree: LexborHTMLParser) -> None:
    """Turn the text round where a style does so."""
    classes = {
        name
        for style in tree.css("style")[:50]
        for name in _BACKWARDS_RULE.findall(style.text()[:50_000])[:20]
    }
    selectors = ['[style*="rtl"]', '[style*="bidi-override"]', 'bdo[dir="rtl"]']
    selectors += [f'[class~="{name}"],[id="{name}"]' for name in sorted(classes)]
    for node in tree.css(",".join(selectors))[:_MOST]:
        text = " ".join(node.text().split())
        style = node.attributes.get("style") or ""
        if text and len(text) < 300 and (node.tag == "bdo" or classes or _BACKWARDS.search(style)):
            turned = text[::-1]
            if emails.find(turned):
                node.replace_with(f" {turned} ")
