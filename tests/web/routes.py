"""Every route with what it needs, written down a second time: a route that is not here fails the build."""

from __future__ import annotations

from surveyor.people import Scope
from tests.web.world import World

READ, SUBMIT, REVIEW, ADMIN = Scope.READ, Scope.SUBMIT, Scope.REVIEW, Scope.ADMIN

NEEDS: dict[tuple[str, str], Scope | None] = {
    ("GET", "/healthz"): None,
    ("GET", "/readyz"): None,
    ("GET", "/static/{mark}/{name}"): None,
    ("GET", "/login"): None,
    ("POST", "/login"): None,
    ("POST", "/logout"): None,
    ("POST", "/theme"): None,
    ("GET", "/submit"): None,
    ("POST", "/submit"): None,
    ("GET", "/confirm/{key}"): None,
    ("POST", "/confirm/{key}"): None,
    ("GET", "/submissions"): SUBMIT,
    ("GET", "/"): READ,
    ("GET", "/live"): READ,
    ("GET", "/review"): READ,
    ("POST", "/decide"): REVIEW,
    ("GET", "/candidates"): READ,
    ("GET", "/candidates.{kind}"): READ,
    ("POST", "/candidates/next"): REVIEW,
    ("GET", "/candidates/{number}"): READ,
    ("POST", "/candidates/{number}/take"): REVIEW,
    ("POST", "/candidates/{number}/give-back"): REVIEW,
    ("POST", "/candidates/{number}/decide"): REVIEW,
    ("POST", "/candidates/{number}/skip"): REVIEW,
    ("POST", "/candidates/{number}/reopen"): REVIEW,
    ("POST", "/candidates/{number}/assign"): REVIEW,
    ("POST", "/candidates/{number}/notes"): REVIEW,
    ("POST", "/saved"): READ,
    ("POST", "/saved/{number}/remove"): READ,
    ("GET", "/domains"): READ,
    ("GET", "/domains.{kind}"): READ,
    ("POST", "/domains/bulk"): REVIEW,
    ("GET", "/domains/{name}"): READ,
    ("GET", "/domains/{name}/panel"): READ,
    ("POST", "/domains/{name}/limits"): REVIEW,
    ("POST", "/domains/{name}/recrawl"): REVIEW,
    ("POST", "/domains/{name}/reset"): REVIEW,
    ("POST", "/domains/{name}/forget"): ADMIN,
    ("GET", "/domains/{name}/merge"): REVIEW,
    ("POST", "/domains/{name}/merge"): REVIEW,
    ("GET", "/domains/{name}/pages"): READ,
    ("GET", "/domains/{name}/pages/{key}"): READ,
    ("GET", "/domains/{name}/contacts"): READ,
    ("GET", "/snapshots/{number}"): READ,
    ("GET", "/snapshots/{number}/raw"): READ,
    ("GET", "/snapshots/{number}/screenshot"): READ,
    ("GET", "/snapshots/{older}/{newer}"): READ,
    ("GET", "/blacklist"): READ,
    ("GET", "/quality"): READ,
    ("GET", "/records"): READ,
    ("GET", "/records.{kind}"): READ,
    ("GET", "/records/{number}"): READ,
    ("POST", "/records/{number}/correct"): REVIEW,
    ("POST", "/records/{number}/hide"): REVIEW,
    ("POST", "/records/{number}/merge"): REVIEW,
    ("POST", "/domains/{name}/records"): REVIEW,
    ("GET", "/quarantine"): READ,
    ("POST", "/quarantine"): REVIEW,
    ("GET", "/sessions"): READ,
    ("POST", "/providers/{name}/resume"): ADMIN,
    ("GET", "/jobs"): READ,
    ("POST", "/jobs"): REVIEW,
    ("POST", "/jobs/serve"): REVIEW,
    ("GET", "/jobs/{number}"): READ,
    ("GET", "/jobs/{number}/file"): REVIEW,
    ("POST", "/jobs/{number}/stop"): REVIEW,
    ("POST", "/jobs/{number}/resume"): REVIEW,
    ("GET", "/runs"): READ,
    ("GET", "/runs/live"): READ,
    ("GET", "/runs/{number}"): READ,
    ("POST", "/claims/release"): ADMIN,
    ("GET", "/events"): READ,
    ("GET", "/events.{kind}"): READ,
    ("GET", "/profile/draft"): REVIEW,
    ("POST", "/profile/draft"): REVIEW,
    ("POST", "/profile/activate"): ADMIN,
    ("GET", "/find"): READ,
    ("GET", "/why"): READ,
    ("GET", "/account"): SUBMIT,
    ("POST", "/account/password"): SUBMIT,
    ("POST", "/account/tokens"): SUBMIT,
    ("POST", "/account/tokens/{number}/revoke"): SUBMIT,
    ("GET", "/users"): ADMIN,
    ("POST", "/users"): ADMIN,
    ("POST", "/users/{name}/disable"): ADMIN,
    ("POST", "/users/{name}/enable"): ADMIN,
    ("POST", "/users/{name}/password"): ADMIN,
    ("POST", "/users/{name}/role"): ADMIN,
    ("GET", "/profile"): READ,
    ("GET", "/settings"): ADMIN,
    ("POST", "/settings/webhooks/{name}/test"): ADMIN,
    ("POST", "/settings/mail/test"): ADMIN,
    ("POST", "/settings/outbox/{number}/again"): ADMIN,
}
MAY: dict[str, frozenset[Scope | None]] = {
    "nobody": frozenset({None}),
    "submitter": frozenset({None, SUBMIT}),
    "reviewer": frozenset({None, SUBMIT, READ, REVIEW}),
    "admin": frozenset({None, SUBMIT, READ, REVIEW, ADMIN}),
}


def example(path: str, world: World) -> str:
    """An address of that route that leads somewhere."""
    values = {
        "/domains.{kind}": "/domains.csv?stage=blocked",
        "/candidates.{kind}": "/candidates.csv",
        "/records.{kind}": "/records.csv?view=all",
        "/events.{kind}": "/events.jsonl?kind=DomainApproved",
        "/static/{mark}/{name}": "/static/none/htmx.min.js",
        "/snapshots/{number}": f"/snapshots/{world.newer}",
        "/snapshots/{number}/raw": f"/snapshots/{world.newer}/raw",
        "/snapshots/{number}/screenshot": f"/snapshots/{world.newer}/screenshot",
        "/records/{number}": f"/records/{world.found.record}",
        "/snapshots/{older}/{newer}": f"/snapshots/{world.older}/{world.newer}",
        "/candidates/{number}": f"/candidates/{world.candidate}",
        "/jobs/{number}": f"/jobs/{world.job}",
        "/runs/{number}": f"/runs/{world.run}",
    }
    if path in values:
        return values[path]
    if path.startswith(("/users/", "/providers/")):
        return path.replace("{name}", "nobody")
    filled = path.replace("{name}", world.domain).replace("{key}", str(world.key))
    return filled.replace("{number}", "00000000-0000-7000-8000-000000000000")


# Pages that show something, each with a query where that shows more.
def shown(world: World) -> list[str]:
    found = [
        example(path, world)
        for (method, path), needs in NEEDS.items()
        if method == "GET"
        and needs is not None
        and not path.endswith(("/raw", "/screenshot", "{kind}", "/file"))
    ]
    return [
        *found,
        "/review?order=confident",
        "/review?all=1",
        "/domains?stage=blocked",
        "/domains?q=wait",
        "/domains?review=approved&sort=-crawled",
        "/domains/xn--pple-43d.example",
        f"/domains/{world.blacklisted}",
        "/candidates?status=all",
        "/records?view=all",
        "/records?view=gone",
        "/records?view=changed",
        f"/records?view=all&kind=organisation&domain={world.domain}",
        f"/records/{world.found.gone}",
        f"/snapshots/{world.found.aside}",
        f"/domains/{world.domain}/contacts?gone=1",
        f"/domains/{world.domain}/merge?with={world.blacklisted}",
        "/profile?title=Grants+for+villages&text=Apply+by+May",
        "/submit",
        "/find?q=found",
        f"/why?url=https://{world.domain}/programmes/3?lang=en",
        f"/why?url=https://{world.domain}/nobody-links-here",
    ]


# The same page with other rows, and parts of pages.
_NO_OTHER_LOOK = (
    "?order=",
    "?all=",
    "?stage=",
    "?q=",
    "?review=",
    "?gone=",
    "?view=all",
    "?view=gone",
    "/live",
)


def looks(world: World) -> list[str]:
    """Pages of which each looks another way."""
    return [path for path in shown(world) if not any(mark in path for mark in _NO_OTHER_LOOK)]
