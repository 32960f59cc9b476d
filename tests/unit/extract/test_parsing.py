"""Pages become blocks in the order of reading, with their regions, whatever the markup is like."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surveyor.extract.document import Block, BlockKind, Document, Region
from surveyor.extract.layout.boilerplate import Content
from surveyor.extract.layout.boxes import Box, Layout, Piece
from surveyor.extract.parsing import parse
from surveyor.extract.profile_view import ProfileView
from surveyor.extract.values import Page
from surveyor.profiles import loader
from surveyor.words import tokens
from tests.unit.extract.conftest import TODAY, Parse
from tests.unit.extract.pages import PAGES, content_of

TUNE = Path(__file__).parents[2] / "data/gold/tune"
GROUND = ProfileView.of(loader.load("funding"))
MIB = 1024 * 1024


def f1(found: str, known: str) -> float:
    mine, theirs = Counter(tokens(found)), Counter(tokens(known))
    return 2 * (mine & theirs).total() / max(1, mine.total() + theirs.total())


def main_text(document: Document) -> str:
    return "\n".join(block.text for block in document.main)


def texts(document: Document) -> list[str]:
    return [block.text for block in document.blocks]


def region(document: Document, beginning: str) -> Region:
    return next(block.region for block in document.blocks if block.text.startswith(beginning))


def block(document: Document, beginning: str) -> Block:
    return next(block for block in document.blocks if block.text.startswith(beginning))


PROSE = "<p>Grants for orchards that neighbours plant together, in any village of the valley.</p>" * 3


@pytest.mark.parametrize("name", sorted(PAGES))
def test_the_content_is_found_in_the_manner_of_many_systems(name: str, parsed: Parse) -> None:
    assert f1(main_text(parsed(PAGES[name])), content_of(PAGES[name])) >= 0.95


def test_the_content_of_labelled_pages_is_found() -> None:
    scores, wrong = [], []
    for answer in sorted(TUNE.glob("*.json")):
        known = json.loads(answer.read_text("utf-8"))
        page = Page(known["url"], answer.with_suffix(".html").read_bytes(), "text/html", TODAY)
        document = parse(page, GROUND)
        scores.append(f1(main_text(document), known["main_text"]))
        if (document.title, document.language) != (known["title"], known["language"]):
            wrong.append(answer.stem)
    assert sum(scores) / len(scores) >= 0.96
    assert len(wrong) <= 1, wrong


def test_blocks_come_in_the_order_of_reading(parsed: Parse) -> None:
    document = parsed("<h1>One</h1><p>Two<ul><li>Three<li>Four<ul><li>Five</ul></ul>Six<dl><dt>A<dd>B</dl>")
    assert [(each.kind, each.level, each.text) for each in document.blocks] == [
        (BlockKind.HEADING, 1, "One"),
        (BlockKind.TEXT, 0, "Two"),
        (BlockKind.ITEM, 1, "Three"),
        (BlockKind.ITEM, 1, "Four"),
        (BlockKind.ITEM, 2, "Five"),
        (BlockKind.TEXT, 0, "Six"),
        (BlockKind.TERM, 0, "A"),
        (BlockKind.VALUE, 0, "B"),
    ]


@pytest.mark.parametrize(
    "unseen",
    [
        "<script>var x = 'gone'</script>",
        "<style>.gone{}</style>",
        "<noscript>gone</noscript>",
        "<template><p>gone</p></template>",
        "<p hidden>gone</p>",
        "<p style='color:red; display: none'>gone</p>",
        "<p style='visibility:hidden'>gone</p>",
        "<i aria-hidden='true'>gone</i>",
        "<span class='sr-only'>gone</span>",
        "<p class='d-none'>gone</p>",
        "<del>gone</del>",
        "<s>gone</s>",
        "<strike>gone</strike>",
        "<span style='text-decoration: line-through'>gone</span>",
        "<span class='line-through'>gone</span>",
        "<dialog><p>gone</p></dialog>",
        "<!-- gone -->",
        "<select><option>gone</option></select>",
        "<textarea>gone</textarea>",
        "<button>gone</button>",
        "<svg><title>gone</title><text>gone</text></svg>",
    ],
)
def test_what_nobody_sees_or_what_is_struck_out_is_left_out(unseen: str, parsed: Parse) -> None:
    document = parsed(f"<h1>Title</h1><div>stays {unseen} here</div>{PROSE}")
    assert "gone" not in " ".join(texts(document))
    assert "stays" in " ".join(texts(document))


@pytest.mark.parametrize(
    "shown", ["class='d-none d-md-block'", "class='hidden md:flex'", "aria-hidden='false'"]
)
def test_what_is_hidden_on_small_screens_only_stays(shown: str, parsed: Parse) -> None:
    assert "seen" in texts(parsed(f"<p {shown}>seen</p>"))


def test_a_large_part_that_only_readers_of_screens_do_not_get_is_no_decoration(parsed: Parse) -> None:
    assert len(texts(parsed(f"<main aria-hidden='true'>{PROSE}</main>"))) == 3


def test_a_deadline_that_was_struck_out_is_gone_in_pages_with_much_formatting(parsed: Parse) -> None:
    many = "".join(f"<b class='x{number}'>word</b><i>, </i>" for number in range(500))
    document = parsed(f"<h1>Title</h1><p>{many}</p><p>Until <s>30 June</s> 31 July</p>")
    assert "Until 31 July" in texts(document)


def test_visual_lines_are_kept_beside_the_text(parsed: Parse) -> None:
    address = block(parsed("<p>Orchard Fund<br> 3 Mill Lane <br/>\nHarrow</p>"), "Orchard")
    assert address.text == "Orchard Fund 3 Mill Lane Harrow"
    assert address.lines == ("Orchard Fund", "3 Mill Lane", "Harrow")


def test_one_line_has_no_lines(parsed: Parse) -> None:
    assert block(parsed("<p>Only this<br></p>"), "Only").lines == ()


def test_invisible_characters_do_not_part_words(parsed: Parse) -> None:
    assert texts(parsed("<p>aid&#8203;@&#8203;fund.example för&shy;der&shy;ung</p>")) == [
        "aid@fund.example förderung"
    ]


def test_a_picture_in_place_of_a_sign_is_read(parsed: Parse) -> None:
    document = parsed("<p>maurer<img src=at.gif alt='(at)'>preis.example <img src=x.gif alt='A tree'></p>")
    assert texts(document) == ["maurer@preis.example"]


def test_links_are_absolute_and_keep_other_schemes(parsed: Parse) -> None:
    document = parsed(
        "<base href='/en/'><p><a href='form.html'>Form</a>, <a href='mailto:a@b.example'>mail</a>, "
        "<a href='tel:+441'>call</a>, <a href='javascript:x()'>no</a>, <a>none</a></p>"
    )
    assert [(link.text, link.url) for link in document.blocks[0].links] == [
        ("Form", "https://www.fund.example/en/form.html"),
        ("mail", "mailto:a@b.example"),
        ("call", "tel:+441"),
    ]


def test_runs_joined_are_the_text(parsed: Parse) -> None:
    found = block(
        parsed("<p> See <a href='/a'>the <b>long</b> form</a> , or <a href=/b>that</a>.</p>"), "See"
    )
    assert "".join(text for text, _ in found.runs) == found.text == "See the long form , or that."


def test_a_table_of_data_has_rows_and_cells(parsed: Parse) -> None:
    document = parsed(
        "<h1>T</h1><table><tr><th>Name<th>Until<tr><td>Seed<td>1 May<br>noon<tr><td colspan=2>Both</table>"
    )
    rows = [each for each in document.blocks if each.kind is BlockKind.ROW]
    assert [row.cells for row in rows] == [("Name", "Until"), ("Seed", "1 May noon"), ("Both", "")]
    assert [row.is_head_row for row in rows] == [True, False, False]
    assert rows[1].cell_lines == ((), ("1 May", "noon"))


def test_a_table_for_layout_has_no_rows(parsed: Parse) -> None:
    document = parsed(
        "<table><tr><td><a href=/1>Home</a><br><a href=/2>Links</a></td>"
        f"<td><h1>Orchards</h1>{PROSE}</td></tr></table>"
    )
    assert not [each for each in document.blocks if each.kind is BlockKind.ROW]
    assert region(document, "Home") is not Region.MAIN
    assert region(document, "Orchards") is Region.MAIN


def test_cards_are_sections_of_their_own(parsed: Parse) -> None:
    document = parsed(
        "<main><h1>Funds</h1><div class=card><h3>A</h3><p>one</p></div>"
        "<div class=card><h3>B</h3><p>two</p></div></main>"
    )
    a, one, b, two = (block(document, name).section for name in ("A", "one", "B", "two"))
    assert a == one != b == two


def test_pages_in_old_charsets_are_read(parsed: Parse) -> None:
    markup = "<meta charset=windows-1251><h1>Стипендии за агрономи</h1>".encode("cp1251")
    assert parsed(markup).title == "Стипендии за агрономи"


@pytest.mark.parametrize(
    ("claimed", "text"),
    [
        ("hr", "Natječaj je otvoren za sve udruge koje su registrirane i koje djeluju na području grada."),
        (
            "ca",
            "Les entitats que vulguin participar han de presentar la sol·licitud de la subvenció.",
        ),
        ("lb", "D'Associatioun hëlleft de Leit an der Gemeng an ass fir jiddereen op, dee Problemer huet."),
    ],
)
def test_a_language_that_nobody_here_can_guess_is_believed(claimed: str, text: str, parsed: Parse) -> None:
    assert parsed(f"<html lang={claimed}><body><main><p>{text}</p></main>").language == claimed


def test_a_few_foreign_words_do_not_overrule_the_language_a_page_claims(parsed: Parse) -> None:
    mixed = "<p>Die Projekte der Stiftung: House of the Young, Music and Art.</p>"
    assert parsed(f"<html lang=de><body><main>{mixed}</main>").language == "de"


def test_the_text_beats_a_wrong_claim_of_language(parsed: Parse) -> None:
    german = "<p>Wir fördern Vereine, die sich für die Kinder in der Stadt und auf dem Land einsetzen.</p>"
    assert parsed(f"<html lang=en><body><main>{german}</main>").language == "de"
    assert parsed("<html lang=fr-CA><body><main><p>Xyz</p></main>").language == "fr"


@pytest.mark.parametrize(
    ("title", "site"),
    [
        ("Seed Grants | Orchard Fund", "Orchard Fund"),
        ("Orchard Fund – Seed Grants", "Orchard Fund"),
        ("Seed Grants", "Orchard Fund"),
    ],
)
def test_the_page_and_its_site_are_told_apart(title: str, site: str, parsed: Parse) -> None:
    document = parsed(
        f"<title>{title}</title><header><a href='/'>Orchard Fund</a></header>"
        f"<main><h1>Seed Grants</h1>{PROSE}</main><footer>© 2026 Orchard Fund</footer>"
    )
    assert (document.title, document.site_name) == ("Seed Grants", site)


def test_the_name_of_the_site_is_no_headline(parsed: Parse) -> None:
    document = parsed(
        f"<title>Seed Grants - Orchard Fund</title><h1 class=site-title><a href='/'>Orchard Fund</a></h1>"
        f"<div><h2>Seed Grants</h2>{PROSE}</div>"
    )
    assert document.title == "Seed Grants"
    assert region(document, "Orchard Fund") is Region.HEADER


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<nav>aside from it</nav>", Region.NAVIGATION),
        ("<footer>aside from it</footer>", Region.FOOTER),
        ("<aside>aside from it</aside>", Region.ASIDE),
        ("<div class='sidebar-right'>aside from it</div>", Region.ASIDE),
        ("<div id='comments'>aside from it</div>", Region.COMMENTS),
        ("<div class='cookie-banner'>aside from it</div>", Region.NOTICE),
        ("<section><h2>Read next</h2><p>aside from it</p></section>", Region.TEASER),
        ("<section><h2>Noutăți</h2><p>aside from it</p></section>", Region.TEASER),
        ("<div class='related-posts'><a href=/x>aside from it</a></div>", Region.TEASER),
        ("<p>aside from it</p><p>© 2026 The Fund</p>", Region.MAIN),
    ],
)
def test_surroundings_are_told_by_name_and_by_words(markup: str, expected: Region, parsed: Parse) -> None:
    document = parsed(f"<body><h1>Orchards</h1>{PROSE}{markup}")
    assert next(each.region for each in document.blocks if "aside from it" in each.text) is expected


def test_a_name_does_not_take_the_page_away(parsed: Parse) -> None:
    document = parsed(f"<div class='page with-sidebar sidebar'><h1>Orchards</h1>{PROSE}</div><p>x</p>")
    assert region(document, "Grants for orchards") is Region.MAIN


def test_social_services_are_not_a_row_of_icons(parsed: Parse) -> None:
    document = parsed(f"<h1>Help</h1>{PROSE}<div class='social-services'><p>Meals at noon.</p></div>")
    assert region(document, "Meals") is Region.MAIN


def test_linked_data_of_large_pages_survives(parsed: Parse) -> None:
    data = '{"@type":"Grant","name":"a <b> c"}'
    filler = "<script>var filler = '" + "x" * 70_000 + "'</script>"
    tree = parsed(f"<script type='application/ld+json'>{data}</script>{filler}<p>text</p>").tree
    kept = tree.css_first("script[type='application/ld+json']")
    assert kept is not None
    assert json.loads(kept.text()) == json.loads(data)


HOSTILE = {
    "nested deeply": b"<div>" * 100_000 + b"x",
    "nested with text": b"<div>a" * 6_000,
    "nested tables": b"<table><tr><td>a" * 3_000,
    "nested lists": b"<ul><li>a" * 6_000,
    "hidden within hidden": b"<div aria-hidden=true>some text " * 3_000,
    "a million tags": b"<p>x</p>" * 1_000_000,
    "ten megabytes": b"lorem ipsum dolor sit amet. " * 400_000,
    "links without end": b"<a href=/x>word</a> " * 100_000,
    "headings that lead away": b"<h2>News</h2><p>some text here, quite long enough to be prose.</p>" * 15_000,
    "notices without end": b"<div><p>We use cookies here.</p></div>" * 15_000,
    "a wide row": b"<table><tr>" + b"<td>a" * 50_000,
    "rules without end": b"<p>a</p><hr>" * 15_000,
}


@pytest.mark.timeout(120)  # each takes a second; what is square takes minutes
@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_hostile_pages_come_to_an_end(name: str, parsed: Parse) -> None:
    assert len(parsed(HOSTILE[name]).blocks) <= 20_000


@pytest.mark.parametrize(
    "body",
    [b"", b"\0", b"\xff\xfe", b"%PDF-1.4 broken", b"\x89PNG\r\n\x1a\n", b"\x1f\x8b\x08", b"<", b"</p>"],
)
@pytest.mark.parametrize("content_type", [None, "text/html", "application/pdf", "text/plain"])
def test_what_is_no_page_is_an_empty_document(body: bytes, content_type: str | None, parsed: Parse) -> None:
    assert len(parsed(body, content_type=content_type).blocks) <= 1


_TOKENS = """
<div> </div> <p> <table> <tr> <td> <th colspan=3> </table> <ul> <li> </ul> <a href='x'> </a> <h1> <h2> <br>
<hr> <nav> <main> <article class='teaser'> <footer> <form> <label> <s> <b x> <dl> <dt> <dd> <x-y> <button>
<span class='byline'> <details> <summary> <figure> <figcaption> © cookies News 2026 “a” text, <svg> <title>
<template> <noscript> <select> <option> <pre> &nbsp; &#0;
"""
_MARKUP = st.lists(st.sampled_from(_TOKENS.split()), max_size=60).map(" ".join)
_TEXT = st.text(max_size=400).map(lambda text: text.encode("utf-8", "ignore"))


@settings(deadline=None)
@given(st.one_of(st.binary(max_size=400), _MARKUP.map(str.encode), _TEXT))
def test_no_bytes_make_parsing_fail(body: bytes) -> None:
    document = parse(Page("https://a.example/x?y", body, "text/html", TODAY), GROUND)
    for each in document.blocks:
        assert each.text == " ".join(each.text.split()) != ""
        assert not each.runs or "".join(text for text, _ in each.runs) == each.text


def test_a_rule_never_takes_the_headline_or_most_of_the_content() -> None:
    pieces = [Piece(BlockKind.TEXT, 0, "x" * size) for size in (10, 30, 60)]
    content = Content(Layout([Box(0, -1, "body", "", "", None)], pieces), head=0)
    assert not content.take([0], Region.TEASER)
    assert not content.take([2], Region.TEASER)
    assert content.take([1], Region.TEASER)
    assert content.numbers() == [0, 2]
    assert content.size == 70


def test_a_sentence_named_teaser_leads_into_the_content(parsed: Parse) -> None:
    document = parsed(f"<h1>Orchards</h1><div class='teaser'>Who plants a tree is helped by us.</div>{PROSE}")
    assert region(document, "Who plants") is Region.MAIN
