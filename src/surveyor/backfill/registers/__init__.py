"""Registers of others: their domains, candidates, sessions, search results, pages and extractions.

`columns` says what they call things, a module per table turns rows into values, `store/` writes them,
`service` reads the tables in the order in which they name each other.
"""

from surveyor.backfill.registers.columns import COLUMNS, Kind
from surveyor.backfill.registers.run import Run, TableReport
from surveyor.backfill.registers.service import ImportRequest, import_registers

__all__ = ["COLUMNS", "ImportRequest", "Kind", "Run", "TableReport", "import_registers"]
