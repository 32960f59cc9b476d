"""Pages that say 200 and mean 404."""

from __future__ import annotations

from types import SimpleNamespace

from surveyor.crawl.detect.soft404 import NEVER, probe_targets, soft_404

LAYOUT = ["Home", "News", "Contact", "Search this site", "All rights reserved"]
HOME = SimpleNamespace(
    title="Example", text="\n".join([*LAYOUT, "Welcome to the example."]), links=[("/news", 0)]
)


def page(title: str, *lines: str, links: tuple[str, ...] = ()) -> SimpleNamespace:
    found = [("/news", 0), *((link, 0) for link in links)]
    return SimpleNamespace(title=title, text="\n".join([*LAYOUT, *lines]), links=found)


def sorry(target: str) -> SimpleNamespace:
    return page("Not found", "Sorry, there is no such page.", f"You asked for {target}.")


def test_probes_are_random_but_the_same_for_the_same_site() -> None:
    first, second = probe_targets("example.org")
    assert probe_targets("example.org") == (first, second)
    assert first != second
    assert not {first, second} & set(probe_targets("example.com"))


def test_a_site_that_refuses_the_probes_has_none() -> None:
    assert soft_404([], HOME) is NEVER
    assert not NEVER.shared
    assert not NEVER.matches(sorry("/x"))


def test_answers_like_those_to_the_probes_are_recognised() -> None:
    soft = soft_404([sorry(target) for target in probe_targets("x")], HOME)
    assert soft.shared
    assert soft.matches(sorry("/some/other/target"))


def test_real_pages_are_not_however_short() -> None:
    soft = soft_404([sorry(target) for target in probe_targets("x")], HOME)
    assert not soft.matches(page("Opening hours", "Closed on Mondays."))
    assert not soft.matches(
        page("Not found", "The lost and found office is in room 5, and open from nine to five every day.")
    )
    assert not soft.matches(HOME)


def test_a_site_that_shows_its_home_page_instead_is_recognised() -> None:
    soft = soft_404([HOME, HOME], HOME)
    assert soft.matches(HOME)
    assert not soft.matches(
        page("Prices", "A ticket for adults is ten, for children five; groups of ten and more pay eight.")
    )


def test_a_site_that_leaves_the_content_empty_does_not_lose_its_real_pages() -> None:
    """Inner pages have lines that the home page has not, so these alone say nothing."""
    soft = soft_404([page("Example", "You are here:") for _ in range(2)], HOME)
    assert soft.matches(page("Example", "You are here:"))
    real = (
        "The library was founded in 1898 by the teachers of the village school, and has four thousand books."
    )
    assert not soft.matches(page("Example", "You are here:", real))


def test_answers_that_name_random_pages_are_recognised() -> None:
    def with_links(seed: int) -> SimpleNamespace:
        return page(
            "Oops",
            "Nothing here. Perhaps one of these?",
            *[f"Article number {seed * 10 + n}" for n in range(10)],
        )

    soft = soft_404([with_links(1), with_links(2)], HOME)
    assert soft.matches(with_links(3))


def test_a_list_without_words_is_a_page_all_the_same() -> None:
    soft = soft_404([page("Archive"), page("Archive")], HOME)
    assert soft.matches(page("Archive"))
    assert not soft.matches(page("Archive", "1", "2", "3", "4", links=("/1", "/2", "/3", "/4")))
