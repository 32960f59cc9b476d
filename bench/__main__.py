"""`python -m bench NAME [ARGS]` runs one benchmark, `all` runs each, no name lists them."""

from __future__ import annotations

import sys

import bench
from lab.runner import run

if __name__ == "__main__":
    sys.exit(run(bench, sys.argv[1:]))
