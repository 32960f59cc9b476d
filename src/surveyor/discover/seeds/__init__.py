"""Seeds: lists of domains that an operator brings along.

`source` opens a list wherever it lies and gives its lines; `formats` turns a line
into a name and a rank; `ingest` writes batches to the register.
"""

from surveyor.discover.seeds.formats import SeedFormat
from surveyor.discover.seeds.ingest import IngestReport, ingest
from surveyor.discover.seeds.source import SeedSource, open_source

__all__ = ["IngestReport", "SeedFormat", "SeedSource", "ingest", "open_source"]
