"""Examines a workspace: each check is ok, a warning, or a failure with what to do."""

from __future__ import annotations

import platform
import shlex
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Literal

from sqlalchemy import select

from surveyor import __version__, private, profiles, settings
