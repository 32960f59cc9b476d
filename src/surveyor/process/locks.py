"""A lock file per worker: on one machine, a process that is gone is known at once.

With SQLite all workers share the machine, so a lease whose holder's lock is free
need not be waited for. The lock belongs to the process (not to a child it forked)
and the operating system drops it however the process ends.

Where workers may run on many machines, a file says on which it was made: by the boot of that machine.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from surveyor import private
from surveyor.errors import Refused

try:
    import fcntl
except ImportError:  # no such locks here: leases end by time alone
    fcntl = None  # type: ignore[assignment]

# Locks of this very process do not conflict with its own look-ups, so they are remembered.
_held: set[Path] = set()
# A forked child holds none of its parent's locks, and must not remove their files.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_held.clear)


class WorkerLock:
    """Held from before a worker's first claim until its process ends."""

    def __init__(self, folder: Path, worker: str) -> None:
        self.path = _file(folder, worker)
        if self.path in _held:
            raise _taken(worker)
        private.make_folder(self.path.parent)
        self._fd = os.open(self.path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, private.FILE)
        if fcntl is not None:
            try:
                fcntl.lockf(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except (BlockingIOError, PermissionError):  # as the system spells "held by another"
                os.close(self._fd)
                raise _taken(worker) from None
        os.truncate(self._fd, 0)
        os.write(self._fd, _boot())
        _held.add(self.path)

    def close(self) -> None:
        if self.path in _held:
            _held.discard(self.path)
            self.path.unlink(missing_ok=True)
            os.close(self._fd)


def is_dead(folder: Path, worker: str, *, may_be_elsewhere: bool = False) -> bool:
    """Whether the worker's process is surely gone. In doubt it lives, and its lease ends by time.

    One that may be on another machine is surely gone only where its file is of this boot.
    """
    path, boot = _file(folder, worker), _boot() if may_be_elsewhere else None
    if fcntl is None or path in _held or boot == b"":
        return False
    try:
        fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return boot is None  # it locks before it claims and removes the file last
    except OSError:
        return False
    try:
        if boot is not None and os.read(fd, len(boot) + 1) != boot:
            return False
        fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink(missing_ok=True)
        return True
    except OSError:
        return False
    finally:
        os.close(fd)


@cache
def _boot() -> bytes:
    """Tells this machine, since it was started, from others; nothing where the system does not say."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_bytes().strip()
    except OSError:
        return b""


def _file(folder: Path, worker: str) -> Path:
    safe = "".join(ch if ch.isalnum() or ch in "-_." else "_" for ch in worker)
    # Resolved: the same file under another spelling would be opened, and closing it drops our lock.
    return folder.resolve() / f"{safe}.lock"


def _taken(worker: str) -> Refused:
    return Refused(f"a worker named {worker} is at work already; start this one under another name")
