"""The small Markdown of the sites."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.smallweb.markdown import to_html


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("# Title", "<h1>Title</h1>"),
        ("## Title\nText", "<h2>Title</h2>\n<p>Text</p>"),
        ("one\ntwo", "<p>one two</p>"),
        ("- a\n- **b**", "<ul><li>a</li><li><strong>b</strong></li></ul>"),
        ("1. a\n2. b", "<ol><li>a</li><li>b</li></ol>"),
        ("Term\n: what it is", "<dl><dt>Term</dt>\n<dd>what it is</dd></dl>"),
        ("see [here](/x)", '<p>see <a href="/x">here</a></p>'),
        ('![a "b"](/x.png)', '<p><img src="/x.png" alt="a &quot;b&quot;"></p>'),
        ("this & that &amp; more", "<p>this &amp; that &amp; more</p>"),
        ("<div>\n# not a heading\n</div>", "<div>\n# not a heading\n</div>"),
        (
            "| a | b |\n|---|---|\n| 1 | 2 |",
            "<table><thead><tr><th>a</th><th>b</th></tr></thead>\n"
            "<tbody>\n<tr><td>1</td><td>2</td></tr>\n</tbody></table>",
        ),
    ],
    ids=range(11),
)
def test_blocks_become_html(text: str, html: str) -> None:
    assert to_html(text) == html


@given(st.text(st.sampled_from("ab#|-*:[]()!<1. \n"), max_size=60))
def test_no_text_is_refused(text: str) -> None:
    to_html(text)
