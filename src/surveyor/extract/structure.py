"""What kind of page it is, by how it is made: an article, a shop's product, a form to log in, nothing.

Only signs that hold in any language, and a few words for pages that say they are not there.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final
from urllib.parse import urlsplit

from surveyor.extract.document import Document, Region
from surveyor.extract.layout.boilerplate import is_stamp
from surveyor.extract.lexicon import alternatives

# Characters of linked data that are looked at, and of content up to which a page may be an empty one.
_LINKED_DATA: Final = 100_000
_SHORT: Final = 1_200
# Of content in which "coming soon" is all there is, and of hardly any.
_VERY_SHORT, _HARDLY_ANY = 500, 80
# Blocks of a page among which its byline stands.
_TOP: Final = 60
_ARTICLE_PATH: Final = re.compile(
    rf"/(?:{alternatives('page_kinds', 'article_paths')}|\d{{4}}/\d{{1,2}})(?:/|$)|/article\d",
    re.IGNORECASE,
)
_TYPES: Final = re.compile(r'"@type"\s*:\s*(?:\[\s*)?"(\w{1,40})"')
_NOT_FOUND: Final = re.compile(alternatives("page_kinds", "not_found"), re.IGNORECASE)
_PARKED: Final = re.compile(alternatives("page_kinds", "parked"), re.IGNORECASE)


class Kind(StrEnum):
    """A kind of page that is seldom wanted."""

    ARTICLE = "reads like an article of a newspaper or a blog"
    PRODUCT = "sells a product"
    LOGIN = "asks for a password"
    MISSING = "says that there is nothing here"
    PARKED = "belongs to a domain that is for sale or not in use"
    EMPTY = "has hardly any text"


_ARTICLES: Final = frozenset(
    ("NewsArticle", "BlogPosting", "OpinionNewsArticle", "ReportageNewsArticle", "LiveBlogPosting")
)
_PRODUCTS: Final = frozenset(("Product", "ProductGroup"))


def kinds_of(document: Document, text: str) -> list[Kind]:
    """The kinds the page is, if any."""
    found = []
    scripts = document.tree.css('script[type="application/ld+json"]')
    declared = set(_TYPES.findall("\n".join(node.text() for node in scripts)[:_LINKED_DATA]))
    if declared & _ARTICLES or _is_dated_article(document):
        found.append(Kind.ARTICLE)
    if declared & _PRODUCTS or document.tree.css_first('[itemtype$="schema.org/Product"]') is not None:
        found.append(Kind.PRODUCT)
    if len(text) < _SHORT:
        if document.tree.css_first('input[type="password"]') is not None:
            found.append(Kind.LOGIN)
        if _NOT_FOUND.search(text[:_VERY_SHORT]):
            found.append(Kind.MISSING)
    if len(text) < _VERY_SHORT and _PARKED.search(text):
        found.append(Kind.PARKED)
    if len(text) < _HARDLY_ANY:
        found.append(Kind.EMPTY)
    return found


def _is_dated_article(document: Document) -> bool:
    """Two signs of: an address for articles, readers' comments, a line that tells who wrote it and when."""
    path = urlsplit(document.page.url[:2_000]).path
    comments = any(block.region is Region.COMMENTS for block in document.blocks)
    signed = any(block.region is Region.ASIDE and is_stamp(block.text) for block in document.blocks[:_TOP])
    published = document.tree.css_first('meta[property="article:published_time"]') is not None
    return (_ARTICLE_PATH.search(path) is not None) + comments + signed + published > 1
