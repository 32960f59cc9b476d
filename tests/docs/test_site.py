"""The docs as a site: every page is on it, and no link of it leads nowhere."""

from __future__ import annotations

import re
from pathlib import Path

from tools import site
from tools.reference.sources import ROOT


def test_every_page_is_staged_and_every_link_leads_to_a_staged_file(tmp_path: Path) -> None:
    site.stage(tmp_path)
    source = tmp_path / "source"
    assert (source / "index.md").is_file()
    assert 'scheme = "slate"' in (tmp_path / "zensical.toml").read_text(), "a reader of dark pages gets them"
    assert len(list(source.rglob("*.md"))) == len(site.pages()) >= 40
    for page in source.rglob("*.md"):
        for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
            file = link.partition("#")[0]
            if file and "://" not in link:
                assert (page.parent / file).is_file(), f"{page.relative_to(source)} links to {link}"


def test_links_to_code_become_words_and_links_to_pages_stay() -> None:
    known = {ROOT / "docs" / "leases.md"}
    text = "[leases](leases.md#x), [an example](../examples/shelters/), ![gone](img/none.png)[there](https://a.example/)"
    shown = "[leases](leases.md#x), an example, [there](https://a.example/)"
    assert site.linked(text, ROOT / "docs" / "plugins.md", known) == shown
