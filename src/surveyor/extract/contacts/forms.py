"""Forms by which a reader can reach somebody: on the page itself, or where a link of the page leads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from selectolax.lexbor import LexborNode

from surveyor.extract.document import Document, Link, Region
from surveyor.extract.lexicon import alternatives
from surveyor.words.patterns import Phrases

# Forms and links of a page that are looked at.
_MOST_FORMS = 30
_MOST_LINKS = 500
_MOST = 3

_NO_CONTACT = Phrases(
    rf"{alternatives('forms', 'no_contact')}",
)
_NAME = re.compile(rf"{alternatives('forms', 'name')}", re.IGNORECASE)
_REACH = Phrases(
    rf"{alternatives('forms', 'reach')}",
)
_MESSAGE = Phrases(
    rf"{alternatives('forms', 'message')}",
)
_VISIBLE_TYPES: Final = frozenset(
    {"", "text", "email", "tel", "url", "date", "datetime-local", "time", "number"}
)

# A link that leads to a form: to write, to apply, to be called, to refer, to book.
_FORM_LINK = Phrases(
    alternatives("forms", "link"),
)
# What a button at the top asks for all over a site is no channel of the page, unless it is for writing.
_WRITE_LINK = Phrases(
    alternatives("forms", "write"),
)
_FORM_PATH = Phrases(
    r"/(?:[\w-]*formular[\w-]*|formulaire[\w-]*|formulario[\w-]*|contact-?form\w*|[\w-]*-form|forms?|"
    r"candidater|apply/start|"
    r"bewerben|bewerbung|postuler|kandidatstvay|aplica|inscriere|referral|refer)(?:[/?.]|$)",
)
_CONTACT_PATH = Phrases(
    r"/(?:[\w-]*contact[\w-]*|[\w-]*kontakt[\w-]*|epikoin\w+|write-us|get-in-touch|contacto)(?:[/?.]|$)",
)
_FILE = re.compile(r"\.(?:pdf|docx?|xlsx?|odt|ods|rtf|zip|pptx?)(?:$|[?#])", re.IGNORECASE)


def find(document: Document, *, reachable: bool) -> list[tuple[str, str]]:
    """Addresses of pages with forms, and the words that say so; `reachable`: the page has other channels."""
    found: dict[str, str] = {}
    if any(_is_contact(node) for node in document.tree.css("form")[:_MOST_FORMS]):
        found[document.page.url] = document.title
    for link, region in _links(document):
        if len(found) < _MOST and _leads_to_form(link, region):
            found.setdefault(link.url.partition("#")[0], link.text)
    if not found and not reachable:
        contact = next((link for link, _ in _links(document) if _is_contact_page(link)), None)
        if contact is not None:
            found[contact.url.partition("#")[0]] = contact.text
    return list(found.items())


def _links(document: Document) -> Iterator[tuple[Link, Region]]:
    count, started = 0, False
    for block in document.blocks:
        started = started or block.region is Region.MAIN
        if block.region in (Region.COMMENTS, Region.TEASER, Region.NOTICE):
            continue
        for link in block.links:
            count += 1
            if count > _MOST_LINKS:
                return
            if link.url.startswith("http") and not _FILE.search(link.url):
                # A button by itself below the headline belongs to the content, whatever it looks like.
                alone = started and len(block.links) == 1 and block.region is Region.NAVIGATION
                yield link, Region.MAIN if alone else block.region


def _leads_to_form(link: Link, region: Region) -> bool:
    text = link.text
    if len(text) > 80 or _is_page_itself(link):
        return False
    if region in (Region.HEADER, Region.NAVIGATION):
        return _WRITE_LINK.are_in(text)
    if _FORM_LINK.are_in(text):
        return True
    return region is Region.MAIN and _FORM_PATH.are_in(link.url.partition("?")[0])


def _is_page_itself(link: Link) -> bool:
    return not link.text.strip()


def _is_contact_page(link: Link) -> bool:
    path = re.sub(r"^https?://[^/]*", "", link.url)
    return _CONTACT_PATH.are_in(path) and 2 < len(link.text) < 40


def _is_contact(form: LexborNode) -> bool:
    """Whether somebody could write to somebody with it."""
    values = form.attributes
    labels = " ".join(
        str(values.get(name) or "") for name in ("id", "class", "action", "role", "name", "aria-label")
    )
    if _NO_CONTACT.are_in(labels):
        return False
    fields = _fields(form)
    if fields is None:
        return False
    message = any(tag == "textarea" for tag, _ in fields)
    reach = any(_REACH.are_in(words) for _, words in fields)
    named = any(_NAME.search(words) for _, words in fields)
    asked = any(_MESSAGE.are_in(words) for _, words in fields)
    if message:
        return reach or named or asked or len(fields) > 1
    return len(fields) >= 2 and reach and (named or asked) and not _NO_CONTACT.are_in(form.text()[:2_000])


def _fields(form: LexborNode) -> list[tuple[str, str]] | None:
    """The fields a person fills in, with the words about them; None where a password or a search is asked."""
    fields: list[tuple[str, str]] = []
    for node in form.css("input,textarea,select")[:60]:
        values = node.attributes
        kind = (values.get("type") or "").lower()
        if kind in ("password", "search"):
            return None
        if node.tag == "input" and kind not in _VISIBLE_TYPES:
            continue
        words = [
            kind,
            *(values.get(name) or "" for name in ("name", "id", "placeholder", "aria-label", "autocomplete")),
        ]
        fields.append((node.tag or "", " ".join(words)))
    labels = " ".join(label.text() for label in form.css("label")[:30])[:1_000]
    return [*fields[:-1], (fields[-1][0], f"{fields[-1][1]} {labels}")] if fields else None
