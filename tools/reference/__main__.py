"""`python -m tools.reference` writes the generated files that changed, and names them."""

from __future__ import annotations

import sys

from tools.reference import pages
from tools.reference.sources import ROOT, Undescribed


def main() -> int:
    try:
        made = pages()
    except Undescribed as missing:
        print(missing, file=sys.stderr)  # noqa: T201
        return 1
    for name, text in made.items():
        path = ROOT / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {name}")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
