"""Takes data out of the register, for spreadsheets and programs: rows of one moment, in a stable order.

- `values`: what can be had, in which formats, and which rows of it.
- `columns`: the columns of each, in a fixed order.
- `store/`: the rows, a page at a time.
- `writers/`: CSV, JSON Lines and Parquet.
- `target`: a file that appears under its name only when it is whole.
- `service`: all of it together.
"""

from surveyor.export.service import Order, to_file, to_stream
from surveyor.export.values import Format, What

__all__ = ["Format", "Order", "What", "to_file", "to_stream"]
