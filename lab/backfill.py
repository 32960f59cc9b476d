"""A log of millions of rows brought in twice: memory stays flat, the result is what SQL over the log says."""

from __future__ import annotations

import argparse
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

_START = datetime(2024, 1, 1)  # noqa: DTZ001 - as a log without zones writes it
_SPELLINGS = ("{}", "www.{}", "WWW.{}", "{}:443", "{}.")
# The peak of a log ten times as long may be so much higher: what an allocator keeps, not what a row leaves.
_FLAT = 1.25
_ALIVE = ("d0.example", "d1.example")


def main(argv: list[str]) -> int:
    given = argparse.ArgumentParser(prog="lab backfill", description=__doc__)
    given.add_argument("--rows", type=int, default=5_000_000)
    given.add_argument("--domains", type=int, default=50_000)
    given.add_argument("--kind", choices=("csv", "sqlite"), default="csv")
    plan = given.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="lab-backfill-") as folder:
        return _run(Path(folder), plan.rows, plan.domains, plan.kind)


def _run(folder: Path, rows: int, domains: int, kind: str) -> int:
    truth = folder / "log.sqlite"
    _write_sqlite(truth, _rows(rows, domains))
    long = truth if kind == "sqlite" else _as_csv(truth, folder / "long.csv", rows)
    short = folder / f"short.{kind}"
    if kind == "sqlite":
        _write_sqlite(short, _rows(rows // 10, domains))
    else:
        _as_csv(truth, short, rows // 10)
    _surveyor(folder, "init", str(folder / "ws"))
    register = folder / "ws" / "surveyor.db"
    _make_alive(folder, register)
    alive = _rows_of(register)
    _, low, _ = _backfill(folder, short)
    _, high, _ = _backfill(folder, long)
    print(f"peak memory of a dry run: {low:.0f} MB for {rows // 10:,} rows, {high:.0f} MB for {rows:,}")
    first, _, seconds = _backfill(folder, long, "--apply")
    print(f"applied: {first['rows']:,} rows, {first['domains']:,} domains in {seconds:.0f} s")
    once = _rows_of(register)
    again, _, seconds = _backfill(folder, long, "--apply")
    print(f"again: {again['kept']:,} left alone in {seconds:.0f} s")
    faults = list(_faults(truth, register, first, again))
    if _rows_of(register) != once:
        faults.append("a second run changed rows")
    if any(once[name] != row for name, row in alive.items()):
        faults.append("what was alive was overwritten")
    if high > low * _FLAT:
        faults.append(f"memory grew from {low:.0f} to {high:.0f} MB")
    for fault in faults:
        print(f"VIOLATION: {fault}")
    return 1 if faults else 0


def _rows(count: int, domains: int) -> Iterator[tuple[str, int, int, str]]:
    chance = random.Random(7)
    for _ in range(count):
        number = chance.randrange(domains)
        host = chance.choice(_SPELLINGS).format(f"d{number}.example")
        # One in ten domains fails most of the time.
        fails = chance.random() < (0.8 if number % 10 == 0 else 0.1)
        status = chance.choice((403, 404, 500)) if fails else 200
        when = _START + timedelta(minutes=chance.randrange(1_000_000))
        yield host, status, chance.randrange(9), f"{when}"


def _write_sqlite(path: Path, rows: Iterator[tuple[str, int, int, str]]) -> None:
    with sqlite3.connect(path) as log:
        log.execute("CREATE TABLE crawl_log (domain TEXT, status INT, images_found INT, crawled_at TEXT)")
        log.executemany("INSERT INTO crawl_log VALUES (?, ?, ?, ?)", rows)
    log.close()


def _as_csv(log: Path, path: Path, rows: int) -> Path:
    source = sqlite3.connect(log)
    with path.open("w") as file:
        file.write("domain,status,images_found,crawled_at\n")
        for row in source.execute(f"SELECT * FROM crawl_log LIMIT {rows}"):
            file.write(",".join(map(str, row)) + "\n")
    source.close()
    return path


def _make_alive(folder: Path, register: Path) -> None:
    """Two domains that are crawled here already: their counters are not those of the log."""
    named = folder / "alive.txt"
    named.write_text("\n".join(_ALIVE))
    _surveyor(folder, "--workspace", str(folder / "ws"), "ingest-seeds", str(named))
    with sqlite3.connect(register) as live:
        live.execute(
            "UPDATE domain_crawl SET crawl_status = 'active', pages_discovered = 9, pages_crawled = 3"
        )
    live.close()


def _rows_of(register: Path) -> dict[str, tuple[Any, ...]]:
    """Both rows of every domain, and how many events there are of it."""
    events = "(SELECT count(*) FROM events WHERE domain_no = domains.no)"
    query = f"SELECT domain, {events}, * FROM domains JOIN domain_crawl USING (no)"
    return {row[0]: row[1:] for row in sqlite3.connect(register).execute(query)}


def _faults(log: Path, register: Path, first: dict[str, Any], again: dict[str, Any]) -> Iterator[str]:
    """The register and the report beside plain SQL over the log."""
    name = "rtrim(replace(replace(lower(domain), 'www.', ''), ':443', ''), '.')"
    bad = "sum(status >= 400)"
    each = (
        f"SELECT {name} AS name, count(*) AS n, count(*) - {bad} AS had, {bad}, sum(images_found),"
        f" CASE WHEN {bad} * 2 > count(*) THEN 'blocked' ELSE 'exhausted' END AS state"
        " FROM crawl_log GROUP BY 1"
    )
    said = sqlite3.connect(log)
    expected = {row[0]: row[1:] for row in said.execute(each) if row[0] not in _ALIVE}
    columns = "pages_discovered, pages_crawled, total_error_count, images_found, crawl_status"
    query = f"SELECT domain, {columns} FROM domains JOIN domain_crawl USING (no)"
    found = {row[0]: row[1:] for row in sqlite3.connect(register).execute(query) if row[0] not in _ALIVE}
    wrong = [domain for domain, row in expected.items() if found.get(domain) != row]
    print(
        f"{len(expected):,} domains by SQL over the log, {len(found):,} in the register, {len(wrong)} differ"
    )
    if wrong or found.keys() != expected.keys():
        yield f"{len(wrong)} domains differ, such as {wrong[:3]}"
    if (first["new"], again["new"], again["kept"]) != (len(expected), 0, len(expected) + len(_ALIVE)):
        yield f"a second run was not idle: {again['new']} new, {again['kept']} left alone"
    marks = ", ".join("?" * len(_ALIVE))
    by_state = (
        f"SELECT state, count(*), round(avg(had), 2) FROM ({each}) WHERE name NOT IN ({marks})"
        " GROUP BY 1 ORDER BY 1"
    )
    hosts = said.execute("SELECT count(DISTINCT domain), count(*) FROM crawl_log").fetchone()
    by_sql = ([list(row) for row in said.execute(by_state, _ALIVE)], *hosts)
    lines = [[line["status"], line["domains"], line["avg_pages"]] for line in first["by_status"]]
    by_report = (lines, first["log_domains"], first["rows"])
    print(f"report: {by_report}")
    if by_sql != by_report:
        yield f"SQL over the log says {by_sql}, the report {by_report}"


def _backfill(folder: Path, log: Path, *more: str) -> tuple[dict[str, Any], float, float]:
    """The report, the peak memory in MB, and the seconds it took."""
    began = time.monotonic()
    out, peak = _surveyor(folder, "--workspace", str(folder / "ws"), "backfill", str(log), "--json", *more)
    return json.loads(out), peak, time.monotonic() - began


def _surveyor(folder: Path, *arguments: str) -> tuple[bytes, float]:
    out = folder / "out.json"
    with out.open("wb") as target:
        process = subprocess.Popen([sys.executable, "-m", "surveyor", *arguments], stdout=target)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"surveyor {' '.join(arguments)} ended with {process.returncode}")
    return out.read_bytes(), usage.ru_maxrss / 1024
