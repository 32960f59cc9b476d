"""Forms by which a reader can reach somebody: on the page itself, or where a link of the page leads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from selectolax.lexbor import LexborNode

from surveyor.extract.document import Document, Link, Region
from surveyor.words.patterns import Phrases

# Forms and links of a page that are looked at.
_MOST_FORMS = 30
_MOST_LINKS = 500
_MOST = 3

_NO_CONTACT = Phrases(
    r"search|such|recherche|cerca|tarsene|търс|login|log-in|signin|sign-in|auth|anmeld|newsletter|subscri|"
    r"mc4wp|mailchimp|abonn|"
    r"cookie|consent|comment|kommentar|cart|basket|panier|warenkorb|checkout|filter|facet|sort|language|lang|"
    r"currency|poll|"
    r"vote|rating|review|password|register|coupon|voucher|quantity|add-to",
)
_NAME = re.compile(r"name|nom\b|nume|име|όνομα|nombre|vorname|prénom|apellido|familia|фамилия", re.IGNORECASE)
_REACH = Phrases(
    r"mail|phone|tel|mobil|телефон|поща|τηλ|correo|handy|téléphone|rückruf|callback|address|adresse",
)
_MESSAGE = Phrases(
    r"message|nachricht|question|frage|comment|subject|betreff|съобщение|въпрос|mesaj|μήνυμα|mensaje|"
    r"anliegen",
)
_VISIBLE_TYPES: Final = frozenset(
    {"", "text", "email", "tel", "url", "date", "datetime-local", "time", "number"}
)

# A link that leads to a form: to write, to apply, to be called, to refer, to book.
_FORM_LINK = Phrases(
    r"\b(?:contact|application|online|enquiry|inquiry|referral|request|booking|registration|short|web|"
    r"feedback|intake|sign-?up|entry|"
    r"nomination|reservation) form\b|\bform\b.{0,12}\bonline\b|\bapply (?:online|here|now|today|"
    r"through the portal)\b|"
    r"\bonline application\b|\bstart (?:your|an|the) application\b|\brefer\b.{0,40}\bonline\b|"
    r"\brequest (?:a quote|an appointment|a call)\b|"
    r"\bbook (?:an? appointment|online|a slot|a table|now)\b|\bfill (?:in|out) (?:the|our|this) form\b|"
    r"\bsign up (?:online|here)\b|"
    r"kontaktformular|antragsformular|online-?formular|online-?antrag|anmeldeformular|bewerbungsformular|"
    r"zum formular|"
    r"jetzt bewerben|online bewerben|online beantragen|jetzt beantragen|online einreichen|anfrageformular|"
    r"zum antrag|jetzt anmelden|"
    r"formulaire (?:de contact|en ligne|de candidature|d.inscription|de demande)|je candidate|candidater|"
    r"postuler|"
    r"déposer (?:un|votre|mon) (?:dossier|candidature|demande)|faire une demande en ligne|demander un devis|"
    r"s.inscrire en ligne|"
    r"форм(?:а|ата|уляр\w{0,2}) за (?:контакт\w?|кандидатстване|връзка|запитване|регистрация|записване|"
    r"заявк\w)|"
    r"онлайн (?:форма|формуляр|кандидатстване|заявка|заявление)|кандидатствай(?:те)? (?:онлайн|тук|сега)|"
    r"подай(?:те)? онлайн|"
    r"запитване|електронен формуляр|формуляр\w{0,2}$|"
    r"formular(?:ul)? (?:de contact|online|de înscriere|de aplicare|de candidatură)|aplică (?:online|acum|"
    r"aici)|"
    r"înscrie-te (?:online|aici|acum)|înscriere online|cere(?:ți)? ofert[aă]|solicit[aă] (?:o )?ofert[aă]|"
    r"depune (?:cererea|online)|"
    r"φόρμα (?:επικοινωνίας|αίτησης|συμμετοχής|εγγραφής)|ηλεκτρονική (?:αίτηση|φόρμα|υποβολή)|"
    r"υποβολή αίτησης|υποβάλετε αίτηση|"
    r"αίτηση online|online αίτηση|"
    r"formulario (?:de contacto|en línea|de solicitud|de inscripción)|solicitar (?:cita|online|en línea)|"
    r"solicitud en línea|"
    r"pedir cita|inscríbete|inscribirse (?:aquí|en línea)|zum kontaktformular|"
    r"schreiben sie uns eine nachricht",
)
# What a button at the top asks for all over a site is no channel of the page, unless it is for writing.
_WRITE_LINK = Phrases(
    r"contact form|kontaktformular|formulaire de contact|форма за (?:контакт|връзка|запитване)|"
    r"formular de contact|"
    r"φόρμα επικοινωνίας|formulario de contacto|request a quote|cere(?:ți)? ofert[aă]|"
    r"solicit[aă] (?:o )?ofert[aă]|demander un devis|"
    r"angebot anfordern|запитване",
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
