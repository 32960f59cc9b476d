"""A page as a document: bytes in any charset and any state become blocks in the order of reading.

Never raises on what a page contains. Markup that could hurt the parser is contained first, the tree is
walked without recursion, and everything is bounded; a page that cannot be read is a document without blocks.

What a page hides from machines and shows to people, addresses of mail above all, is put in plain first: only
what a visitor would see, or get by a click. No script is worked out; texts in one that are joined by a sign,
turned into numbers or shifted as a known system does are read as they stand.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache, partial
from typing import Final

from ada_url import join_url
from selectolax.lexbor import LexborHTMLParser, LexborNode

from surveyor.extract.document import Block, BlockKind, Document, Link, Region
from surveyor.extract.fields import emails
from surveyor.extract.layout import density, measures, plaintext, regions, titles
from surveyor.extract.layout.boxes import Layout
from surveyor.extract.layout.walk import Walk
from surveyor.extract.lexicon import alternatives, word_set
from surveyor.extract.pdf import PdfText, read_pdf
from surveyor.extract.profile_view import ProfileView
from surveyor.extract.values import Page
from surveyor.net.charset import decode_text
from surveyor.net.markup import MAX_BYTES, contained
from surveyor.net.sniff import Kind, kind
from surveyor.words import LANGUAGES, guess_language, language_of_script

# Characters of an address that are kept.
_LONGEST_URL = 4_000
# Characters of sentences that nobody hides for good.
_HIDDEN = 1_000
# Characters of the content by which its language is guessed.
_LOOKED_AT = 8_000


def parse(page: Page, view: ProfileView) -> Document:
    """The document of a page, of a PDF file, or of plain text; an empty one of anything else."""
    found = kind(page.body, page.content_type)
    if found is Kind.PDF:
        return _of_plaintext(page, view, read_pdf(page.body))
    if found is Kind.TEXT and (page.content_type or "").lower().startswith("text/plain"):
        text, _ = decode_text(page.body[:MAX_BYTES], page.content_type)
        return _of_plaintext(page, view, PdfText("", text))
    if found.is_image or found is Kind.GZIP:
        page = replace(page, body=b"")
    return _of_markup(page, view)


def _of_plaintext(page: Page, view: ProfileView, read: PdfText | None) -> Document:
    tree = LexborHTMLParser(b"")
    if read is None:
        return Document(page, tree, None, "", None)
    blocks = plaintext.blocks_of(read.text)
    is_headed = bool(blocks) and blocks[0].kind is BlockKind.HEADING
    title = blocks[0].text if is_headed else read.title
    return Document(page, tree, _language("", blocks, view), title, None, blocks)


def _of_markup(page: Page, view: ProfileView) -> Document:
    tree = tree_of(page)
    names = titles.names_of(tree)
    layout = laid_out(tree)
    head = regions.assign(layout, names)
    site = titles.site_name(layout, head, names, page.url)
    title = titles.page_title(layout, head, names, site)
    node = tree.css_first("base[href]")
    base = (node.attributes.get("href") or "").strip() if node is not None else ""
    blocks = _blocks(layout, _joined(page.url, base) or page.url)
    values = tree.root.attributes if tree.root is not None else {}
    language = _language(values.get("lang") or values.get("xml:lang") or "", blocks, view)
    return Document(
        page, tree, language, title, site, blocks, names.description, layout.images, layout.image_count
    )


def tree_of(page: Page) -> LexborHTMLParser:
    text, _ = decode_text(page.body[: 2 * MAX_BYTES], page.content_type)
    raw, _ = contained(text.encode("utf-8", "replace"))
    tree = LexborHTMLParser(raw)
    deobfuscate(tree, raw)
    return tree


def laid_out(tree: LexborHTMLParser) -> Layout:
    """What a reader sees; all of it where that is no sentence, or where most sentences are hidden."""
    body = tree.body
    if body is None:
        return Layout()
    walk = Walk()
    seen = measures.measure(walk.through(body))
    says_nothing = not any(piece.is_prose for piece in seen.pieces)
    if walk.hidden <= (0 if says_nothing else _HIDDEN):
        return seen
    longest = density.prose_of_best(seen)
    if not says_nothing and walk.hidden <= longest:  # with all that is hidden it is not twice as long
        return seen
    whole = measures.measure(Walk(shows_hidden=True).through(body))
    return whole if says_nothing or density.prose_of_best(whole) > max(_HIDDEN, 2 * longest) else seen


def _joined(base: str, href: str) -> str | None:
    """The absolute address; None where a script runs or nothing is meant."""
    href = href.strip()
    if not href or len(href) > _LONGEST_URL or href[:11].lower() == "javascript:":
        return None
    try:
        return str(join_url(base, href))
    except ValueError:
        return None


def _blocks(layout: Layout, base: str) -> list[Block]:
    absolute = cache(partial(_joined, base))
    blocks = []
    for piece, section in zip(layout.pieces, measures.sections(layout), strict=True):
        runs = tuple((text, absolute(url) if url is not None else None) for text, url, _ in piece.runs)
        block = Block(
            piece.kind,
            piece.region,
            piece.text,
            piece.level,
            piece.cells,
            piece.is_head_row,
            tuple(Link(text.strip(), url) for text, url in runs if url is not None),
            piece.lines,
            section,
            runs,
            piece.cell_lines,
            piece.is_ordered,
            piece.in_form,
            piece.code,
        )
        blocks.append(block)
    return blocks


# Letters by which a script is told.
_LETTERS: Final = 1_000


def _language(claimed: str, blocks: list[Block], view: ProfileView) -> str | None:
    """The language of the content: what the page claims, unless it is clearly written in another."""
    code = claimed.strip().lower().replace("_", "-").partition("-")[0]
    text = " ".join(block.text for block in blocks if block.region is Region.MAIN)[:_LOOKED_AT]
    among = tuple(dict.fromkeys((*view.languages, *LANGUAGES)))
    claim = code if len(code) in (2, 3) and code.isascii() and code.isalpha() else None
    return guess_language(text, among, claim) or language_of_script(text[:_LETTERS])


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
_SIGN_PICTURES = re.compile(rf"[(\[{{]?\s?{alternatives('mail', 'sign_pictures')}\s?[)\]}}]?", re.IGNORECASE)
_SIGN_FILES = re.compile(
    r"(?:^|[/_-])(?:at|arroba|arobase|klammeraffe|at[-_]?sign|papaki)\.(?:gif|png|svg|jpe?g)", re.IGNORECASE
)
_DOT_PICTURES = re.compile(rf"[(\[{{]?\s?{alternatives('mail', 'dot_pictures')}\s?[)\]}}]?", re.IGNORECASE)
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
_ATTRIBUTES: Final = word_set(
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
    text, file = " ".join((values.get("alt") or "").split()), values.get("src") or ""
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
