"""`python -m lab NAME [ARGS]` runs one lab, `all` runs each, no name lists them."""

from __future__ import annotations

import sys

import lab
from lab.runner import run

if __name__ == "__main__":
    sys.exit(run(lab, sys.argv[1:]))
