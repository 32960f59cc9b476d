"""Every site answers as its site.toml says."""

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import BytesIO

import pytest
from PIL import Image

from surveyor.archive.rights import read_rights
from surveyor.smallweb import Site, load_sites
from surveyor.smallweb.answers import Answer, Answers, Request
from surveyor.smallweb.pictures import SCENES, to_bytes
from surveyor.smallweb.sites import Picture, changed

NOW = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)
SITES = load_sites()
OPEN = [host for host, site in SITES.items() if not (site.manner.away or site.manner.redirect)]


class Asker:
    def __init__(self, site: Site | str) -> None:
        self.site = SITES[site] if isinstance(site, str) else site
        self._answers = Answers(NOW)

    def __call__(self, target: str, host: str = "", headers: Mapping[str, str] = {}) -> Answer:
        name = host or self.site.origin.removeprefix("http://")
        return self._answers.answer(self.site, Request("GET", name, target, headers), NOW)


@pytest.mark.parametrize("host", OPEN)
def test_every_page_is_answered_as_its_site_behaves(host: str) -> None:
    ask, site = Asker(host), SITES[host]
    for page in site.pages.values():
        answer = ask(page.path)
        if site.manner.shows or site.manner.status != 200:
            assert answer.status == site.manner.status
        elif page.hidden:
            assert answer.status == (200 if site.manner.soft404 else 404)
        elif page.redirect:
            assert (answer.status, answer.headers["Location"]) == (page.status, page.redirect)
        else:
            assert answer.status == page.status
            assert page.kind == "pdf" or page.charset in answer.content_type


@pytest.mark.parametrize("host", OPEN)
def test_every_page_can_be_read_in_the_charset_it_names(host: str) -> None:
    ask = Asker(host)
    for page in SITES[host].open_pages():
        answer = ask(page.path)
        if page.kind != "pdf":
            text = answer.body.decode(page.charset)
            assert not re.search(r"&#\d", text), "a letter that the charset does not have"
            assert "{in:" not in text and "{ago:" not in text


def test_pages_come_in_old_charsets_too() -> None:
    charsets = {page.charset for site in SITES.values() for page in site.pages.values()}
    assert charsets == {"utf-8", "windows-1251", "iso-8859-1"}
    assert "Извор".encode("windows-1251") in Asker("fondatsia-izvor.example")("/").body


@pytest.mark.parametrize("host", [host for host, site in SITES.items() if site.manner.www != "none"])
def test_www_and_the_bare_name_are_one_site(host: str) -> None:
    ask, manner = Asker(host), SITES[host].manner
    www, bare = ask("/a?b=c", f"www.{host}"), ask("/a?b=c", host)
    if manner.www == "here":
        assert (www.status, www.headers["Location"]) == (301, f"http://{host}/a?b=c")
    elif manner.www == "home":
        assert (bare.status, bare.headers["Location"]) == (301, f"http://www.{host}/a?b=c")
    else:
        assert www.status == bare.status and "Location" not in www.headers


@pytest.mark.parametrize("host", OPEN)
def test_what_did_not_change_is_not_sent_again(host: str) -> None:
    ask, site = Asker(host), SITES[host]
    first = ask("/")
    tag, date = first.headers.get("ETag"), first.headers.get("Last-Modified")
    wanted = "none" if site.manner.status != 200 else site.manner.validators
    assert bool(tag) is (wanted in ("both", "etag"))
    assert bool(date) is (wanted in ("both", "modified"))
    if tag:
        assert ask("/", headers={"if-none-match": f'"other", {tag}'}).status == 304
        assert ask("/", headers={"if-none-match": '"other"'}).status == 200
    if date:
        assert ask("/", headers={"if-modified-since": date}).status == 304
        assert ask("/", headers={"if-modified-since": "Mon, 01 Jan 2001 00:00:00 GMT"}).status == 200
        assert ask("/", headers={"if-modified-since": "yesterday"}).status == 200


@pytest.mark.parametrize("host", ["minkultura.example", "obshtina-lipovo.example", "civic-dispatch.example"])
def test_lines_that_mean_nothing_differ_at_every_request(host: str) -> None:
    answers = Answers(NOW)
    site = SITES[host]
    request = Request("GET", site.origin.removeprefix("http://"), "/", {})
    seen = {answers.answer(site, request, NOW + timedelta(seconds=second)).body for second in range(3)}
    assert len(seen) == 3


ROBOTS = {
    "rila-horizons.example": (200, b"Disallow: /intranet/"),
    "minkultura.example": (200, b"Crawl-delay: 0.2"),
    "private-legacy.example": (200, b"Disallow: /\n"),
    "tundzha-fund.example": (500, b""),
    "danube-tech-fund.example": (404, b""),
    "trakia-fund.example": (404, b""),
}


@pytest.mark.parametrize("host", ROBOTS)
def test_robots_come_in_every_kind(host: str) -> None:
    status, text = ROBOTS[host]
    answer = Asker(host)("/robots.txt")
    assert answer.status == status and text in answer.body


def test_robots_may_begin_with_a_mark_or_never_end() -> None:
    assert Asker("obshtina-lipovo.example")("/robots.txt").body.startswith(b"\xef\xbb\xbf")
    assert len(Asker("bursa-carpati.example")("/robots.txt").body) > 500 * 1024


def test_a_sitemap_names_pages_with_their_dates() -> None:
    told = Asker("rila-horizons.example")("/sitemap.xml").body.decode()
    assert "<loc>http://rila-horizons.example/about</loc><lastmod>2026-07-19</lastmod>" in told
    assert "clean-rivers" not in told and "/apply<" not in told


def test_an_index_of_packed_sitemaps_names_every_page_once() -> None:
    ask = Asker("open-programmes.example")
    assert b"sitemap-1.xml.gz" in ask("/sitemap.xml").body
    parts = [gzip.decompress(ask(f"/sitemap-{part}.xml.gz").body).decode() for part in (1, 2)]
    listed = [line for part in parts for line in part.splitlines() if "<loc>" in line]
    pages = [page for page in ask.site.open_pages() if page.listed]
    assert len(listed) == len(set(listed)) == len(pages) > 40


def test_a_feed_names_what_was_edited_last_first() -> None:
    ask = Asker("fondation-rivages.example")
    told = ask("/actualites.rss").body.decode()
    assert told.index("/bourses<") < told.index("/appel-a-projets<") < told.index("/contact<")
    assert 'href="/actualites.rss"' in ask("/").body.decode()


def test_what_is_for_members_leads_to_a_form() -> None:
    ask = Asker("volunteer-board.example")
    answer = ask("/members/x%0d%0aA:b?c")
    assert (answer.status, answer.headers["Location"]) == (302, "/login?next=/members/x%0d%0aA:b")
    assert b'type="password"' in ask("/login").body
    assert Asker("foodbank.example")("/login").status == 404


def test_a_soft_404_says_200() -> None:
    assert Asker("danube-tech-fund.example")("/brochure-2019").status == 200
    assert Asker("foodbank.example")("/brochure-2019").status == 404


def test_a_calendar_has_a_next_month_for_ever_and_a_catalogue_a_new_session() -> None:
    ask = Asker("rhodope-archive.example")
    assert b"/calendar/2027/01" in ask("/calendar/2026/12").body
    assert ask("/calendar/2026/13").status == 404
    sessions = Asker("maple-library.example")
    first, second = sessions("/browse?sid=a").body, sessions("/browse?sid=b").body
    assert first != second and b"Choose a box" in first and b"Choose a box" in second


def test_a_challenge_and_a_parking_page_stand_at_every_address() -> None:
    challenge = Asker("spoke-bikes.example")("/anything")
    assert challenge.status == 403 and b"Just a moment" in challenge.body
    parked = Asker("old-grants.example")("/some/page?q=1")
    assert parked.status == 200 and b"is for sale" in parked.body


def test_too_many_requests_come_with_a_time_to_wait() -> None:
    answer = Asker("morava-fund.example")("/grants")
    assert (answer.status, answer.headers["Retry-After"]) == (429, "1")


def test_a_whole_site_may_lead_elsewhere() -> None:
    answer = Asker("black-sea-grants.example")("/any")
    assert (answer.status, answer.headers["Location"]) == (301, "http://rila-horizons.example/programmes/")


def test_a_document_is_a_pdf_with_its_dates() -> None:
    answer = Asker("embassy-nordmark.example")("/documents/call.pdf")
    assert answer.content_type == "application/pdf"
    assert answer.body.startswith(b"%PDF-1.4") and answer.body.endswith(b"%%EOF\n")
    assert b"Deadline for proposals: 21 December 2026, 16:00" in answer.body
    start = int(answer.body.rpartition(b"startxref\n")[2].split()[0])
    assert answer.body[start:].startswith(b"xref\n0 6\n")
    first = int(answer.body[start:].splitlines()[3].split()[0])
    assert answer.body[first:].startswith(b"1 0 obj")


def test_dates_are_american_where_the_site_is() -> None:
    assert b"by November 23, 2026" in Asker("foodbank.example")("/volunteer").body
    assert b"by 31 December 2026" in Asker("rila-horizons.example")("/").body


# -- pictures


@pytest.mark.parametrize("host", [host for host, site in SITES.items() if site.pictures])
def test_pictures_are_what_they_say(host: str) -> None:
    ask, site = Asker(host), SITES[host]
    for picture in site.pictures.values():
        answer = ask(picture.path, site.manner.assets)
        with Image.open(BytesIO(answer.body)) as image:
            assert image.size == (picture.width, picture.height)
            assert answer.content_type == Image.MIME[image.format or ""]
            if not picture.path.endswith(".png"):
                rights = read_rights(image)
                assert (rights.creator, rights.copyright) == (picture.author, picture.copyright)
                assert rights.licence == picture.licence
                assert rights.data_mining == picture.data_mining.rpartition("/")[2]


@pytest.mark.parametrize("scene", SCENES)
def test_the_same_description_is_the_same_picture(scene: str) -> None:
    one = Picture("/a.png", scene, 5, width=90, height=70)
    assert to_bytes(one) == to_bytes(replace(one)) != to_bytes(replace(one, seed=6))


def test_pictures_on_another_host_are_only_there() -> None:
    ask = Asker("assetlight.example")
    assert ask("/2024/coast.jpg").status == 404
    assert ask("/2024/coast.jpg", "cdn.assetlight.example").status == 200
    assert ask("/coast", "cdn.assetlight.example").status == 404


def test_who_does_not_want_machines_says_so_in_three_ways() -> None:
    ask = Asker("quiet-studio.example")
    assert b'<meta name="robots" content="noai">' in ask("/").body
    assert ask("/p/two.jpg").headers["X-Robots-Tag"] == "noai, noimageai"
    with Image.open(BytesIO(ask("/p/one.jpg").body)) as image:
        assert read_rights(image).data_mining == "DMI-PROHIBITED"


# -- changes


def after(name: str) -> tuple[Asker, Asker]:
    """The site before and after the change."""
    change = next(one for site in SITES.values() for one in site.changes if one.name == name)
    site = SITES[change.host]
    return Asker(site), Asker(changed(site, change))


def test_a_deadline_moves_and_the_validators_with_it() -> None:
    before, now = after("a deadline moved")
    page = "/programmes/green-schools"
    old, new = before(page), now(page)
    assert b"31 December 2026" in old.body and b"31 December 2026" not in new.body
    assert b"30 January 2027" in new.body and b'"2027-01-30"' not in old.body
    assert now(page, headers={"if-none-match": old.headers["ETag"]}).status == 200
    assert now(page, headers={"if-modified-since": old.headers["Last-Modified"]}).status == 200
    assert new.headers["Last-Modified"] == "Mon, 16 Nov 2026 09:00:01 GMT"
    assert now("/about", headers={"if-none-match": before("/about").headers["ETag"]}).status == 304


def test_a_page_goes_and_another_comes() -> None:
    before, now = after("a page gone")
    assert (before("/grantees").status, now("/grantees").status) == (200, 404)
    before, now = after("a page new")
    page = "/programmes/clean-rivers"
    assert (before(page).status, now(page).status) == (404, 200)
    assert b"clean-rivers</loc><lastmod>2026-11-16" in now("/sitemap.xml").body


def test_a_domain_gets_parked() -> None:
    before, now = after("the domain got parked")
    assert b"for sale" not in before("/scholarships").body
    assert b"may be for sale" in now("/scholarships").body and now("/mentors").status == 200


def test_opening_hours_change() -> None:
    before, now = after("opening hours changed")
    assert before("/get-food").body != now("/get-food").body
    assert b"10 a.m. to 4 p.m." in now("/get-food").body
