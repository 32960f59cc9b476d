"""A web server with bad manners: one handler per case, on a raw socket, for clients to survive.

The case is the first label of the host name, or else the first segment of the path:
`gzip-bomb.example` and `/gzip-bomb` are the same. `Hostile.requests` is the ground truth of
what was asked, `sent` of how much a case could get rid of before the client hung up. In a
process of its own: `python -m tests.support.hostile PORT`.
"""

from tests.support.hostile import cases  # fills CASES
from tests.support.hostile.server import CASES, MIB, PAGE, Hostile

__all__ = ["CASES", "MIB", "PAGE", "Hostile", "cases"]
