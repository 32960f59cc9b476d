"""The text of a page as plain lines and as Markdown that holds no surprises."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surveyor.extract.pagetext import escaped, text_of
from surveyor.extract.parsing import parse
from surveyor.extract.profile_view import ProfileView
from surveyor.extract.values import Page
from surveyor.profiles import loader
from tests.unit.extract.conftest import TODAY, URL, Parse

GROUND = ProfileView.of(loader.load("funding"))
PROSE = "<p>Grants for orchards that neighbours plant together, in any village of the valley.</p>" * 2


def test_headings_lists_links_and_tables_become_markdown(parsed: Parse) -> None:
    document = parsed(
        "<main><h1>Seed</h1><p>See <a href='/form'>the form</a>.</p><ul><li>One<ul><li>Two</ul></ul>"
        "<ol><li>First</ol><table><tr><th>A<th>B<tr><td>1<td>2</table><p>Mill Lane 3<br>Harrow</p></main>"
    )
    assert text_of(document).markdown == (
        "# Seed\n\nSee [the form](https://www.fund.example/form).\n\n- One\n    - Two\n1. First\n\n"
        "| A | B |\n| --- | --- |\n| 1 | 2 |\n\nMill Lane 3  \nHarrow"
    )


def test_plain_text_has_a_line_for_each_block_and_tabs_between_cells(parsed: Parse) -> None:
    document = parsed(
        "<main><h1>Seed</h1><dl><dt>Until<dd>1 May</dl><table><tr><th>A<th>B<tr><td>1<td>2</table></main>"
    )
    assert text_of(document).text == "Seed\nUntil\n1 May\nA\tB\n1\t2"


def test_a_table_without_a_head_gets_an_empty_one(parsed: Parse) -> None:
    markdown = text_of(parsed("<h1>T</h1><table><tr><td>a<td>b<tr><td>c<td>d</table>")).markdown
    assert markdown.endswith("|  |  |\n| --- | --- |\n| a | b |\n| c | d |")


CODE = "def plant(tree):\n    if tree.is_old:\n\n        return `moved(tree)`"


def test_code_keeps_its_lines_and_indentation_in_markdown(parsed: Parse) -> None:
    page = text_of(parsed(f"<main><h1>Trees</h1>{PROSE}<pre><code>\n{CODE}\n\n</code></pre></main>"))
    assert page.markdown.endswith(f"\n\n```\n{CODE}\n```")
    assert "def plant(tree):\nif tree.is_old:\nreturn `moved(tree)`" in page.text


def test_what_is_written_as_code_cannot_end_it(parsed: Parse) -> None:
    page = text_of(parsed(f"<main>{PROSE}<pre>a\n  ````\n  &lt;b&gt;</pre></main>"))
    assert page.markdown.endswith("\n\n`````\na\n  ````\n  <b>\n`````")


def test_preformatted_lines_whose_spaces_say_nothing_and_links_stay_text(parsed: Parse) -> None:
    page = text_of(
        parsed(f"<main>{PROSE}<pre>Mill Lane 3\nHarrow</pre><pre>a\n  <a href='/b'>b</a></pre></main>")
    )
    assert page.markdown.endswith("\n\nMill Lane 3  \nHarrow\n\na [b](https://www.fund.example/b)")


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("# no heading", r"\# no heading"),
        ("- no item", r"\- no item"),
        ("1. no list", r"1\. no list"),
        ("2027) no list", r"2027\) no list"),
        ("*no* _emphasis_ `code`", r"\*no\* \_emphasis\_ \`code\`"),
        ("[no](http://link.example)", r"\[no\](http://link.example)"),
        ("&lt;script&gt;alert(1)&lt;/script&gt;", r"\<script\>alert(1)\</script\>"),
        ("&amp;copy; stays", r"\&copy; stays"),
        ("a | b", r"a \| b"),
        ("back\\slash", r"back\\slash"),
        ("12. Mai 2027 und 3 + 4", r"12\. Mai 2027 und 3 + 4"),
    ],
)
def test_what_would_turn_into_markup_is_escaped(written: str, shown: str, parsed: Parse) -> None:
    assert text_of(parsed(f"<main><p>{written}</p></main>")).markdown == shown


@pytest.mark.parametrize(
    "href", ["javascript:alert(1)", "data:text/html,x", "mailto:a@b.example", "ftp://x/y"]
)
def test_links_lead_to_http_only(href: str, parsed: Parse) -> None:
    assert text_of(parsed(f"<main><p>Go <a href='{href}'>there</a></p></main>")).markdown == "Go there"


def test_the_address_of_a_link_cannot_end_it(parsed: Parse) -> None:
    markdown = text_of(parsed("<main><p><a href='/a)b (c'>x</a></p></main>")).markdown
    assert markdown == "[x](https://www.fund.example/a%29b%20%28c)"


def test_pictures_are_what_they_say_they_show(parsed: Parse) -> None:
    page = parsed(f"<main><h1>Seed</h1><img src=a.png alt='An apple *tree*'><img src=b.png>{PROSE}</main>")
    text = text_of(page)
    assert "*An apple \\*tree\\**" in text.markdown
    assert "png" not in text.markdown
    assert "apple" not in text.text
    assert text.images == 2


def test_only_the_content_is_in_the_text(parsed: Parse) -> None:
    text = text_of(
        parsed(
            "<meta name=description content='Small  grants'><header><a href=/>Fund</a></header>"
            f"<main><h1>Seed</h1>{PROSE}</main><footer>Mill Lane</footer>"
        )
    )
    assert "Mill Lane" not in text.text + text.markdown
    assert (text.title, text.description, text.language, text.links) == ("Seed", "Small grants", "en", 1)


_HTML = re.compile(r"(?<!\\)<[a-zA-Z/!]")


def test_tools_of_a_wiki_are_no_part_of_its_headings(parsed: Parse) -> None:
    tool = '<span class="mw-editsection"><span>[</span><a href="/edit">edit</a><span>]</span></span>'
    html = (
        '<a class="mw-jump-link" href="#mw-head">Jump to navigation</a><h1>Bridges</h1>'
        f"<p>Our town has four bridges, and one more is being built.<h2><span>History</span>{tool}</h2>"
        '<p>The first one was of wood.<div class="printfooter">Retrieved from "https://x.example/old"</div>'
    )
    assert text_of(parsed(html)).markdown == (
        "# Bridges\n\nOur town has four bridges, and one more is being built.\n\n"
        "## History\n\nThe first one was of wood."
    )


@settings(deadline=None)
@given(st.text(max_size=200))
def test_no_text_becomes_markup(text: str) -> None:
    from html import escape

    body = f"<main><p>{escape(text)}</p></main>".encode("utf-8", "ignore")
    shown = text_of(parse(Page(URL, body, "text/html; charset=utf-8", TODAY), GROUND)).markdown
    assert _HTML.search(shown) is None
    assert not shown.startswith(("# ", "- ", "> ", "+ "))


@given(st.text())
def test_escaping_only_adds_backslashes(text: str) -> None:
    assert re.sub(r"\\([\\`*_\[\]<>|~&!])", r"\1", escaped(text)) == text
