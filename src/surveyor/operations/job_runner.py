"""Does jobs: takes one from the queue, runs its command, writes down what it says, stops it when asked."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import orjson

from surveyor.backoff import pause
from surveyor.db import Database
from surveyor.errors import DatabaseError
from surveyor.operations import job_store as store
from surveyor.operations import jobs
from surveyor.operations.jobs import JOB, SILENT, Job, JobKind, JobState
from surveyor.process.commands import command_line, ending, send, starting
from surveyor.registry.events import EventKind, NewEvent
from surveyor.registry.store import events

# Jobs of one machine at once: a search goes on beside a crawl.
_AT_ONCE: Final = 3
_LOOK_SECONDS: Final = 1.0
# What is kept of what a command says: the latest lines, and its summary.
_LINES, _LONGEST_LINE, _LONGEST_RESULT = 400, 500, 1_000_000
_LOST = "its machine was lost; start it again"
_S = JobState


class JobRunner:
    def __init__(self, db: Database, workspace: Path, say: Callable[[str], None]) -> None:
        self._db, self._workspace, self._say = db, workspace, say
        self._running: set[asyncio.Task[None]] = set()

    async def serve(self, stopping: asyncio.Event, *, until_empty: bool = False) -> None:
        """Do jobs until somebody wants to stop, or until none is left."""
        try:
            while not stopping.is_set():
                job = await self._next() if len(self._running) < _AT_ONCE else None
                if job is not None:
                    task = asyncio.create_task(self._do(job, stopping))
                    self._running.add(task)
                    task.add_done_callback(self._running.discard)
                elif until_empty and not self._running:
                    return
                else:
                    await pause(stopping, _LOOK_SECONDS)
        finally:
            if self._running:
                await asyncio.gather(*self._running, return_exceptions=True)

    async def _next(self) -> Job | None:
        try:
            async with self._db.write() as tx:
                await store.lost(tx, SILENT, _LOST)
                row = await store.claim(tx, socket.gethostname())
                return None if row is None else jobs.to_job(row)
        except DatabaseError as error:
            self._say(f"{error}; trying again")
            return None

    async def _do(self, job: Job, stopping: asyncio.Event) -> None:
        self._say(f"job {job.id}: {job.kind}")
        command = command_line(self._workspace, *jobs.arguments(job, self._workspace))
        if job.kind is JobKind.EXPORT:
            jobs.export_file(job, self._workspace).parent.mkdir(mode=0o700, exist_ok=True)
        said: deque[str] = deque(maxlen=_LINES)
        pipe = asyncio.subprocess.PIPE
        with starting() as starter:
            process = await starter.start(command, stdin=pipe, out=pipe, err=pipe)
            assert process.stdout and process.stderr and process.stdin
            text = str(job.options.get("text", "")).encode()
            parts = [
                asyncio.create_task(_feed(process.stdin, text)),
                asyncio.create_task(_lines(process.stderr, said)),
                asyncio.create_task(_all(process.stdout)),
            ]
            asked = await self._watch(job, process, said, stopping)
            *_, out = await asyncio.gather(*parts)
        await self._end(job, asked, process.returncode or 0, said, out or b"")

    async def _watch(
        self, job: Job, process: asyncio.subprocess.Process, said: deque[str], stopping: asyncio.Event
    ) -> bool:
        """Until the command is over; whether the machine was what wanted it to end."""
        gone = asyncio.create_task(process.wait())
        was_asked = False
        while not gone.done():
            await asyncio.wait([gone], timeout=_LOOK_SECONDS)
            state = await self._seen(job, said)
            if (stopping.is_set() or state in (_S.STOPPING, _S.PAUSING)) and not was_asked:
                was_asked = True
                send(process, signal.SIGINT)  # the first one ends a command after what it has begun
        return was_asked and stopping.is_set()

    async def _seen(self, job: Job, said: deque[str]) -> str:
        try:
            async with self._db.write() as tx:
                return await store.seen(tx, job.id, "\n".join(said))
        except DatabaseError:
            return _S.RUNNING  # the command itself says that the database is away

    async def _end(self, job: Job, by_machine: bool, code: int, said: deque[str], out: bytes) -> None:
        if code:
            said.append(f"the command {ending(code)}")
        async with self._db.write() as tx:
            now = jobs.to_job(await store.find(tx, job.id, lock=True))
            target = _target(now.state, code, by_machine)
            JOB.check(now.state, target)
            values = {"exit_code": code, "result": _result(out), "log": "\n".join(said)}
            is_over = target in (_S.DONE, _S.STOPPED, _S.FAILED)
            await store.move(tx, job.id, target, ended=is_over, **values)
            data = {"job": str(job.id), "kind": job.kind.value}
            if is_over:
                await events.append(
                    tx, [NewEvent(EventKind.JOB_ENDED, job.asked_by, to_state=target, data=data)]
                )
        self._say(f"job {job.id}: {target}")


def _target(state: JobState, code: int, by_machine: bool) -> JobState:
    if state is _S.STOPPING:
        return _S.STOPPED
    if state is _S.PAUSING:
        return _S.PAUSED
    if by_machine:
        return _S.QUEUED
    return _S.DONE if code == 0 else _S.FAILED


def _result(out: bytes) -> dict[str, Any] | None:
    with contextlib.suppress(orjson.JSONDecodeError):
        found = orjson.loads(out)
        return found if isinstance(found, dict) else {"rows": len(found)} if isinstance(found, list) else None
    return None


async def _feed(stdin: asyncio.StreamWriter, text: bytes) -> None:
    with contextlib.suppress(ConnectionError):
        stdin.write(text)
        await stdin.drain()
    stdin.close()


async def _lines(stream: asyncio.StreamReader, said: deque[str]) -> None:
    """The latest lines; a longer one than a pipe's buffer is cut."""
    rest = b""
    while chunk := await stream.read(8_192):
        *whole, rest = (rest + chunk).replace(b"\r", b"\n").split(b"\n")
        rest = rest[-_LONGEST_LINE:]
        said.extend(_clean(line)[:_LONGEST_LINE] for line in whole if line.strip())
    if rest.strip():
        said.append(_clean(rest))


async def _all(stream: asyncio.StreamReader) -> bytes:
    found = b""
    while chunk := await stream.read(65_536):
        if len(found) < _LONGEST_RESULT:
            found += chunk
    return found


def _clean(line: bytes) -> str:
    """As text that a database takes and a terminal does not obey: names of sites are in it."""
    return "".join(sign if sign.isprintable() else " " for sign in line.decode("utf-8", "replace"))
