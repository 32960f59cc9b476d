"""Seeds: lists of domains that an operator brings along, and sheets of decisions made before.

`source` opens a list wherever it lies and gives its lines, `workbook` those of a workbook; `formats`
turns a line into a name and a rank, `tables` finds the column of addresses (`layout`, `addresses`), `linked`
those in any text; `ingest` writes batches to the register. `decisions` reads a sheet, `decide` carries it
into the register; `detect` tells them apart, and from texts that are no list (`prose`).
"""

from surveyor.discover.seeds.decide import DecisionsReport, decide
from surveyor.discover.seeds.decisions import read_decisions
from surveyor.discover.seeds.detect import with_format
from surveyor.discover.seeds.formats import BadLine, SeedFormat, SeedLine, read_lines, read_scored
from surveyor.discover.seeds.ingest import IngestReport, ingest
from surveyor.discover.seeds.linked import read_links
from surveyor.discover.seeds.source import SeedSource, open_list
from surveyor.discover.seeds.tables import Table, TableOptions, open_table

__all__ = [
    "BadLine",
    "DecisionsReport",
    "IngestReport",
    "SeedFormat",
    "SeedLine",
    "SeedSource",
    "Table",
    "TableOptions",
    "decide",
    "ingest",
    "open_list",
    "open_table",
    "read_decisions",
    "read_lines",
    "read_links",
    "read_scored",
    "with_format",
]
