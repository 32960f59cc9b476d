"""Every error Surveyor raises on purpose, named for what happened.

    SurveyorError
    ├── UsageError                 the caller asked for something that cannot be (exit code 2)
    │   ├── NotADomain             a text that names no domain, with the reason
    │   ├── NotAUrl                a text that is no http(s) URL, with the reason
    │   ├── BadSettings            surveyor.toml or the environment is wrong
    │   ├── BadProfile             a profile is missing or wrong
    │   └── BadInput               a file or a value that cannot be read
    ├── NotFound                   the domain, worker or run asked for is not in the register
    ├── Refused                    understood, but not allowed
    │   ├── ForbiddenArrow         a lifecycle has no such arrow
    │   ├── StaleVersion           somebody changed the domain in between
    │   ├── LeaseLost              the lease's epoch has passed; nothing was written
    │   └── ProfileMismatch        the database belongs to another profile
    ├── DatabaseError              the database answered with an error
    │   ├── DatabaseUnreachable    it did not answer at all
    │   │   ├── FrontierUnreachable  the Redis that holds the frontier did not, or would not write
    │   │   └── FrontierLost       it answers, but its frontier is not the one the database knows
    │   ├── RefusedByDatabase      a CHECK or a trigger said no
    │   ├── Deadlocked             two transactions waited for each other; this one was rolled back
    │   ├── UnwritableValue        a value that its column cannot hold, such as text that is no Unicode
    │   └── SchemaOutdated         it answers, but its schema is not ours
    ├── BackgroundTaskEnded        a task that a process needs for as long as it lives has ended
    └── NetError                   the outside did not give what was asked for (see surveyor.net)

A message is one line and says what to do. Evidence is kept in attributes, so that a
caller never has to read the message.
"""

from __future__ import annotations

from collections.abc import Sequence


class SurveyorError(Exception):
    """Base of all; `exit_code` is what the command line ends with."""

    exit_code = 1


class UsageError(SurveyorError):
    exit_code = 2


class NotADomain(UsageError):
    def __init__(self, text: str, reason: str) -> None:
        self.text, self.reason = text, reason
        super().__init__(f"{_shown(text)} is not a domain: {reason}")


class NotAUrl(UsageError):
    def __init__(self, text: str, reason: str) -> None:
        self.text, self.reason = text, reason
        super().__init__(f"{_shown(text)} is not a web address: {reason}")


class BadSettings(UsageError):
    pass


class BadProfile(UsageError):
    pass


class BadInput(UsageError):
    pass


class NotFound(SurveyorError):
    pass


class Refused(SurveyorError):
    pass


class ForbiddenArrow(Refused):
    def __init__(self, lifecycle: str, source: str, target: str, why: str = "there is no such arrow") -> None:
        self.lifecycle, self.source, self.target = lifecycle, source, target
        super().__init__(f"{lifecycle} cannot go from {source} to {target}: {why}")


class StaleVersion(Refused):
    """A person's edit named a version that is no longer the present one."""

    def __init__(self, domain: str, seen: int, current: int, changes: Sequence[str] = ()) -> None:
        self.domain, self.seen, self.current, self.changes = domain, seen, current, tuple(changes)
        message = "; ".join(self.changes) or "look at it again"
        super().__init__(f"{domain} was changed since you looked (version {seen}, now {current}): {message}")


class LeaseLost(Refused):
    def __init__(self, domain: str, epoch: int) -> None:
        self.domain, self.epoch = domain, epoch
        super().__init__(f"the lease on {domain} (epoch {epoch}) has ended; nothing was written")


class ProfileMismatch(Refused):
    pass


class DatabaseError(SurveyorError):
    pass


class DatabaseUnreachable(DatabaseError):
    pass


class FrontierUnreachable(DatabaseUnreachable):
    pass


class FrontierLost(DatabaseUnreachable):
    def __init__(self, no: int) -> None:
        self.no = no
        super().__init__(
            f"the frontier of domain number {no} is not in Redis as the database knows it; it is rebuilt"
        )


class RefusedByDatabase(DatabaseError):
    pass


class Deadlocked(DatabaseError):
    pass


class UnwritableValue(DatabaseError):
    pass


class SchemaOutdated(DatabaseError):
    pass


class BackgroundTaskEnded(SurveyorError):
    """Something that should run as long as its process has ended; nothing is certain without it."""

    def __init__(self, task: str, process: str, why: str) -> None:
        self.task, self.process = task, process
        super().__init__(
            f"the {task} of {process} has ended ({why}), so it stops and gives back what it holds;"
            " start it again, and please report this line (--debug shows where)"
        )


class NetError(SurveyorError):
    """A request to the outside failed; `code` is the reason code that is stored."""

    def __init__(self, code: str, detail: str) -> None:
        self.code, self.detail = code, detail
        super().__init__(f"{code}: {detail}")


def _shown(text: str) -> str:
    """The offending text, safe for a terminal and short enough for one line."""
    printable = "".join(ch if ch.isprintable() else "�" for ch in text[:80])
    return f"“{printable}{'…' if len(text) > 80 else ''}”"
