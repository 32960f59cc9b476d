"""The docs as a site with search: `./dev docs` copies the Markdown beside a menu and has zensical build it.

The pages stay where they are read on a forge. So they are copied with the same folders, and links to what is
no page (code, folders) become plain words, for a site has nothing there.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from tools.reference.sources import ROOT

SITE = ROOT / ".site"
_FRONT = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
_FOREIGN = re.compile(r"<(?:script|img|iframe)[^>]*\ssrc=\"?https?:|<link[^>]*stylesheet[^>]*href=\"?https?:")
# No fonts, scripts or pictures from elsewhere: the site works without a network.
_HEAD = """\
[project]
site_name = "Surveyor"
docs_dir = "source"
site_dir = "html"
use_directory_urls = false

[project.theme]
font = false
features = ["navigation.sections", "navigation.top", "search.highlight"]

[[project.theme.palette]]
media = "(prefers-color-scheme: light)"
scheme = "default"
toggle = { icon = "lucide/sun", name = "Dark colours" }

[[project.theme.palette]]
media = "(prefers-color-scheme: dark)"
scheme = "slate"
toggle = { icon = "lucide/moon", name = "Light colours" }

[project.plugins.search]
"""


def pages() -> list[str]:
    """Every page of the site, by its path below the project."""
    found = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md"))
    return [*_FRONT, *found]


def linked(text: str, page: Path, known: set[Path]) -> str:
    """The text of a page, with links to what is not on the site as plain words."""

    def kept(match: re.Match[str]) -> str:
        is_picture, words, target = match.groups()
        file = target.partition("#")[0]
        if "://" in target or not file or (page.parent / file).resolve() in known:
            return match.group()
        return "" if is_picture else words

    return _LINK.sub(kept, text)


def stage(folder: Path) -> None:
    """Write the sources of the site."""
    shutil.rmtree(folder, ignore_errors=True)
    pictures = [path for path in (ROOT / "docs" / "img").iterdir() if path.is_file()]
    known = {*(ROOT / name for name in pages()), *pictures}
    for name in pages():
        target = folder / "source" / ("index.md" if name == "README.md" else name)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = linked((ROOT / name).read_text(encoding="utf-8"), ROOT / name, known)
        target.write_text(re.sub(r"\((?:\.\./)*README\.md", _to_index, text), encoding="utf-8")
    for picture in pictures:
        target = folder / "source" / picture.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(picture, target)
    (folder / "zensical.toml").write_text(_HEAD, encoding="utf-8")


def _to_index(match: re.Match[str]) -> str:
    """Of the project's own README; the one of the decisions is a page like any other."""
    return match.group() if match.group() == "(README.md" else match.group().replace("README.md", "index.md")


def main() -> int:
    stage(SITE)
    builder = ROOT / ".venv-docs" / "bin" / "zensical"
    built = subprocess.run([builder, "build", "--strict", "-f", "zensical.toml"], cwd=SITE, check=False)  # noqa: S603
    if built.returncode:
        return built.returncode
    if foreign := [
        page.name for page in (SITE / "html").rglob("*.html") if _FOREIGN.search(page.read_text())
    ]:
        print(f"these pages load something from elsewhere: {', '.join(foreign[:5])}")  # noqa: T201
        return 1
    print(f"to read and search it: python3 -m http.server -d {SITE / 'html'} -b 127.0.0.1")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
