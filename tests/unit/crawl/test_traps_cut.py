"""Eight kinds of traps beside 200 real pages: nearly all of these are found, and the trap costs little."""

from __future__ import annotations

import itertools
import random
from urllib.parse import parse_qsl, urlencode

import pytest

from tests.unit.crawl.trap_sites import WORDS, Outcome, Site, crawl, page, plain_site, prose

MONTHS = ("Jan", "Feb", "March", "April", "May", "June", "July", "Aug", "Sept", "Oct", "Nov", "Dec")


def proven(out: Outcome, reason: str) -> None:
    """Nearly every real page was found, and the trap took little."""
    assert out.found >= 0.95
    assert out.wasted < 300
    assert reason in out.reasons


def calendar(dated_by: str) -> Site:
    """Months and days without end; a few months have an event, with a page of its own."""
    base = plain_site(180, lambda target: [_month(2024, 5, dated_by)])
    events = {(2024, month): f"/event/{WORDS[100 + month]}" for month in range(1, 13)} | {
        (2025, month): f"/event/{WORDS[200 + month]}" for month in range(1, 9)
    }

    def answer(target: str) -> str | None:
        if target in events.values():
            return page(prose(target, 4), ["/"], prose(target))
        found = _date(target, dated_by)
        if found is None:
            return base.answer(target)
        year, month, day = found
        around = [
            (year, month - 1) if month > 1 else (year - 1, 12),
            (year, month + 1) if month < 12 else (year + 1, 1),
        ]
        links = [_month(*each, dated_by) for each in around]
        links += [_month(year, month, dated_by, each) for each in range(1, 29)]
        event = events.get((year, month))
        title = f"{day or ''} {MONTHS[month - 1]} {year}"
        return page(
            title, [*links, event] if event else links, "Mon Tue Wed Thu Fri Sat Sun", "Nothing planned"
        )

    return Site(answer, base.real | frozenset(events.values()))


def _month(year: int, month: int, dated_by: str, day: int | None = None) -> str:
    if dated_by == "path":
        return f"/calendar/{year}/{month:02}" + (f"/{day:02}" if day else "")
    if dated_by == "date":
        return f"/agenda?date={year}-{month:02}-{day or 1:02}" + ("" if day else "&view=month")
    return f"/events.php?year={year}&month={month}" + (f"&day={day}" if day else "")


def _date(target: str, dated_by: str) -> tuple[int, int, int | None] | None:
    if not target.startswith(("/calendar/", "/agenda?", "/events.php?")):
        return None
    if dated_by == "path":
        numbers = [int(part) for part in target.split("/")[2:]]
    elif dated_by == "date":
        values = dict(parse_qsl(target.partition("?")[2]))
        numbers = [int(part) for part in values["date"].split("-")][: 2 if "view" in values else 3]
    else:
        numbers = [int(value) for _, value in parse_qsl(target.partition("?")[2])]
    return numbers[0], numbers[1], numbers[2] if len(numbers) > 2 else None


@pytest.mark.parametrize("dated_by", ["path", "date", "numbers"])
def test_an_endless_calendar_is_cut(dated_by: str) -> None:
    proven(crawl(calendar(dated_by)), "trap_calendar")


def sessions(where: str) -> Site:
    """Every answer has links with an id of its own; real pages are reached in no other way."""
    base = plain_site()
    count = itertools.count()

    def bare(target: str) -> str:
        if where == "query":
            return target.partition("?")[0]
        return target[target.index("))") + 2 :] if "))" in target else target

    def answer(target: str) -> str | None:
        html = base.answer(bare(target))
        if html is None:
            return None
        id_ = "".join(random.Random(next(count)).choices("0123456789abcdef", k=20))
        if where == "query":
            return html.replace('/"', f'/?visit={id_}"').replace('.html"', f'.html?visit={id_}"')
        return html.replace('href="/', f'href="/(S({id_}))/')

    return Site(answer, base.real, bare)


@pytest.mark.parametrize("where", ["query", "path"])
def test_session_ids_are_cut_and_each_page_is_fetched_once(where: str) -> None:
    proven(crawl(sessions(where)), "trap_session")


def test_folders_that_hold_themselves_are_cut() -> None:
    base = plain_site(extra=lambda target: ["/files/"])

    def answer(target: str) -> str | None:
        if target.startswith("/files/"):
            return page("Index of files", ["files/", "old/", "../"], f"Folder {target}", "Parent directory")
        return base.answer(target)

    proven(crawl(Site(answer, base.real)), "trap_repeat")


def piling() -> Site:
    """Links lack their leading slash, and the server looks at the end of the path only."""
    base = plain_site()
    names = {target.rstrip("/").rpartition("/")[2]: target for target in base.real}

    def name(target: str) -> str:
        return names.get(target.rstrip("/").rpartition("/")[2], "")

    def answer(target: str) -> str | None:
        html = base.answer(name(target))
        return html and html.replace('href="/', 'href="')

    return Site(answer, base.real, name)


def test_relative_links_that_pile_up_are_cut() -> None:
    proven(crawl(piling()), "trap_repeat")


FACETS = {
    "color": ["red", "blue", "green", "black", "white"],
    "size": ["36", "38", "40", "42", "44"],
    "brand": ["alto", "bravo", "celso", "delta", "enno"],
    "material": ["wool", "silk", "linen", "hemp"],
    "sort": ["price", "name", "rating"],
}


def shop(style: str) -> Site:
    """100 products, and a list of them for each combination of filters, in any order."""
    base = plain_site(100, lambda target: ["/shop/"])
    products = {
        f"/item/{WORDS[300 + number]}-{number}": {
            facet: values[number * step % len(values)]
            for step, (facet, values) in enumerate(FACETS.items(), 1)
            if facet != "sort"
        }
        for number in range(100)
    }

    def parts(target: str) -> list[tuple[str, str]]:
        if style == "query":
            return parse_qsl(target.partition("?")[2])
        folders = target.removeprefix("/shop/").strip("/").split("/")
        return [tuple(each.split("-", 1)) for each in folders if each]  # type: ignore[misc]

    def spelled(chosen: list[tuple[str, str]]) -> str:
        if style == "query":
            return "/shop/?" + urlencode(chosen) if chosen else "/shop/"
        return "/shop/" + "".join(f"{facet}-{value}/" for facet, value in chosen)

    def answer(target: str) -> str | None:
        if target in products:
            return page(prose(target, 4), ["/shop/"], prose(target, 30))
        if not target.startswith("/shop/"):
            return base.answer(target)
        chosen = parts(target)
        links = [
            spelled([*[pair for pair in chosen if pair[0] != facet], (facet, value)])
            for facet, values in FACETS.items()
            for value in values
        ]
        shown = [name for name, has in products.items() if all(has.get(f, v) == v for f, v in chosen)]
        title = "Shop " + ", ".join(f"{facet} {value}" for facet, value in chosen)
        return page(
            title, [*shown[:20], *links], f"{len(shown)} products", *[prose(name, 4) for name in shown[:20]]
        )

    return Site(answer, base.real | frozenset({"/shop/"}) | frozenset(products))


@pytest.mark.parametrize("style", ["query", "path"])
def test_combinations_of_filters_are_cut(style: str) -> None:
    out = crawl(shop(style))
    assert out.found >= 0.95
    assert out.wasted < 300
    assert out.reasons & {"trap_facets", "trap_pattern"}


def test_a_year_among_the_filters_makes_no_calendar_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FACETS, "year", [str(year) for year in range(2000, 2027)])
    out = crawl(shop("query"))
    assert "trap_facets" in out.reasons
    assert "trap_calendar" not in out.reasons


@pytest.mark.parametrize("escape", ["amp", "percent"])
def test_escapes_that_grow_are_cut(escape: str) -> None:
    """Each page links to itself for printing, and escapes its own address once too often."""
    base = plain_site(100, extra=lambda target: [f"{target}?lang=en&style=a%26b"])
    real = base.real | {f"{target}?lang=en&style=a%26b" for target in base.real}

    def answer(target: str) -> str | None:
        path, mark, query = target.partition("?")
        html = base.answer(path)
        if html is None or not mark:
            return html
        grown = query.replace("&", "&amp;") if escape == "amp" else query.replace("%", "%25")
        return html.replace("</h1>", f'</h1><a href="{path}?{grown.replace("&", "&amp;")}">Print</a>')

    proven(crawl(Site(answer, real)), "trap_entities")


def anything_goes(*, echoes: bool) -> Site:
    """200 for every target, with links to more of them; the text names the target or does not."""
    base = plain_site(extra=lambda target: ["/gone/first", "/gone/second"])

    def answer(target: str) -> str | None:
        html = base.answer(target)
        if html is not None:
            return html
        rng = random.Random(target)
        links = [f"/gone/{rng.choice(WORDS)}-{rng.choice(WORDS)}" for _ in range(10)]
        anchors = "".join(f'<a href="{link}">more</a>' for link in links)
        told = f"We looked for {target} everywhere." if echoes else "We looked everywhere."
        return page("Sorry", [], "This page does not exist any more.", told) + anchors

    return Site(answer, base.real)


@pytest.mark.parametrize("echoes", [False, True])
def test_a_site_that_answers_everything_is_found_out_by_the_probe(echoes: bool) -> None:
    out = crawl(anything_goes(echoes=echoes))
    assert out.found >= 0.95
    assert out.wasted < 10
    assert out.soft


def test_a_site_that_answers_everything_is_found_out_without_the_probe_too() -> None:
    proven(crawl(anything_goes(echoes=False), probe=False), "trap_soft404")


def test_names_made_up_below_the_domain_are_not_followed_and_their_number_is_bounded() -> None:
    def extra(target: str) -> list[str]:
        rng = random.Random(target)
        return [f"https://{rng.choice(WORDS)}{rng.randrange(10**6)}.example.org/" for _ in range(10)]

    out = crawl(plain_site(extra=extra))
    assert out.found == 1
    assert out.wasted == 0
    assert out.foreign[None] <= 210
    assert out.foreign["trap_wildcard"] > 1_000
    assert not out.cut


def test_pages_of_a_list_that_never_end_are_cut() -> None:
    base = plain_site(extra=lambda target: ["/list?page=1"])

    def answer(target: str) -> str | None:
        if not target.startswith("/list?page="):
            return base.answer(target)
        number = int(target.partition("=")[2])
        return page(
            "List", [f"/list?page={number + 1}"], prose(target, 9) if number < 6 else "No more results"
        )

    out = crawl(Site(answer, base.real))
    assert (out.found, out.wasted < 50) == (1, True)
    assert out.reasons <= {"trap_soft404", "trap_pattern"}
    assert out.cut


def ticking(site: Site) -> Site:
    """The same site with a clock on every page, so that no two answers are equal."""
    count = itertools.count()

    def answer(target: str) -> str | None:
        html = site.answer(target)
        return html and html.replace("</h1>", f"</h1><p>This page was made at {next(count)}.</p>")

    return Site(answer, site.real, site.name)


def test_a_clock_on_every_page_does_not_hide_a_trap() -> None:
    proven(crawl(ticking(sessions("query"))), "trap_session")
    proven(crawl(ticking(piling())), "trap_repeat")
    proven(crawl(ticking(calendar("path"))), "trap_calendar")


def test_a_calendar_in_two_parts_of_the_site_is_cut() -> None:
    """Months lead to days elsewhere, and days back to months."""
    base = plain_site(extra=lambda target: ["/month/2024-05"])

    def answer(target: str) -> str | None:
        kind, _, date = target[1:].partition("/")
        if kind not in ("month", "day"):
            return base.answer(target)
        number = int(date[:4]) * 12 + int(date[5:7]) - 1
        months = [f"{each // 12}-{each % 12 + 1:02}" for each in (number - 1, number, number + 1)]
        days = [f"/day/{months[1]}-{day:02}" for day in range(1, 29)]
        return page(
            f"{MONTHS[number % 12]} {number // 12}",
            [*(f"/month/{each}" for each in months), *days],
            "No events",
        )

    proven(crawl(Site(answer, base.real)), "trap_calendar")


CLOSED = '<meta name="robots" content="noindex,nofollow">'
TOOLS = (
    "/index.php?title={}&action=info",
    "/index.php?title={}&oldid=7",
    "/index.php/Special:WhatLinksHere/{}",
    "/index.php?title=Special:UserLogin&returnto={}",
)


def wiki(closed: str, pages: int = 150) -> Site:
    names = [f"{WORDS[number]}-{number}" for number in range(pages)]
    real = frozenset(f"/index.php/{name}" for name in names)
    tools = {tool.format(name) for tool in TOOLS for name in names}

    def answer(target: str) -> str | None:
        if target == "/":
            return page("Wiki", sorted(real), prose("wiki"))
        if target in real:
            name = target.rpartition("/")[2]
            return page(name, [tool.format(name) for tool in TOOLS], prose(target))
        return closed + page("Tool", [], prose(target, 8)) if target in tools else None

    return Site(answer, real)


def test_tools_of_a_wiki_that_are_closed_to_robots_are_left_out() -> None:
    out = crawl(wiki(CLOSED))
    assert out.found == 1.0
    assert out.reasons == {"closed_pattern"}
    assert out.wasted < 0.1 * out.cut["closed_pattern"]


def test_pages_that_may_be_followed_are_not_left_out_for_not_being_kept() -> None:
    assert "closed_pattern" not in crawl(wiki('<meta name="robots" content="noindex">')).reasons


def test_one_open_page_opens_its_pattern_and_pages_below_the_root_are_of_every_kind() -> None:
    def answer(target: str) -> str | None:
        if target == "/":
            return page("Home", [f"/p{n}-x" for n in range(30)] + [f"/a/p{n}-x" for n in range(30)], "home")
        is_closed = target in {"/a/p0-x", "/a/p1-x", "/a/p2-x", "/a/p3-x"} or target[:3] in {"/p0", "/p1"}
        return (CLOSED if is_closed else "") + page(target, [], prose(target))

    out = crawl(
        Site(answer, frozenset([*(f"/p{n}-x" for n in range(30)), *(f"/a/p{n}-x" for n in range(30))]))
    )
    assert out.found == 1.0 and not out.cut


def test_views_of_a_page_that_say_the_same_are_left_out_after_a_few() -> None:
    """Print views, languages that nobody translated, reply links: every page links to its own."""
    base = plain_site(150)

    def answer(target: str) -> str | None:
        path, _, query = target.partition("?")
        html = base.answer(path)
        if html is None or html == "" or query.count("&"):
            return None
        views = ["print=1", "lang=de", f"reply={len(path) * 7 + ord(path[-1])}"]
        links = "".join(f'<a href="{path}?{view}">view</a>' for view in views)
        return f'{html}{links}<a href="/login?next={path}?{query}">Log in</a>'

    out = crawl(Site(answer, base.real))
    assert out.found == 1
    assert out.wasted < 60
    assert "trap_facets" in out.reasons


def test_views_are_left_out_of_a_site_whose_pages_are_values_of_a_parameter() -> None:
    things = frozenset(f"/thing?id={number}" for number in range(300))

    def answer(target: str) -> str | None:
        thing = target.removesuffix("&print=1")
        if target == "/thing":
            return page("Things", sorted(things), prose(target))
        return page(prose(thing, 4), [f"{thing}&print=1"], prose(thing)) if thing in things else None

    out = crawl(Site(answer, things), start="/thing")
    assert out.found == 1
    assert out.wasted < 100
