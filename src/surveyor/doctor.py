"""Examines a workspace: each check is ok, a warning, or a failure with what to do."""

from __future__ import annotations

import os
import platform
import shlex
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Literal

from sqlalchemy import func, select

from surveyor import __version__, entry_points, private, settings
from surveyor.crawl import service as crawl
from surveyor.db import Database, current_time, partitions, schema, sqlite
from surveyor.db.tables import events
from surveyor.discover.provider import accounts
from surveyor.errors import SurveyorError
from surveyor.extract.lexicon import missing_words
from surveyor.frontier.redis import health
from surveyor.operations import queries
from surveyor.operations.store import PartLine
from surveyor.process.supervisor import PartState
from surveyor.profiles import loader
from surveyor.registry import service, workers
from surveyor.render import NoBrowser, programs
from surveyor.settings import Settings

_LOW_DISK_BYTES = 1_000_000_000
_CLOCK_SECONDS = 5.0
# Workers looked at, those at work first.
_MOST_WORKERS = 1_000


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    result: Literal["ok", "warn", "fail"]
    message: str


async def examine(path: Path) -> list[Check]:
    return [check async for check in _all(path)]


async def _all(path: Path) -> AsyncIterator[Check]:
    yield Check("program", "ok", f"surveyor {__version__} on Python {platform.python_version()}")
    yield _disk(path)
    yield _rights(path)
    try:
        loaded = settings.load(path)
    except SurveyorError as error:
        yield Check("settings", "fail", str(error))
        return
    present = (path / settings.FILE_NAME).exists()
    yield Check("settings", "ok" if present else "warn", settings.FILE_NAME if present else _NO_FILE)
    if not loaded.net.contact:
        yield Check("contact", "warn", "net.contact is empty; set it, so that owners of sites can reach you")
    profile = _profile(path, loaded)
    yield profile
    yield _providers(path, loaded)
    if proxy := next((name for name in _PROXIES if os.environ.get(name)), None):
        yield Check("proxy", "warn", f"{proxy} is set and not used: {_DIRECT}")
    yield _plugins()
    yield _browser(loaded)
    if not present and not loaded.database.url:  # opening it would leave a database in a foreign folder
        yield Check("workspace", "fail", f"{path} {_NO_WORKSPACE}")
        return
    try:
        db = Database.open(loaded.database, path)
    except SurveyorError as error:
        yield Check("database", "fail", str(error))
        return
    try:
        async for check in _database(db, path, loaded, profile.result != "fail"):
            yield check
    finally:
        await db.close()
    if loaded.frontier.url:
        yield Check("redis", *await health.examine(loaded.frontier.url))


# As curl and others read them; a crawler that left the choice of addresses to a proxy could not guard it.
_PROXIES = ("https_proxy", "HTTPS_PROXY", "http_proxy", "all_proxy", "ALL_PROXY")
_DIRECT = "requests go out directly, since each address is checked before it is asked"

_NO_FILE = f"no {settings.FILE_NAME}; `surveyor init` makes one, the defaults hold meanwhile"
_NO_WORKSPACE = "is not a workspace; `surveyor init` makes one, --workspace names another"


def _providers(path: Path, loaded: Settings) -> Check:
    """Which search providers have what they need; a key is never shown."""
    try:
        found = accounts(loaded.providers, path)
    except SurveyorError as error:
        return Check("providers", "fail", str(error))
    ready = [account.name for account in found.values() if account.missing is None]
    for account in found.values():
        if account.settings.enabled and account.missing:
            return Check(
                "providers", "warn", f"{account.name} is switched on, but cannot be asked: {account.missing}"
            )
    if not ready:
        return Check(
            "providers", "warn", "no search provider is set up; `surveyor providers` says what to set"
        )
    missing = [account.name for account in found.values() if account.missing]
    return Check("providers", "ok", f"ready: {', '.join(ready)}; not set up: {', '.join(missing) or 'none'}")


def _plugins() -> Check:
    """What other packages bring, and what of it is broken."""
    found = [one for one in entry_points.every() if not one.is_built_in]
    broken = [f"{one.name} of {one.package}: {one.error}" for one in found if one.error]
    if broken:
        return Check("plugins", "warn", f"left out: {'; '.join(broken)}")
    return Check("plugins", "ok", ", ".join(f"{one.name} of {one.package}" for one in found) or "none")


def _browser(loaded: Settings) -> Check:
    """For pages that are empty without scripts; a choice, so none is no fault."""
    try:
        return Check("browser", "ok", programs.executable(loaded.render))
    except NoBrowser as error:
        return Check("browser", "ok", f"none: {error}")


def _disk(path: Path) -> Check:
    free = shutil.disk_usage(path).free
    message = f"{free / 1e9:,.1f} GB free"
    return (
        Check("disk", "ok", message)
        if free > _LOW_DISK_BYTES
        else Check("disk", "warn", f"only {message}; make room")
    )


# Files of a workspace looked at for their rights; one says what is to be done about all.
_MOST_FILES = 1_000


def _rights(path: Path) -> Check:
    """A folder that others cannot enter keeps what is in it; else every file must."""
    try:
        if not private.is_open_to_others(path):
            return Check("rights", "ok", "only you can read the workspace")
        found = sorted(one for one in islice(path.rglob("*"), _MOST_FILES) if private.is_open_to_others(one))
    except OSError as error:
        return Check("rights", "warn", f"{error.filename} cannot be looked at: {error.strerror}")
    if not found:
        return Check("rights", "ok", "only you can read the files of the workspace")
    names = ", ".join(str(one.relative_to(path)) for one in found[:3])
    more = f" and {len(found) - 3:,} more" if len(found) > 3 else ""
    mend = f"chmod -R go-rwx {shlex.quote(str(path.absolute()))}"
    return Check("rights", "warn", f"others on this machine may read {names}{more}; run: {mend}")


def _profile(path: Path, loaded: Settings) -> Check:
    try:
        profile = loader.load(loaded.profile, path)
    except SurveyorError as error:
        return Check("profile", "fail", str(error))
    if warning := missing_words(profile.languages):
        return Check("profile", "warn", f"{profile.name}: {warning}")
    return Check("profile", "ok", f"{profile.name} ({', '.join(profile.languages)}), {profile.hash[:12]}")


async def _database(db: Database, path: Path, loaded: Settings, with_profile: bool) -> AsyncIterator[Check]:
    if db.is_sqlite:
        yield _sqlite_version()
    try:
        async with db.read() as tx:
            theirs = await current_time(tx)
        yield Check("database", "ok", db.shown_url)
        yield _clock(theirs)
        await schema.require_current(db)
        yield await _schema(db, loaded.database.partitions)
        if ahead := await _ahead(db, theirs):
            yield ahead
        if with_profile:
            profile = loader.load(loaded.profile, path)
            await service.require_profile(db, profile.name, profile.hash)
            yield Check("register", "ok", _totals(await service.totals(db)))
            for part in await queries.parts(db):
                yield _part(part)
            for worker in await workers.listing(db, _MOST_WORKERS):
                if worker.stall is not None:
                    yield Check("worker", "fail", f"{worker.id} {worker.stall}")
            if count := await crawl.count_quarantined(db):
                yield _quarantined(count)
        if loaded.model.url or loaded.model.name:
            yield await _model(db, path, loaded)
    except SurveyorError as error:
        yield Check("database", "fail", str(error))


async def _schema(db: Database, wanted: int) -> Check:
    found = await partitions.count(db)
    if wanted in (0, found):
        return Check("schema", "ok", schema.head() + (f", URLs in {found} tables" if found > 1 else ""))
    message = f"URLs are in {found} of the {wanted} tables that database.partitions asks for"
    return Check("schema", "warn", f"{message}; stop the workers, then run `surveyor db upgrade`")


async def _model(db: Database, path: Path, loaded: Settings) -> Check:
    """The language model: what it may cost today, and whether it is left alone. It is not asked anything."""
    from surveyor.llm import endpoint, usage  # most workspaces do without

    chosen = loaded.model
    try:
        account = endpoint.account(chosen, path)
    except SurveyorError as error:
        return Check("model", "fail", str(error))
    used, resting = await usage.standing(db, account.mark)
    message = (
        f"{account.name}: {used.requests:,} of {chosen.requests_per_day:,} requests and {used.tokens:,} of"
        f" {chosen.tokens_per_day:,} tokens used today"
    )
    if resting is None:
        return Check("model", "ok", message)
    return Check("model", "warn", f"{message}; left alone until {resting.until:%H:%M} UTC: {resting.detail}")


def _quarantined(count: int) -> Check:
    """Pages and images that cost nobody anything any more, but should not be."""
    message = f"{count:,} pages or images were quarantined, for the database refused them three times"
    return Check("quarantine", "warn", f"{message}; please report what the log says of them")


def _part(part: PartLine) -> Check:
    """What `up` looks after, on whichever machine."""
    name = f"{part.name} on {part.machine}"
    if part.message == "not looked after":
        return Check("up", "warn", f"{name}: `surveyor up` is gone without a word; start it again")
    again = f", started again {part.restarts} times, last because it {part.note}" if part.note else ""
    return Check("up", "warn" if part.state is PartState.WAITING else "ok", f"{name}: {part.message}{again}")


def _sqlite_version() -> Check:
    import sqlite3  # the one that `db` put in place

    version = sqlite3.sqlite_version
    if sqlite.is_sound():
        return Check("sqlite", "ok", f"{version}, write-ahead log")
    return Check(
        "sqlite", "warn", f"{version} may corrupt a write-ahead log, so a rollback journal is used; slower"
    )


def _clock(theirs: datetime) -> Check:
    apart = abs((datetime.now(UTC) - theirs).total_seconds())
    if apart < _CLOCK_SECONDS:
        return Check("clock", "ok", f"{apart:.1f} s apart from the database's")
    return Check(
        "clock",
        "warn",
        f"{apart:.0f} s apart from the database's; set this machine's clock (leases are safe)",
    )


# The newest events, by which a clock that was set back is known.
_NEWEST_EVENTS = 1_000


async def _ahead(db: Database, theirs: datetime) -> Check | None:
    newest = select(events.c.at).order_by(events.c.id.desc()).limit(_NEWEST_EVENTS).subquery()
    async with db.read() as tx:
        latest: datetime | None = (await tx.execute(select(func.max(newest.c.at)))).scalar_one()
    if latest is None or (latest - theirs).total_seconds() < _CLOCK_SECONDS:
        return None
    message = f"it was set back: the register has events of {latest:%Y-%m-%d %H:%M} UTC"
    return Check("clock", "warn", f"{message}; set it right, or what is due waits until then")


def _totals(totals: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {stage}" for stage, count in sorted(totals.items())) or "no domains yet"
