"""What of a browser's CPU is a flood, and which page is suspected of it."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from surveyor.render import memory
from surveyor.render.cpu_watch import CpuWatch, Load, Look

BROWSER, NEAR, HOSTILE = 10, 11, 12


@dataclass
class Machine:
    """A browser whose processes have spent what a test says."""

    now: float = 0.0
    pages: dict[int, float] = field(default_factory=dict)
    others: dict[int, float] = field(default_factory=lambda: {BROWSER: 0.0})
    threads: dict[int, int] = field(default_factory=dict)
    last: list[int] = field(default_factory=list)
    opened: int = 2
    network: set[int] = field(default_factory=lambda: {13})

    def after(self, seen: CpuWatch, seconds: float, *, browser: float = 0.0, **pages: float) -> Look:
        """A look so many seconds later, in which the browser and the pages spent so many of CPU."""
        self.now += seconds
        self.others[BROWSER] += browser
        for name, spent in pages.items():
            process = {"near": NEAR, "hostile": HOSTILE}[name]
            self.pages[process] = self.pages.get(process, 0.0) + spent
        return seen.look(self.opened)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine()
    monkeypatch.setattr("surveyor.render.cpu_watch.time.monotonic", lambda: made.now)
    monkeypatch.setattr(memory, "spent", lambda _group: (dict(made.pages), dict(made.others)))
    monkeypatch.setattr(memory, "threads", lambda process: made.threads.get(process, 15))
    monkeypatch.setattr(memory, "put_process_last", made.last.append)
    monkeypatch.setattr(memory, "put_last", made.last.append)
    monkeypatch.setattr(memory, "put_process_back", lambda process: made.last.remove(process))
    monkeypatch.setattr(memory, "network_of", lambda _group: set(made.network))
    return made


def begun(machine: Machine, *, alone: bool = False) -> CpuWatch:
    """One that has looked once: the first look only learns what was spent before."""
    made = CpuWatch(BROWSER, alone=alone)
    assert machine.after(made, 2.5, browser=2.0) == Look(Load.CALM)
    return made


def test_a_flood_is_laid_to_the_page_that_computed_most(machine: Machine) -> None:
    seen = begun(machine)
    assert machine.after(seen, 1.0, browser=0.9, near=0.05, hostile=0.2) == Look(Load.FLOODED, HOSTILE)


def test_a_browser_may_work_for_each_page_that_was_opened(machine: Machine) -> None:
    seen = begun(machine)
    machine.opened += 4
    assert machine.after(seen, 1.0, browser=0.8, near=0.05).load is Load.CALM
    assert machine.after(seen, 1.0, browser=0.8, near=0.05).load is Load.FLOODED


def test_nobody_else_is_suspected_while_what_was_sent_is_on_its_way(machine: Machine) -> None:
    seen = begun(machine)
    assert machine.after(seen, 1.0, browser=0.9, near=0.05, hostile=0.2).suspect == HOSTILE
    del machine.pages[HOSTILE]  # ended
    later = [machine.after(seen, 1.0, browser=0.9, near=0.2) for _ in range(4)]
    assert [each.suspect for each in later] == [None, None, None, NEAR]


def test_a_page_that_computes_less_than_a_flood_needs_is_not_suspected(machine: Machine) -> None:
    seen = begun(machine)
    assert machine.after(seen, 1.0, browser=0.9, near=0.05) == Look(Load.FLOODED, None)


def test_a_process_that_was_busy_is_as_the_others_once_it_is_calm(machine: Machine) -> None:
    seen = begun(machine)
    machine.after(seen, 1.0, near=0.9)
    assert machine.last == [NEAR]
    for _ in range(3):  # pages of one site, one after the other in one process
        machine.after(seen, 1.0, near=0.4)
    assert machine.last == []


def test_a_network_that_is_gone_is_a_loss_and_one_that_is_new_is_none(machine: Machine) -> None:
    seen = begun(machine)
    machine.network = {14}
    machine.after(seen, 1.0)
    assert seen.losses == 1
    machine.after(seen, 1.0)
    assert seen.losses == 1, "counted once"


def test_a_flood_that_does_not_stop_ends_the_browser(machine: Machine) -> None:
    seen = begun(machine)
    loads = [machine.after(seen, 1.0, browser=0.9).load for _ in range(10)]
    assert loads == [Load.FLOODED] * 9 + [Load.DROWNED]


def test_a_browser_that_starts_is_not_called_flooded(machine: Machine) -> None:
    seen = begun(machine)
    assert machine.after(seen, 0.4, browser=0.4, hostile=0.1).load is Load.CALM
    assert machine.after(seen, 0.4, browser=0.4, hostile=0.1).load is Load.FLOODED


def test_a_page_of_many_threads_is_the_one(machine: Machine) -> None:
    seen = begun(machine)
    machine.threads[HOSTILE] = 200
    assert machine.after(seen, 1.0, near=0.4, hostile=0.1) == Look(Load.FLOODED, HOSTILE)


@pytest.mark.parametrize(("alone", "last"), [(False, [HOSTILE]), (True, [HOSTILE, BROWSER])])
def test_a_page_that_computes_stands_last_and_its_browser_with_it_if_nobody_else_is_there(
    machine: Machine, alone: bool, last: list[int]
) -> None:
    seen = begun(machine, alone=alone)
    assert machine.after(seen, 1.0, near=0.2, hostile=0.6).load is Load.CALM
    assert machine.last == last


def test_between_two_looks_nothing_is_read(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = begun(machine)
    monkeypatch.setattr(memory, "spent", None)
    assert machine.after(seen, 0.1, browser=5.0) == Look(Load.CALM)
