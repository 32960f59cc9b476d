"""What is asked of a browser, and what comes back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import NamedTuple

from surveyor.errors import SurveyorError
from surveyor.net.fetcher import Response


class NoBrowser(SurveyorError):
    """None can be started here; the message says what to do."""


class RenderFailed(Exception):
    """The page stopped its browser or took too long; `reason` says which."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


class PageGone(RenderFailed):
    """Its process or its browser ended: by itself, or by us because it held too much or up the others."""


class Browsed(NamedTuple):
    """A request that a page made while it was shown, and that the policy lets through."""

    url: str
    kind: str
    """`script`, `data`, or `style`: the last for a screenshot alone."""


Ask = Callable[[Browsed], Awaitable[Response | None]]
"""Answers a page's request, in the site's turn; None: it is refused."""


class PageToRender(NamedTuple):
    """To be shown: its answer is here, and what it asks for is asked of `ask`."""

    url: str
    response: Response
    ask: Ask
    site: str = ""  # whose it is; the context of a page that is nobody's is used once
    screenshot: bool = False  # with its styles, and a screenshot of it


@dataclass(frozen=True, slots=True)
class Rendered:
    """A page as it was shown."""

    html: bytes  # UTF-8; without scripts and styles
    leads_to: str | None = None  # where its scripts wanted to go
    screenshot: bytes | None = None  # PNG, where one was wanted and could be taken
