"""What the folders of the small web say is whole: links lead somewhere, truths stand on their pages."""

from __future__ import annotations

import ast
import re
from collections import Counter
from datetime import date
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import phonenumbers
import pytest
from selectolax.lexbor import LexborHTMLParser

from surveyor import smallweb
from surveyor.errors import BadInput
from surveyor.smallweb import Expected, Site, expected, load_sites
from surveyor.smallweb.marks import written
from surveyor.smallweb.pages import inside, plain_text, render, title_of, tongue
from surveyor.smallweb.reading import load_site
from surveyor.smallweb.series import pages_of
from surveyor.smallweb.sites import LANGUAGES
from surveyor.smallweb.traps import trap_page

TODAY = date(2026, 11, 16)
SITES = load_sites()
TRUTH = {one.host: one for one in expected(sites=SITES, today=TODAY)}
# Links and pictures that lead nowhere on purpose.
DEAD = {"/brochure-2019", "/counter.gif"}
every_site = pytest.mark.parametrize("host", SITES)


def text_of(site: Site, path: str) -> str:
    page = site.pages[path]
    return f"{title_of(site, page)} {plain_text(inside(site, page, TODAY))} {site.footer}"


def test_there_is_a_few_dozen_of_them_for_every_profile_and_in_every_language() -> None:
    assert 36 <= len(SITES) <= 45
    profiles = Counter(site.profile for site in SITES.values())
    assert profiles["funding"] >= 20 and profiles["community"] >= 10 and profiles["images"] >= 4
    spoken = {page.language or site.language for site in SITES.values() for page in site.pages.values()}
    assert spoken == set(LANGUAGES)


@every_site
def test_a_site_says_what_it_is_and_its_pages_have_titles(host: str) -> None:
    site = SITES[host]
    assert host.endswith(".example"), "names that belong to nobody"
    assert site.about and "/" in site.pages
    for page in site.open_pages():
        assert page.redirect or len(title_of(site, page)) > 5, page.path


@every_site
def test_every_link_leads_somewhere(host: str) -> None:
    site = SITES[host]
    for page in site.pages.values():
        if page.kind == "pdf" or page.redirect or page.path == site.manner.shows or page.hidden:
            continue
        tree = LexborHTMLParser(render(site, page, TODAY))
        hrefs = [node.attributes["href"] or "" for node in tree.css("a[href]")]
        hrefs += [node.attributes["src"] or "" for node in tree.css("img[src]")]
        for href in hrefs:
            to = urlsplit(urljoin(f"http://{host}{page.path}", href))
            assert _exists(to.hostname or "", to.path + (f"?{to.query}" if to.query else "")), (
                page.path,
                href,
            )


def _exists(host: str, target: str) -> bool:
    site = next((site for site in SITES.values() if host in site.names), None)
    if site is None:
        return False
    shown = (page.path for page in site.open_pages())
    made = trap_page(site.manner.trap, target) is not None or target.startswith(site.manner.login or "?")
    lists = {"/login"} if site.manner.login else set()
    return target in {*shown, *site.pictures, *lists, *DEAD} or made


@pytest.mark.parametrize("host", TRUTH)
def test_what_is_true_of_a_site_stands_on_its_pages(host: str) -> None:
    site, truth = SITES[host], TRUTH[host]
    for record in truth.records:
        page = site.pages[record.page]
        text = text_of(site, record.page)
        assert not page.hidden and record.name in text, record.name
        if day := record.fields.get("deadline"):
            assert day > TODAY
            forms = {written(day, tongue(site, page), form) for form in ("long", "short")}
            assert any(form in text for form in forms), record.name
        for name in ("amount_min", "amount_max"):
            if amount := record.fields.get(name):
                assert re.search(rf"(?<!\d){_figures(amount)}(?!\d)", text), (record.name, amount)
        if phone := record.fields.get("phone"):
            assert _has_phone(text, phone), phone


def _figures(amount: int) -> str:
    """The amount with whatever stands between its thousands."""
    return f"{amount:,}".replace(",", r"[.,\s]?")


def _has_phone(text: str, phone: str) -> bool:
    assert phonenumbers.is_valid_number(phonenumbers.parse(phone))
    region = phonenumbers.region_code_for_number(phonenumbers.parse(phone))
    found = phonenumbers.PhoneNumberMatcher(text, region)
    return phone in {
        phonenumbers.format_number(one.number, phonenumbers.PhoneNumberFormat.E164) for one in found
    }


@pytest.mark.parametrize("host", [host for host, truth in TRUTH.items() if truth.contacts])
def test_contacts_stand_on_their_pages_however_hidden(host: str) -> None:
    for contact in TRUTH[host].contacts:
        text = text_of(SITES[host], contact.page)
        if contact.kind == "phone":
            assert _has_phone(text, contact.value)
        elif contact.kind == "email":
            plain = re.sub(r"\s*[\[(](?:at|ät)[\])]\s*", "@", text)
            assert contact.value in re.sub(r"\s*\[dot\]\s*", ".", plain)
        else:
            assert contact.value in text


def test_truths_are_of_every_kind() -> None:
    assert {truth.stage for truth in TRUTH.values()} == {
        "crawled", "blocked", "unreachable", "pending_crawl", "rejected", "low_confidence", "spam",
    }  # fmt: skip
    kinds = {record.kind for truth in TRUTH.values() for record in truth.records}
    assert kinds == {"funding_program", "service", "opportunity", "business", "organisation"}
    assert all(truth.decision == "approve" for truth in TRUTH.values() if truth.records)


def test_the_truth_about_one_profile_can_be_asked_for() -> None:
    told: list[Expected] = expected("images", sites=SITES, today=TODAY)
    assert [one.host for one in told] == [host for host, site in SITES.items() if site.profile == "images"]
    assert all(one.images for one in told)


def test_it_stands_on_nothing_but_words_and_errors() -> None:
    package = Path(smallweb.__path__[0])
    imported = {
        node.module
        for file in package.glob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("surveyor")
    }
    outside = {name for name in imported if name and not name.startswith("surveyor.smallweb")}
    assert outside == {"surveyor.errors", "surveyor.words"}


def test_the_docs_list_every_site_and_every_change() -> None:
    told = (Path(__file__).parents[3] / "docs" / "smallweb.md").read_text(encoding="utf-8")
    for host, site in SITES.items():
        assert f"| {host} | {TRUTH[host].stage} | {site.about} |" in told
        for change in site.changes:
            assert f"| `{change.name}` |" in told
    assert told.count(".example | ") == len(SITES)


CRAWLED = 'decision = "approve"\nstage = "crawled"\n'


@pytest.mark.parametrize(
    ("truth", "told"),
    [
        (CRAWLED + '[[contacts]]\nkind = "email"\nvalue = "x"\npage = "/no"\n', "/no is no page"),
        ('decision = "perhaps"\nstage = "crawled"\n', "does not exist"),
        ('decision = "approve"\n', "stage"),
        (
            CRAWLED + '[[records]]\nkind = "x"\nname = "x"\npage = "/"\ndeadline = "May"\n',
            "deadline is a mark",
        ),
    ],
    ids=range(4),
)
def test_a_truth_that_cannot_be_is_refused(tmp_path: Path, truth: str, told: str) -> None:
    (tmp_path / "site.toml").write_text(GOOD)
    (tmp_path / "index.md").write_text("# T\n")
    (tmp_path / "truth.toml").write_text(truth)
    with pytest.raises(BadInput, match=told):
        expected(sites={"a.example": load_site(tmp_path)})


def test_rows_become_pages_that_their_lists_lead_to() -> None:
    rows = [[str(number), f"Name {number}"] for number in range(5)]
    given = {
        "path": "/p/{slug}",
        "title": "{name}",
        "text": "# {name} {in:3d}",
        "list": "/all/",
        "per_page": 2,
    }
    told = given | {"list_title": "All", "list_text": "Text.", "columns": ["slug", "name"], "rows": rows}
    pages = {page.path: page for page in pages_of(told)}
    assert list(pages)[5:] == ["/all/", "/all/page/2", "/all/page/3"]
    assert pages["/p/3"].source == "# Name 3 {in:3d}" and pages["/p/3"].title == "Name 3"
    assert "(/p/1)" in pages["/all/"].source and "(/all/page/2)" in pages["/all/"].source
    assert "(/p/4)" in pages["/all/page/3"].source and "/page/4" not in pages["/all/page/3"].source


GOOD = 'title = "T"\nlanguage = "en"\nprofile = "funding"\n'


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"site.toml": GOOD + "colour = 3\n"}, "colour is no field of a site"),
        ({"site.toml": GOOD + "[manner]\nmood = 3\n"}, "mood is no field of a manner"),
        ({"site.toml": GOOD + '[manner]\ntrap = "pit"\n'}, "trap is one of calendar, sessions"),
        ({"site.toml": GOOD + '[manner]\nshows = "/x"\n'}, "shows names no page"),
        ({"site.toml": GOOD.replace('"en"', '"xx"')}, "language is one of"),
        ({"site.toml": "title = "}, "site.toml"),
        ({"site.toml": 'language = "en"\nprofile = "funding"\n'}, "missing"),
        ({"site.toml": GOOD, "index.txt": "x"}, "a page ends with one of"),
        ({"site.toml": GOOD, "index.md": "+++\ntitle = 1\n"}, "end with a line of +++"),
        ({"site.toml": GOOD, "a.series.toml": "columns = []\n"}, "it has no rows"),
        (
            {"site.toml": GOOD + '[changes.x]\nact = "write"\npage = "/"\nold = "no"\n', "index.md": "# T\n"},
            "nothing to write over",
        ),
        ({"site.toml": GOOD + '[changes.x]\nact = "paint"\npage = "/"\n', "index.md": "# T\n"}, "an act of"),
    ],
    ids=range(12),
)
def test_a_mistake_is_told_with_its_file(tmp_path: Path, files: dict[str, str], told: str) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=re.escape(told)) as caught:
        load_site(tmp_path)
    assert str(tmp_path) in str(caught.value)


def test_two_changes_of_one_name_are_refused(tmp_path: Path) -> None:
    for name in ("a.example", "b.example"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "site.toml").write_text(GOOD + '[changes.x]\nact = "remove"\npage = "/"\n')
        (tmp_path / name / "index.md").write_text("# T\n")
    with pytest.raises(BadInput, match="two sites have a change"):
        load_sites(tmp_path)
    with pytest.raises(BadInput, match="holds no site"):
        load_sites(tmp_path / "nowhere")
