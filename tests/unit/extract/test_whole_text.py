"""No rule takes a text apart: what is told in sentences stays, however the page lays it out."""

from __future__ import annotations

import pytest

from surveyor.extract.document import Region
from tests.unit.extract.conftest import Parse
from tests.unit.extract.test_parsing import main_text, region

TOLD = "The fund gives money to villages that plant orchards, hedges and rows of old trees along their paths."
PARAGRAPHS = f"<p>{TOLD}</p>" * 6


def test_a_headline_below_a_menu_of_hundreds_is_found(parsed: Parse) -> None:
    menu = "".join(f'<li><a href="/{each}">Place {each}</a></li>' for each in range(600))
    page = parsed(f"<body><div><ul>{menu}</ul></div><div><h1>Orchards</h1>{PARAGRAPHS}</div></body>")
    assert page.title == "Orchards"


def test_a_heading_with_the_words_of_the_title_is_the_headline_whatever_its_rank(parsed: Parse) -> None:
    bar = '<h1>Garden Centre</h1><ul><li><a href="/a">Tools</a></li></ul>'
    by = '<p><a href="/b">By a gardener</a></p><p><a href="/c">Garden News</a></p>'
    title = "Old trees bear fruit again"
    page = parsed(
        f"<html><title>{title}</title><body>{bar}<div><h2>{title}</h2>{by}{PARAGRAPHS}</div></body></html>"
    )
    assert page.title == title


@pytest.mark.parametrize(
    ("title", "called"),
    [
        ("orchard.git - tools for fruit growers", "tools for fruit growers"),
        ("orchard.git", "diff options"),
        ("Changed options of the orchard", "diff options"),
    ],
)
def test_the_first_line_names_a_page_without_headline_unless_its_title_says_more(
    title: str, called: str, parsed: Parse
) -> None:
    page = parsed(
        f'<html><title>{title}</title><meta property="og:site_name" content="orchard.git">'
        f"<body><div><div>diff options</div>{PARAGRAPHS}</div></body></html>"
    )
    assert page.title == called


def test_paragraphs_set_as_headings_are_the_text_and_not_the_posts_below(parsed: Parse) -> None:
    card = f'<div class="card"><h4><a href="/x">Another post</a></h4><p>{TOLD}</p></div>'
    page = parsed(
        "<body><article><h1>Call</h1><blockquote><h3>For schools</h3>"
        f"<h4>{TOLD} Send what you drew to the office before the end of the month, please.</h4>"
        f"<h4>{TOLD} Every school may take part once, alone or with others.</h4></blockquote></article>"
        f'<section><h2>Read on</h2><div class="row">{card * 3}</div></section></body>'
    )
    assert "For schools" in main_text(page)
    assert "Send what you drew" in main_text(page)


def test_a_list_of_remarks_in_a_text_stays(parsed: Parse) -> None:
    remarks = "".join(
        f'<li>"{word}": the word for a field that nobody ploughs.</li>' for word in ("ley", "lea")
    )
    page = parsed(f"<body><h1>Words</h1><div>{PARAGRAPHS}<ul>{remarks}</ul></div></body>")
    assert region(page, '"lea"') is Region.MAIN


@pytest.mark.parametrize(("names", "is_kept"), [("", True), (" class='jp-posts'", False)])
def test_a_plain_list_of_links_among_paragraphs_belongs_to_them(
    names: str, is_kept: bool, parsed: Parse
) -> None:
    links = "".join(f'<li><a href="/{word}">Trees of {word}</a></li>' for word in ("Elm", "Oak", "Ash"))
    page = parsed(f"<body><h1>Words</h1><div>{PARAGRAPHS}<p>Sources</p><ul{names}>{links}</ul></div></body>")
    assert (region(page, "Trees of Oak") is Region.MAIN) is is_kept


def test_a_text_laid_out_in_parts_is_read_whole(parsed: Parse) -> None:
    part = '<div class="part"><div><h2>{}</h2><div><p>{}</p><p>{}</p><p>{}</p></div></div></div>'
    other = (
        "Whoever plants hedges gets help from the forester in the first two years and later on request too."
    )
    page = parsed(
        "<body><div id=page><h1>Trees</h1><div>"
        + part.format("First", TOLD, TOLD, TOLD)
        + '</div><div class="picture"><a href="/x">A picture</a></div><div>'
        + part.format("Second", other, other, other)
        + "</div></div></body>"
    )
    assert "First" in main_text(page)
    assert "Second" in main_text(page)
    assert "Whoever plants" in main_text(page)


def test_a_sentence_between_the_headline_and_the_element_for_content_leads_into_it(parsed: Parse) -> None:
    lead = "A fund for all who plant together, open to every village of the valley since last year."
    page = parsed(
        f'<body><div><div><h1>Orchards</h1></div><div class="intro"><p>{lead}</p></div>'
        f"<main>{PARAGRAPHS}</main></div></body>"
    )
    assert region(page, "A fund for all") is Region.MAIN


def test_sentences_under_a_heading_that_leads_away_are_told_here(parsed: Parse) -> None:
    told = (
        'Ask the <a href="/office">office</a> of your district for the list of trees that the fund pays for.'
    )
    links = '<h2>Related</h2><ul><li><a href="/a">Hedges</a></li><li><a href="/b">Meadows</a></li></ul>'
    page = parsed(
        f"<body><main><h1>Trees</h1>{PARAGRAPHS}<h2>Read more</h2><p>{told}</p>{links}</main></body>"
    )
    assert region(page, "Ask the office") is Region.MAIN
    assert region(page, "Meadows") is not Region.MAIN


def test_a_box_named_teaser_whose_paragraphs_lead_nowhere_is_the_text(parsed: Parse) -> None:
    page = parsed(
        f'<body><main><h1>Trees</h1><div class="teaser-box"><p>We {TOLD}</p><p>{TOLD}</p></div>'
        f"<div>{PARAGRAPHS}</div></main></body>"
    )
    assert region(page, "We The fund") is Region.MAIN


def test_markup_that_a_browser_saved_as_a_text_is_not_read(parsed: Parse) -> None:
    saved = '&lt;img src="https://counter.example/?page=trees" height="1"&gt;' * 20
    page = parsed(f"<body><main><h1>Trees</h1>{PARAGRAPHS}</main><noscript>{saved}</noscript></body>")
    assert "counter.example" not in " ".join(block.text for block in page.blocks)


def test_a_button_below_the_paragraphs_of_a_teaser_does_not_make_them_one(parsed: Parse) -> None:
    page = parsed(
        f'<body><h1>Orchards</h1><div class="box teaser"><h2>Take part</h2>{PARAGRAPHS}'
        '<div class="button"><a href="/join">Join</a></div></div>'
        f'<div class="other">{PARAGRAPHS * 3}</div></body>'
    )
    assert "Take part" in main_text(page)


def test_a_margin_beside_a_short_entry_stays_one(parsed: Parse) -> None:
    menu = "".join(f'<li><a href="/{each}">Place {each}</a></li>' for each in range(60))
    page = parsed(
        f'<body><ul>{menu}</ul><div class="content"><h2>Advice</h2>'
        '<div class="post type-post hentry"><p>PDF: advice</p></div>'
        f'</div><div class="sidebar"><ul>{f"<li><p>{TOLD}</p></li>" * 4}</ul></div></body>'
    )
    assert region(page, "PDF:") is Region.MAIN
    assert region(page, TOLD) is Region.ASIDE


def _events(*hours: str) -> str:
    said = "I planted one of these trees with my neighbours, and it stands there to this day, thank you."
    return "".join(f"<div><p>Somebody, 3 May 2026, {hour}</p><p>{said}</p></div>" for hour in hours)


def test_events_below_a_text_belong_to_it(parsed: Parse) -> None:
    below = _events("10:00", "11:30", "18:15")
    page = parsed(f"<body><div><h1>Orchards</h1><div>{PARAGRAPHS}</div><div>{below}</div></div></body>")
    assert region(page, "I planted") is Region.MAIN


@pytest.mark.parametrize(
    "wrapper",
    [
        '<div class="story comments-open">{}</div>',
        "<aside>{}</aside>",
        "<footer>{}</footer>",
        "<nav>{}</nav>",
        '<div class="hidden">{}</div>',
        '<div style="display:none">{}</div>',
        "<div hidden>{}</div>",
        "<dialog>{}</dialog>",
        "<object>{}</object>",
        "<video>{}</video>",
        "<map>{}</map>",
    ],
)
def test_no_name_and_no_element_takes_the_longest_text_of_a_page(wrapper: str, parsed: Parse) -> None:
    other = "<p>The office is open on weekdays, and on Saturdays before noon.</p>"
    article = f"<h1>Orchards</h1>{PARAGRAPHS * 2}"
    page = parsed(f"<body>{wrapper.format(article)}<div class=end>{other * 8}</div></body>")
    assert main_text(page).count(TOLD) == 12


def test_a_page_that_shows_no_sentence_is_read_with_what_it_hides(parsed: Parse) -> None:
    page = parsed(f"<body><p>Menu</p><div class='hide'><h1>Orchards</h1><p>{TOLD}</p></div></body>")
    assert main_text(page).count(TOLD) == 1


def test_a_hidden_text_is_read_though_each_paragraph_has_a_box_of_its_own(parsed: Parse) -> None:
    wrapped = f"<div><div><p>{TOLD}</p></div></div>" * 12
    other = "<p>The office is open on weekdays, and on Saturdays before noon.</p>"
    page = parsed(f"<body><div style='display:none'>{wrapped}</div><div>{other * 3}</div></body>")
    assert main_text(page).count(TOLD) == 12


def test_what_a_style_hides_stays_hidden_beside_a_text(parsed: Parse) -> None:
    hidden = "<p>Whoever reads this has looked into the markup of a page that was made for others.</p>" * 12
    page = parsed(f"<body><h1>Orchards</h1>{PARAGRAPHS}<div style='display:none'>{hidden}</div></body>")
    assert all("looked into the markup" not in block.text for block in page.blocks)


@pytest.mark.parametrize(
    "anchor",
    [
        '<a class="headerlink" href="#orchards" title="Permalink to this headline">¶</a>',
        '<a class="headline-hash" href="#orchards">#</a>',
        '<a class="hash-link" href="#orchards" aria-label="Direct link to Orchards">\u200b</a>',
        '<a href="#orchards">🔗</a>',
        '<a href="#orchards"><span>§</span></a>',
    ],
)
def test_the_sign_that_links_a_heading_to_itself_is_no_part_of_it(anchor: str, parsed: Parse) -> None:
    page = parsed(f'<body><main><h1 id="orchards">Orchards{anchor}</h1>{PARAGRAPHS}</main></body>')
    assert page.title == "Orchards"
    assert [block.text for block in page.blocks if block.text.startswith("Orch")] == ["Orchards"]
    assert "#orchards" not in str(page.blocks[0].links)


def test_code_named_for_its_language_is_text_and_a_choice_of_languages_is_none(parsed: Parse) -> None:
    code = '<pre class="shiki"><code>plant(tree)</code></pre>'
    choice = '<div class="language-switcher"><a href="/de">Deutsch</a> <a href="/fr">Français</a></div>'
    page = parsed(
        f'<body>{choice}<main><h1>Orchards</h1>{PARAGRAPHS}<div class="language-js vp-theme">'
        f'<button class="copy"></button><span class="lang">js</span>{code}</div>'
        f'<pre class="lang-py">prune(tree)</pre><div class="language language-sh">{code}</div></main></body>'
    )
    assert "prune(tree)" in main_text(page)
    assert main_text(page).count("plant(tree)") == 2
    assert "Deutsch" not in main_text(page)


def test_a_list_of_articles_is_called_by_its_title_and_not_by_one_of_them(parsed: Parse) -> None:
    articles = "".join(
        f'<article><h1><a href="/2026/{name}/">{name} in the valley</a></h1><p>{TOLD}</p></article>'
        for name in ("Apples", "Pears", "Plums")
    )
    title = "<title>Archive: January 2026 | Garden Society</title>"
    page = parsed(
        f"<html>{title}<body><header><a href='/'>Garden Society</a></header>{articles}</body></html>"
    )
    assert page.title == "Archive: January 2026"


def test_a_page_shared_under_the_name_of_its_site_is_called_by_its_title(parsed: Parse) -> None:
    page = parsed(
        '<html><title>Tag: pears | Garden Society</title><meta property="og:title" content="Garden Society">'
        f'<meta property="og:site_name" content="Garden Society"><body><div>{PARAGRAPHS}</div></body></html>'
    )
    assert page.title == "Tag: pears"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("基金会每年向山谷里的小学校提供资助,学生少于一百名的学校可以在五月底之前申请。", "zh"),
        ("財団は毎年、谷の小さな学校に助成金を出しています。五月末までに申請できます。", "ja"),
        ("재단은 매년 골짜기의 작은 학교에 보조금을 준다.", "ko"),
        ("มูลนิธิให้ทุนแก่โรงเรียนขนาดเล็กในหุบเขาทุกปี", "th"),
        ("مؤسسة تمنح المدارس الصغيرة كل عام", None),
        ("2026 – 12 – 5", None),
    ],
)
def test_a_page_that_claims_no_language_has_that_of_its_script(
    text: str, language: str | None, parsed: Parse
) -> None:
    assert parsed(f"<html><body><main><h1>1</h1><p>{text}</p></main></body></html>").language == language
