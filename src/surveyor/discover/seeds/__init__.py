"""Seeds: lists of domains that an operator brings along, and sheets of decisions made before.

`source` opens a list wherever it lies and gives its lines; `formats` turns a line
into a name and a rank; `ingest` writes batches to the register. `decisions` reads a
sheet, `decide` carries it into the register; `detect` tells the two apart.
"""

from surveyor.discover.seeds.decide import DecisionsReport, decide
from surveyor.discover.seeds.decisions import read_decisions
from surveyor.discover.seeds.detect import with_format
from surveyor.discover.seeds.formats import SeedFormat, read_lines, read_scored
from surveyor.discover.seeds.ingest import IngestReport, ingest
from surveyor.discover.seeds.source import SeedSource, open_source

__all__ = [
    "DecisionsReport",
    "IngestReport",
    "SeedFormat",
    "SeedSource",
    "decide",
    "ingest",
    "open_source",
    "read_decisions",
    "read_lines",
    "read_scored",
    "with_format",
]
