"""Submissions as values: who names what, what they are held to, what they are answered."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from surveyor.errors import BadInput, UsageError
from surveyor.names import DEFAULT_RULES, NameRules, canonical_domain, parse_url
from surveyor.registry.actors import Actor, Role
from surveyor.registry.domain import SubmitterType
from surveyor.settings import ReviewSettings

# Links from the start page that a submitted domain gets, unless staff says otherwise.
DEPTH = 3
LONGEST_TEXT = 2_048  # characters; the longest URL browsers and servers agree on
LONGEST_CONTEXT = 2_000  # characters of one submission


class Outcome(StrEnum):
    """What a submission came to; the table of answers."""

    SUBMITTED = "submitted"  # new, and waits for a reviewer
    SUBMITTED_AGAIN = "submitted_again"  # was rejected, and waits for a reviewer again
    ALREADY_SUBMITTED = "already_submitted"  # waits for a reviewer; the context was added
    ALREADY_APPROVED = "already_approved"  # may be crawled; offers to crawl it again
    QUEUED = "queued"  # the URL waits to be fetched
    ALREADY_KNOWN = "already_known"  # the URL waits already, or was fetched
    OUT_OF_REACH = "out_of_reach"  # the domain's depth does not reach this URL
    ASKS = "asks"  # nothing happened yet: shall the domain be submitted for review?
    REJECTED = "rejected"  # a person said no, with a reason; it may be submitted again
    SUSPENDED = "suspended"  # stopped by a person; nothing happened
    BLACKLISTED = "blacklisted"  # never again; nothing happened


@dataclass(frozen=True, slots=True)
class Submitter:
    """Who names something. Staff is not limited; everybody else by account or address."""

    name: str
    is_staff: bool
    address: str = ""

    @classmethod
    def of(cls, actor: Actor, address: str = "") -> Submitter:
        return cls(actor.name, actor.role in (Role.ADMIN, Role.REVIEWER), address)

    @classmethod
    def public(cls, address: str) -> Submitter:
        return cls("public", False, address)

    @property
    def kind(self) -> SubmitterType:
        return SubmitterType.ADMIN if self.is_staff else SubmitterType.PUBLIC_USER


@dataclass(frozen=True, slots=True)
class Submission:
    """What was written. `for_review` is the yes to "would you like to submit it for review?"."""

    text: str
    context: str | None = None
    for_review: bool = False
    depth: int | None = None
    delay_seconds: float | None = None
    max_pages: int | None = None


@dataclass(frozen=True, slots=True)
class SubmissionAnswer:
    outcome: Outcome
    domain: str
    message: str  # one line for a person
    url: str | None = None
    offers: str | None = None  # what the person may do next: `review` or `recrawl`
    reason: str | None = None  # why it was rejected


@dataclass(frozen=True, slots=True)
class Intake:
    """What submissions are held to."""

    limits: ReviewSettings = field(default_factory=ReviewSettings)
    rules: NameRules = DEFAULT_RULES
    max_depth: int | None = DEPTH  # of domains that have none of their own; None is without limit


@dataclass(frozen=True, slots=True)
class Named:
    """What the text names."""

    domain: str
    url: str | None  # None: the domain itself
    target: str


def read(given: Submission, by: Submitter, rules: NameRules) -> Named:
    """What a submission names, or an error that says what is wrong with it."""
    text = given.text.strip()
    if not text:
        raise BadInput("name a domain or a URL")
    if len(text) > LONGEST_TEXT:
        raise BadInput(f"a submission has at most {LONGEST_TEXT:,} characters, this one has {len(text):,}")
    if given.context is not None and len(given.context) > LONGEST_CONTEXT:
        raise BadInput(f"a context has at most {LONGEST_CONTEXT:,} characters")
    if not by.is_staff and (given.depth, given.delay_seconds, given.max_pages) != (None, None, None):
        raise UsageError("depth, delay and budget are for reviewers to set")
    _check_limits(given)
    if "://" not in text and not any(mark in text for mark in "/?#"):
        return Named(canonical_domain(text, rules), None, "/")
    url = parse_url(text if "://" in text else f"https://{text}", rules=rules)
    return Named(url.domain, None if url.target == "/" else url.text, url.target)


def _check_limits(given: Submission) -> None:
    if given.depth is not None and not 0 <= given.depth <= 1_000:
        raise UsageError(f"a depth is 0 to 1,000, not {given.depth}")
    if given.delay_seconds is not None and not 0 <= given.delay_seconds <= 3_600:
        raise UsageError(f"a delay is 0 to 3,600 seconds, not {given.delay_seconds:g}")
    if given.max_pages is not None and given.max_pages < 1:
        raise UsageError(f"a budget is at least 1 page, not {given.max_pages}")


def clean(context: str | None) -> str | None:
    """A text without what a database or a terminal cannot take."""
    if context is None:
        return None
    text = "".join(ch if ch.isprintable() or ch in "\n\t" else " " for ch in context).strip()
    return text or None
