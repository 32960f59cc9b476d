"""Large honest sites lose nothing, however much their pages resemble each other."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from urllib.parse import parse_qsl

import pytest

from tests.unit.crawl.trap_sites import WORDS, Outcome, Site, crawl, page, prose


def unharmed(site: Site) -> Outcome:
    out = crawl(site, budget=8_000)
    assert out.found >= 0.99, (out.found, out.cut)
    return out


def test_a_news_archive_by_date() -> None:
    articles: dict[str, list[str]] = {}
    for number in range(3_000):
        year, month, day = 2004 + number // 150, number // 12 % 12 + 1, number % 28 + 1
        folder = f"/{year}/{month:02}/{day:02}/"
        articles.setdefault(folder, []).append(f"{folder}{WORDS[number % 900]}-{number}.html")
    months = sorted({folder[:9] for folder in articles})
    real = frozenset(each for several in articles.values() for each in several)

    def answer(target: str) -> str | None:
        if target == "/":
            return page("News", months[-3:], prose("home"))
        if target in real:
            folder = target.rpartition("/")[0] + "/"
            return page(prose(target, 6), [folder, folder[:9], "/"], prose(target, 40))
        if target in articles:
            return page(f"News of {target}", articles[target], *[prose(each, 6) for each in articles[target]])
        if target in months:
            place = months.index(target)
            days = sorted(folder for folder in articles if folder.startswith(target))
            return page(f"Archive {target}", [*months[max(0, place - 1) : place + 2], *days])
        return None

    unharmed(Site(answer, real))


@pytest.mark.parametrize("words", [4, 30])
def test_a_shop_whose_products_have_only_an_id(words: int) -> None:
    """Each page of the list names ten products, each product its neighbours and itself in a few words."""
    real = frozenset(f"/product.php?id={number}" for number in range(2_000))

    def answer(target: str) -> str | None:
        path, _, query = target.partition("?")
        values = dict(parse_qsl(query))
        if path == "/":
            return page("Shop", ["/list.php?page=0"], prose("shop"))
        if path == "/list.php":
            number = int(values["page"])
            links = [f"/product.php?id={each}" for each in range(number * 10, number * 10 + 10)]
            return page("Products", [*links, f"/list.php?page={number + 1}"]) if number < 200 else None
        if target not in real:
            return None
        number = int(values["id"])
        around = [f"/product.php?id={(number + step) % 2_000}" for step in (1, 2, 3)]
        about = prose(target, words)
        return page(
            "Product",
            around,
            "In stock",
            f"{about} {number}",
            f"EUR {number % 97}.{number % 10}0",
            about[::-1],
        )

    unharmed(Site(answer, real))


def test_a_forum_with_pages_of_threads() -> None:
    """A board and a thread in every URL, and a start that is the same numbers in each thread."""
    threads = {number: 1 + number % 9 for number in range(400)}
    real = frozenset(
        f"/viewtopic.php?f={number % 8}&t={number}" + (f"&start={part * 20}" if part else "")
        for number, parts in threads.items()
        for part in range(parts)
    )

    def answer(target: str) -> str | None:
        path, _, query = target.partition("?")
        values = {name: int(value) for name, value in parse_qsl(query)}
        if path == "/":
            return page("Forum", [f"/viewforum.php?f={board}" for board in range(8)])
        if path == "/viewforum.php":
            board, start = values["f"], values.get("start", 0)
            shown = [number for number in threads if number % 8 == board][start : start + 20]
            links = [f"/viewtopic.php?f={board}&t={number}" for number in shown]
            return page("Board", [*links, f"/viewforum.php?f={board}&start={start + 20}"]) if shown else None
        if target not in real:
            return None
        others = [
            f"/viewtopic.php?f={values['f']}&t={values['t']}&start={20 * part}"
            for part in range(1, threads[values["t"]])
        ]
        posts = [prose((target, number), 12) for number in range(4)]
        return page("Thread", [*others, "/"], *posts)

    unharmed(Site(answer, real))


def test_a_wiki_with_categories() -> None:
    articles = [f"/wiki/{WORDS[number].title()}_{WORDS[number * 7 % 3000]}" for number in range(1_500)]
    categories = {f"/wiki/Category:{WORDS[number]}": articles[number::150] for number in range(150)}
    real = frozenset(articles) | frozenset(categories)

    def answer(target: str) -> str | None:
        if target == "/":
            return page("Wiki", sorted(categories)[:20], prose("wiki"))
        if target in categories:
            return page(target[6:], categories[target], f"Pages in the category {target[15:]}")
        if target not in real:
            return None
        rng = random.Random(target)
        place = articles.index(target)
        return page(
            target[6:], [*rng.sample(articles, 8), f"/wiki/Category:{WORDS[place % 150]}"], prose(target, 50)
        )

    unharmed(Site(answer, real))


def test_pictures_with_the_same_few_words_on_every_page() -> None:
    pictures = [f"/photo/{number}" for number in range(600)]
    real = frozenset(pictures)

    def answer(target: str) -> str | None:
        path, _, query = target.partition("?")
        if path == "/":
            return page("Gallery", ["/gallery?page=0"])
        if path == "/gallery":
            number = int(query.partition("=")[2])
            anchors = "".join(f'<a href="{each}"></a>' for each in pictures[number * 12 : number * 12 + 12])
            more = f'<a href="/gallery?page={number + 1}">next</a>' if number < 49 else ""
            return page("Gallery", []) + anchors + more
        if target not in real:
            return None
        return page("Photo", ["/"], f"Taken by {prose(target, 2)}")

    unharmed(Site(answer, real))


def test_a_site_in_two_languages() -> None:
    names = [WORDS[number] for number in range(300)]
    real = frozenset(f"{folder}/{name}" for folder in ("", "/en", "/fr") for name in names)

    def answer(target: str) -> str | None:
        if target == "/":
            return page("Home", [f"/{names[0]}", f"/en/{names[0]}", f"/fr/{names[0]}"])
        if target not in real:
            return None
        folder, _, name = target.rpartition("/")
        following = [f"{folder}/{names[(names.index(name) + step) % 300]}" for step in (1, 2, 5)]
        return page("Example", following, prose(target, 40))

    unharmed(Site(answer, real))


@pytest.mark.parametrize("found_by", ["all at once", "one after the other"])
def test_an_archive_whose_lists_have_no_words(found_by: str) -> None:
    """Months and days are bare numbers; only below them is something to read."""
    articles: dict[str, str] = {}
    for number in range(720):
        year, month, day = 2004 + number // 36, number // 3 % 12 + 1, number % 28 + 1
        articles[f"/{year}/{month:02}/{day:02}/{number}.html"] = f"/{year}/{month:02}/{day:02}/"
    days = sorted(set(articles.values()))
    months = sorted({day[:9] for day in days})

    def answer(target: str) -> str | None:
        if target == "/":
            return page("Archive", months if found_by == "all at once" else months[-3:])
        if target in months:
            place = months.index(target)
            around = [] if found_by == "all at once" else months[max(0, place - 1) : place + 2]
            return page("Archive", [*around, *(day for day in days if day.startswith(target))])
        if target in days:
            return page("Archive", [article for article, day in articles.items() if day == target])
        return page(prose(target, 4), ["/"], prose(target, 30)) if target in articles else None

    unharmed(Site(answer, frozenset(articles)))


def test_newspapers_by_year_month_and_day() -> None:
    issues = frozenset(
        f"/{year}/{month}/{day}"
        for year in range(1880, 1890)
        for month in range(1, 13)
        for day in range(1, 29, 3)
    )

    def answer(target: str) -> str | None:
        if target in issues:
            return page("Issue", ["/"], prose(target, 80))
        depth = target.rstrip("/").count("/")
        if depth > 2:
            return None
        below = sorted(
            {"/".join(issue.split("/")[: depth + 2]) for issue in issues if issue.startswith(target)}
        )
        return page("Newspapers", [(each, each.rpartition("/")[2]) for each in below if each != target])

    unharmed(Site(answer, issues))


@pytest.mark.parametrize(
    "spelled",
    [
        lambda number: f"/part/{number}",
        lambda number: f"/part?no={number}",
        lambda number: "/part/" + hashlib.sha256(b"%d" % number).hexdigest(),
        lambda number: "/part?key=" + hashlib.sha256(b"%d" % number).hexdigest(),
    ],
    ids=["path", "parameter", "hash in the path", "hash in a parameter"],
)
def test_a_catalogue_that_differs_in_numbers_only(spelled: Callable[[int], str]) -> None:
    """Each part is found on another one, and has a number, a price and nothing else."""
    parts = {spelled(number): number for number in range(800)}

    def answer(target: str) -> str | None:
        if target == "/":
            return page("Parts", [spelled(0)])
        if target not in parts:
            return None
        number = parts[target]
        around = [spelled((number + step) % len(parts)) for step in (1, 7)]
        return page(
            "Part", around, f"Number {number}", f"EUR {number * 3 % 777}.{number % 100:02}", "In stock"
        )

    unharmed(Site(answer, frozenset(parts)))


def test_lists_that_go_on_at_a_random_mark_and_have_the_same_words() -> None:
    marks = {f"/list?after={hashlib.sha256(b'%d' % number).hexdigest()}": number for number in range(60)}
    lists = list(marks)
    items = frozenset(f"/item/{number}" for number in range(600))

    def answer(target: str) -> str | None:
        if target == "/":
            return page("Home", lists[:1])
        if target in marks:
            number = marks[target]
            return page(
                "List",
                [*[f"/item/{number * 10 + each}" for each in range(10)], *lists[number + 1 : number + 2]],
            )
        return page("Item", ["/"], prose(target, 8)) if target in items else None

    unharmed(Site(answer, items))


def test_pictures_without_a_word_where_pictures_are_wanted() -> None:
    photos = frozenset(f"/photo/{number}" for number in range(500))

    def answer(target: str) -> str | None:
        if target == "/":
            return page("Photos", ["/photo/0"])
        if target not in photos:
            return None
        number = int(target.rpartition("/")[2])
        return page("Photo", [f"/photo/{(number + 1) % 500}"]) + f'<img src="/full/{number}.jpg">'

    unharmed(Site(answer, photos))


def test_lists_of_links_that_say_the_same_on_every_page_of_a_parameter() -> None:
    """What leads to pages that were not known is no view of the page without the parameter."""
    topics = {f"/topic/{word}": number for number, word in enumerate(WORDS[:12])}
    items = frozenset(f"/item/{number}" for number in range(360))

    def answer(target: str) -> str | None:
        path, _, query = target.partition("?")
        if target == "/":
            return page("Home", topics)
        if path in topics:
            at = int(query.partition("=")[2] or 0)
            first = topics[path] * 30 + at * 10
            ahead = [f"{path}?start={at + 1}"] if at < 2 else []
            return page("List", [*(f"/item/{first + each}" for each in range(10)), *ahead])
        return page(prose(target, 4), ["/"], prose(target)) if target in items else None

    unharmed(Site(answer, items))


def test_the_first_page_of_a_list_under_two_names_leaves_the_others_alone() -> None:
    topics = [f"/topic/{word}" for word in WORDS[:30]]
    lists = frozenset(f"{topic}?page={number}" for topic in topics[20:] for number in range(2, 6))

    def answer(target: str) -> str | None:
        path, _, query = target.partition("?")
        if target == "/":
            return page("Home", topics)
        if path not in topics or (query not in ("", "page=1") and target not in lists):
            return None
        is_first = query in ("", "page=1")
        ahead = [f"{path}?page={number}" for number in range(1, 6 if path in topics[20:] else 2)]
        return page(prose(path, 3), ahead, prose(path if is_first else target))

    unharmed(Site(answer, lists))


def test_pages_that_scripts_fill_and_that_only_their_titles_tell_apart() -> None:
    things = frozenset(f"/thing?id={number}" for number in range(60))

    def answer(target: str) -> str | None:
        if target == "/":
            return page("Things", ["/thing", *sorted(things)], prose(target))
        if target == "/thing" or target in things:
            return f"<title>{prose(target, 4)}</title><p>Please let scripts run, or you see nothing.</p>"
        return None

    unharmed(Site(answer, things))


def test_a_parameter_that_changes_nothing_of_one_page_may_choose_another() -> None:
    """A list of what was marked is empty for everybody new, whatever is to be put on it."""
    things = frozenset(f"/thing?id={number}" for number in range(60))

    def answer(target: str) -> str | None:
        path = target.partition("?")[0]
        if target == "/":
            return page("Home", ["/marked", *(f"/marked?id={number}" for number in range(10))], prose(target))
        if path == "/marked":
            return page("Marked", ["/thing"], "You have marked nothing")
        if target == "/thing":
            return page("Things", sorted(things), prose(target))
        return page(prose(target, 4), ["/"], prose(target)) if target in things else None

    unharmed(Site(answer, things))
