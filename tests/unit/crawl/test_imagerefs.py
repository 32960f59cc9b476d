"""Which images a page shows."""

from __future__ import annotations

import pytest

from surveyor.crawl.images.refs import MAX_IMAGES, ImageRef, largest
from surveyor.crawl.pages.html import read_page
from surveyor.crawl.pages.scope import Scope
from surveyor.names import canonical_domain, parse_url


def images(html: str) -> list[ImageRef]:
    scope = Scope(canonical_domain("example.org"), images=True)
    url = parse_url("https://example.org/gallery/")
    return read_page(html, url, scope, agent_token="surveyor", want_images=True).images


def test_an_image_has_its_words_and_hints() -> None:
    assert images('<img src="a.jpg" alt=" A  cat " width="640" height=480px>') == [
        ImageRef("https://example.org/gallery/a.jpg", "A cat", 640, 480)
    ]


def test_images_may_be_on_other_hosts_and_are_named_once() -> None:
    found = images(
        '<meta property="og:image" content="//cdn.other.org/a.png"><img src="https://cdn.other.org/a.png">'
    )
    assert [image.url for image in found] == ["https://cdn.other.org/a.png"]


@pytest.mark.parametrize(
    ("srcset", "href"),
    [
        ("a.jpg 1x, b.jpg 2x", "b.jpg"),
        ("a.jpg 100w,b.jpg 90w", "a.jpg"),
        ("a.jpg, b.jpg 1.5x", "b.jpg"),
        ("a.jpg", "a.jpg"),
        ("a.jpg 2x, b.jpg 2x", "a.jpg"),
        ("a,b.jpg 100w, c.jpg 50w", "a,b.jpg"),
        ("  ,, a.jpg 2x ,", "a.jpg"),
        ("", ""),
        (" , ", ""),
    ],
)
def test_of_several_sizes_the_largest_is_taken(srcset: str, href: str) -> None:
    assert largest([srcset]) == href


def test_a_picture_is_one_image() -> None:
    html = (
        '<picture><source srcset="a-400.webp 400w, a-1600.webp 1600w"><source srcset="a-800.jpg 800w">'
        '<img src="a-200.jpg" alt="A"></picture>'
    )
    assert images(html) == [ImageRef("https://example.org/gallery/a-1600.webp", "A", None, None)]


@pytest.mark.parametrize("name", ["data-src", "data-lazy-src", "data-original"])
def test_images_that_scripts_load_late_are_found(name: str) -> None:
    assert [image.url for image in images(f'<img src="blank.gif" {name}="/real.jpg">')] == [
        "https://example.org/real.jpg"
    ]


@pytest.mark.parametrize(
    "html",
    [
        '<img src="dot.gif" width=1 height=1>',
        '<img src="line.png" width=600 height=4>',
        '<img src="logo.svg">',
        '<img src="data:image/png;base64,AAAA">',
        "<img>",
        '<img src="">',
        '<meta property="og:title" content="/a.jpg">',
    ],
)
def test_what_is_no_photograph_is_left_out(html: str) -> None:
    assert images(html) == []


def test_there_is_a_limit() -> None:
    assert len(images("".join(f"<img src=/{number}.jpg>" for number in range(MAX_IMAGES + 5)))) == MAX_IMAGES


def test_nobody_reads_images_that_nobody_wants() -> None:
    scope = Scope(canonical_domain("example.org"))
    facts = read_page("<img src=/a.jpg>", parse_url("https://example.org/"), scope, agent_token="surveyor")
    assert facts.images == []
