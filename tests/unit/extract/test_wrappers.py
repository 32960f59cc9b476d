"""One article in the wrappers of real publishing systems: the same text and the same record in each.

What a system calls its boxes (`widget`, `sidebar`, `category-news`, `left`) says nothing of one page. The
class names are those the systems write; the article is ours.
"""

# ruff: noqa: E501 - markup as the systems write it
from __future__ import annotations

from datetime import date

import pytest

from surveyor.extract.profile_view import ProfileView
from surveyor.extract.reading import Reader
from surveyor.extract.values import Page

ARTICLE = """
<h1>Riverside Repair Grants</h1>
<p>The Alder Valley Trust gives grants of up to €4,000 to village associations that repair what stands along
the river: footbridges, landing stages, mill wheels and the small houses beside them.</p>
<p>Village associations registered in Austria can apply. Private owners cannot apply by themselves, but they
may join an association of their village and let it apply for the repair of what they own.</p>
<p>The deadline for applications is 30 April 2027. Every application is read by two members of the board,
and every applicant hears from us within six weeks after that day.</p>
<h2>How to apply</h2>
<p>Write two pages on what is broken, who will repair it and what it costs, add three photographs, and send
everything to the office. We answer questions on the telephone every weekday in the morning.</p>
"""
_MENU = '<ul><li><a href="/">Home</a></li><li><a href="/news">News</a></li><li><a href="/about">About</a></li></ul>'
_TEASERS = '<ul><li><a href="/a">Flood report</a></li><li><a href="/b">Annual meeting</a></li></ul>'

WRAPPERS = {
    "plain": "<main>{}</main>",
    "Blogger": '<div class="main section" id="main"><div class="widget Blog" id="Blog1"><div class="blog-posts hfeed">'
    '<div class="date-outer"><div class="post-outer"><div class="post hentry uncustomized-post-template">'
    '<div class="post-body entry-content">{}</div></div></div></div></div></div></div>'
    f'<div class="column-right-outer"><div class="sidebar section"><div class="widget">{_TEASERS}</div></div></div>',
    "WordPress": f'<div id="sidebar-left" class="widget-area">{_TEASERS}</div><div id="content" class="site-content">'
    '<article class="post-12 post type-post status-publish format-standard hentry category-news category-reviews '
    'tag-comments tag-sidebar"><div class="entry-content">{}</div></article></div>',
    "WordPress with blocks": '<div class="wp-site-blocks"><div class="wp-block-group has-sidebar related">'
    '<div class="wp-block-columns"><div class="wp-block-column left">{}</div></div></div></div>',
    "Elementor": '<div class="elementor elementor-12"><div class="elementor-widget-wrap"><div class="elementor-element '
    'elementor-widget elementor-widget-text-editor"><div class="elementor-widget-container">{}</div></div></div></div>',
    "Joomla": f'<div class="leftcol moduletable">{_TEASERS}</div><div class="left span9" id="component"><div class="blog'
    '-featured news"><div class="items-leading"><div class="leading-0">{}</div></div></div></div>',
    "Drupal": '<div class="region region-sidebar-first sidebar"><div class="node node-news node-teaser view-mode-full">'
    '<div class="field field-name-body">{}</div></div></div>',
    "TYPO3": '<div class="news news-single"><div class="article"><div class="teaser-text"></div>'
    '<div class="news-text-wrap ce-bodytext">{}</div></div></div>',
    "Wix": '<div id="SITE_CONTAINER"><div id="comp-k1" class="slider promo _3xJ5"><div data-testid="richTextElement" '
    'class="popup-text _1Q9if">{}</div></div></div>',
    "an old table": '<table width="100%"><tr><td class="left" width="150">'
    + _TEASERS
    + '</td><td class="right">{}</td></tr>'
    "</table>",
}


def _page(body: str) -> Page:
    head = "<!DOCTYPE html><html lang=en><head><title>Riverside Repair Grants | Alder Valley Trust</title></head>"
    # More than the article, as on many real pages: then no box is the page by its size alone.
    links = "".join(
        f'<li><a href="/archive/{n}">Report of the year {n}, with pictures</a></li>'
        for n in range(1950, 2026)
    )
    foot = f"<footer><ul>{links}</ul><p>© 2026 Alder Valley Trust</p></footer>"
    markup = f"{head}<body><nav>{_MENU}</nav>{body}{foot}</body></html>"
    return Page("https://aldervalley.example/grants/repair", markup.encode(), "text/html", date(2026, 11, 15))


@pytest.mark.parametrize("system", WRAPPERS)
def test_the_same_article_in_any_system_gives_the_same_text_and_record(
    system: str, view: ProfileView
) -> None:
    reader = Reader(view)
    plain = reader.read(_page(WRAPPERS["plain"].format(ARTICLE)))
    read = reader.read(_page(WRAPPERS[system].format(ARTICLE)))
    assert read.text.text == plain.text.text
    assert read.text.markdown == plain.text.markdown
    assert read.records == plain.records
    assert [record.kind for record in read.records if record.kind == "funding_program"] == ["funding_program"]
