"""A page as a document: bytes in any charset and any state become blocks in the order of reading.

Never raises on what a page contains. Markup that could hurt the parser is contained first, the tree is
walked without recursion, and everything is bounded; a page that cannot be read is a document without blocks.
"""

from __future__ import annotations

from ada_url import join_url
from selectolax.lexbor import LexborHTMLParser, LexborNode

from surveyor.extract.deobfuscate import deobfuscate
from surveyor.extract.document import Block, BlockKind, Document, Link, Region
from surveyor.extract.layout import measures, plaintext, regions, sites, titles
from surveyor.extract.layout.boxes import Layout, Piece
from surveyor.extract.layout.walk import Walk
from surveyor.extract.pdf import PdfText, read_pdf
from surveyor.extract.profile_view import ProfileView
from surveyor.extract.values import Page
from surveyor.net.charset import decode_text
from surveyor.net.markup import MAX_BYTES, contained
from surveyor.net.sniff import Kind, kind
from surveyor.words import LANGUAGES, guess_language

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
        return _of_paper(page, view, read_pdf(page.body))
    if found is Kind.TEXT and (page.content_type or "").lower().startswith("text/plain"):
        text, _ = decode_text(page.body[:MAX_BYTES], page.content_type)
        return _of_paper(page, view, PdfText("", text))
    return _of_markup(page if not found.is_image and found is not Kind.GZIP else _empty(page), view)


def _empty(page: Page) -> Page:
    return Page(page.url, b"", page.content_type, page.seen_on)


def _of_paper(page: Page, view: ProfileView, read: PdfText | None) -> Document:
    document = Document(page, LexborHTMLParser(b""), None, "", None)
    if read is None:
        return document
    document.blocks = plaintext.blocks_of(read.text)
    first = document.blocks[0] if document.blocks else None
    headed = first is not None and first.kind is BlockKind.HEADING
    document.title = first.text if first is not None and headed else read.title
    document.language = _language(None, document, view)
    return document


def _of_markup(page: Page, view: ProfileView) -> Document:
    tree = tree_of(page)
    names = titles.names_of(tree)
    layout = laid_out(tree)
    head = regions.assign(layout, names)
    site = sites.site_name(layout, head, names, page.url)
    document = Document(page, tree, None, titles.page_title(layout, head, names, site), site)
    document.description = names.description
    document.blocks = _blocks(layout, _base(tree, page.url))
    document.images = layout.images
    document.image_count = layout.image_count
    document.language = _language(tree.root, document, view)
    return document


def tree_of(page: Page) -> LexborHTMLParser:
    text, _ = decode_text(page.body[: 2 * MAX_BYTES], page.content_type)
    raw, _ = contained(text.encode("utf-8", "replace"))
    tree = LexborHTMLParser(raw)
    deobfuscate(tree, raw)
    return tree


def laid_out(tree: LexborHTMLParser) -> Layout:
    """What a reader sees; all of it where most sentences are hidden until a script shows them."""
    body = tree.body
    if body is None:
        return Layout()
    walk = Walk()
    seen = measures.measure(walk.through(body))
    longest = _longest(seen)
    least = max(_HIDDEN, 2 * longest)
    if longest + walk.hidden <= least:  # whatever is hidden, it is not enough
        return seen
    whole = measures.measure(Walk(shows_hidden=True).through(body))
    return whole if _longest(whole) > least else seen


def _longest(layout: Layout) -> int:
    return measures.largest_text(layout, 0, len(layout.pieces))


def _base(tree: LexborHTMLParser, url: str) -> str:
    node = tree.css_first("base[href]")
    written = (node.attributes.get("href") or "").strip() if node is not None else ""
    return _joined(url, written) or url


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
    known: dict[str, str | None] = {}

    def absolute(href: str) -> str | None:
        if href not in known:
            known[href] = _joined(base, href)
        return known[href]

    numbers = measures.sections(layout)
    blocks = []
    for piece, section in zip(layout.pieces, numbers, strict=True):
        runs = tuple((text, absolute(url) if url is not None else None) for text, url, _ in piece.runs)
        blocks.append(_block(piece, section, runs))
    return blocks


def _block(piece: Piece, section: int, runs: tuple[tuple[str, str | None], ...]) -> Block:
    return Block(
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
    )


def _language(html: LexborNode | None, document: Document, view: ProfileView) -> str | None:
    """The language of the content: what the page claims, unless it is clearly written in another."""
    values = html.attributes if html is not None else {}
    claimed = values.get("lang") or values.get("xml:lang") or ""
    code = claimed.strip().lower().replace("_", "-").partition("-")[0]
    text = " ".join(block.text for block in document.blocks if block.region is Region.MAIN)[:_LOOKED_AT]
    among = tuple(dict.fromkeys((*view.languages, *LANGUAGES)))
    claim = code if len(code) in (2, 3) and code.isascii() and code.isalpha() else None
    return guess_language(text, among, claim)
