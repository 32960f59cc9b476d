"""Elements that hide an address of mail, and what stands in their place when they are done with."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from surveyor.extract.fields import emails
from surveyor.extract.unveil.script import LONGEST_SCRIPT, shown_texts

# Elements of each sort that are looked at.
_MOST = 200
_SCRIPT_SIGNS = re.compile(r"@|&#(?:64|x40);|\\x40|\\u0040|%40|fromCharCode|atob|mailto|lto:", re.IGNORECASE)
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
_ATTRIBUTES: Final = (
    "[data-cfemail],[data-email],[data-mail],[data-mailto],[data-user],[data-name],[data-domain],[data-enc],[data-e],"
    "[data-enc-email],[data-address],[data-contact],[data-m],[data-href],[data-link],[data-b64],[data-encoded],"
    "[data-email-encoded],[data-cipher],[data-obf],[data-value],[data-text],[data-content],[data-part1],[data-x],"
    "[data-addr],[data-reverse],[data-rot13],[data-local],[data-u],[data-code],[data-hash],[data-key],[data-info]"
)
# Elements whose attributes are the page's own business.
_DEAF: Final = frozenset(
    {"input", "form", "button", "html", "body", "script", "meta", "link", "img", "iframe", "select"}
)


def unveil(tree: LexborHTMLParser) -> None:
    """Change the tree so that hidden addresses stand in its text or its links."""
    for node in tree.css("img[alt],img[src]")[: _MOST * 5]:
        _picture(node)
    for node in tree.css(_ATTRIBUTES)[:_MOST]:
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
        data = {
            name[5:].replace("-", ""): value or ""
            for name, value in values.items()
            if name.startswith("data-")
        }
        for name in ("href", "onclick", "onmouseover", "onfocus"):
            script = (values.get(name) or "")[:LONGEST_SCRIPT]
            address = address or _of_script(script.removeprefix("javascript:"), data)
    if address is not None:
        _put(node, address)


def _of_script(script: str, data: dict[str, str]) -> str | None:
    if len(script) < 8:
        return None
    for text in shown_texts(script, data):
        address = _first(text)
        if address is not None:
            return address
    for quoted in re.findall(r"""['"]([^'"\s]{12,200})['"]""", script)[:5]:
        address = emails.of_shifted(quoted)
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
    if not _SCRIPT_SINKS.search(script) or not _SCRIPT_SIGNS.search(script):
        return
    address = _of_script(script, {})
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
    parsed = LexborHTMLParser(f'<a href="mailto:{escape(address)}">{escape(address)}</a>')
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
