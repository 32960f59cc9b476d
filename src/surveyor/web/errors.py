"""Why a visitor was not served; every other error is the services' own."""

from __future__ import annotations

from surveyor.errors import Refused


class NotLoggedIn(Refused):
    """Nobody we know asked; logging in or a token helps."""

    def __init__(self) -> None:
        super().__init__("log in first")


class NotAllowed(Refused):
    """Somebody we know asked for what their role or token does not allow."""

    def __init__(self, name: str, needs: str) -> None:
        self.name, self.needs = name, needs
        super().__init__(f"{name} may not do this: it needs the right to {needs}; ask an admin")


class ForgedRequest(Refused):
    """The request did not come from one of our own pages."""

    def __init__(self, why: str, message: str | None = None) -> None:
        self.why = why
        super().__init__(
            message or f"this did not come from a page of ours ({why}); load the page again, then retry"
        )


class SessionEnded(ForgedRequest):
    """The page was made for a session that is over: somebody logged out elsewhere, or it grew old."""

    def __init__(self) -> None:
        super().__init__(
            "its session is over",
            "you are logged out, and nothing was done; log in, then load the page again",
        )
