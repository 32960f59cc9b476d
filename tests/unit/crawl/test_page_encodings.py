"""Links of pages that are not UTF-8: what stands behind the question mark is sent in the page's encoding."""

from __future__ import annotations

import pytest

from surveyor.crawl.page_process import PageReader
from surveyor.crawl.pages.scope import Scope
from surveyor.names import canonical_domain, parse_url
from surveyor.net.markup import LIGHT_BYTES

URL = parse_url("https://example.org/a/")


async def links(html: str, label: str, codec: str) -> list[str]:
    reader = PageReader()
    scope = Scope(canonical_domain("example.org"))
    try:
        body, kind = html.encode(codec), f"text/html; charset={label}"
        facts = await reader.page(body, kind, URL, scope, agent_token="surveyor")
        refresh = [facts.refresh.target] if facts.refresh else []
        return [target for target, _ in facts.links] + refresh
    finally:
        await reader.close()


@pytest.mark.parametrize(
    ("label", "codec", "href", "target"),
    [
        ("iso-8859-1", "cp1252", "/o.php?name=Müller&x=%20#Ü", "/o.php?name=M%FCller&x=%20"),
        ("windows-1251", "cp1251", "/?раздел=Новости", "/?%F0%E0%E7%E4%E5%EB=%CD%EE%E2%EE%F1%F2%E8"),
        ("shift_jis", "cp932", "/s?q=表", "/s?q=%95%5C"),
        ("iso-8859-1", "cp1252", "/Müller", "/M%C3%BCller"),
        ("utf-8", "utf-8", "/o.php?name=Müller", "/o.php?name=M%C3%BCller"),
        ("utf-16le", "utf-16-le", "/o.php?name=Müller", "/o.php?name=M%C3%BCller"),
    ],
)
async def test_a_query_is_sent_in_the_encoding_of_the_page(
    label: str, codec: str, href: str, target: str
) -> None:
    assert await links(f"<title>x</title><a href='{href}'>x</a>", label, codec) == [target]


async def test_a_character_that_the_encoding_lacks_is_sent_as_a_reference() -> None:
    assert await links("<a href='?q=&#1071;'>x</a>", "iso-8859-1", "cp1252") == ["/a/?q=%26%231071%3B"]


async def test_so_it_is_for_a_page_that_a_child_reads_and_for_a_refresh() -> None:
    heavy = "<meta http-equiv=refresh content='0;url=/b?ä'><a href='/?ö'>x</a>" + "x" * LIGHT_BYTES
    assert await links(heavy, "iso-8859-1", "cp1252") == ["/?%F6", "/b?%E4"]
