"""The door to the database: connections, transactions, and foreign errors translated.

`read` and `write` are the only ways in. A write on SQLite begins IMMEDIATE, so
that a transaction which read before it writes can never be told "busy" halfway.
What the driver raises comes out as one of our errors.
"""

from __future__ import annotations

import asyncio
import os
