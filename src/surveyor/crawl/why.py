"""Why a URL was fetched, skipped or waits, why a domain is crawled or not: read from the data."""

from __future__ import annotations

from dataclasses import dataclass, field

from surveyor.crawl.service import why_not_now
from surveyor.crawl.store import why as store
from surveyor.crawl.store.why import ImageRow, PageRow, ReasonCount
from surveyor.db import Database
from surveyor.names import PageUrl, url_key
from surveyor.net.robots import RobotsRules
from surveyor.registry.domain import Domain
from surveyor.registry.lifecycle import CrawlStatus
from surveyor.registry.store import rows

_REASON_TEXTS = {
    "redirect": "it leads to another page of the domain",
    "redirect_foreign": "it leads to another domain",
    "redirect_loop": "it redirects without end",
    "not_found": "the site says it does not exist",
    "gone": "the site says it is gone",
    "http_error": "the site answered with an error",
    "login_required": "the site asks for a login",
    "robots": "robots.txt forbids it",
    "noindex": "the page asks not to be kept",
    "closed_pattern": "pages like it ask not to be kept or followed, ask for a login, or give no page",
    "depth": "it is deeper than the limit; raise the depth and it is queued",
    "scope": "it is not a page of this domain",
    "not_a_page": "it is nothing we read",
    "sitemap": "it is a list of pages, which are queued",
    "feed": "it is a list of new pages, which are queued",
    "partial_list": "it is a list of pages with mistakes in it; those that are certain are queued",
    "needs_javascript": "it is empty without scripts; a Chromium on this machine can show it",
    "rendered": "it was shown by a browser: it is empty without scripts",
    "embedded": "it is empty without scripts; the data that it carries for them was read",
    "parse_failed": "it cannot be read",
    "soft_404": "the site says it does not exist, with status 200",
    "duplicate": "it is a page that is known under another address",
    "failed": "it failed three times over at least two visits",
    "not_an_image": "its bytes are not those of an image",
    "too_small": "it is too small to be more than a spacer or an icon",
    "noai": "the site asks to leave the image alone",
    "poison": "it took its process down three times",
    "quarantined": "what came of it could not be written, three times; `recrawl` tries again",
    "trap_length": "its address is too long to be a page's",
    "trap_repeat": "its address repeats itself",
    "trap_entities": "its address was encoded again and again",
    "trap_session": "it is a known page under another session's name",
    "trap_facets": "it is a known page in another order of filters, or with a parameter that changes nothing",
    "trap_calendar": "it is a page of a calendar without end",
    "trap_pattern": "pages like it brought nothing new for long",
    "trap_soft404": "the site answers so to everything",
    "trap_wildcard": "names below this domain are made up",
}
# Reasons of pages that were stored, and are other than they were fetched.
_OF_SCRIPTS = frozenset({"needs_javascript", "rendered", "embedded"})


@dataclass(frozen=True, slots=True)
class Explanation:
    subject: str
    verdict: str  # fetched, skipped, waiting, taken, unknown, or the domain's stage
    because: str
    details: dict[str, str] = field(default_factory=dict)


async def why_url(db: Database, url: PageUrl, agent: str) -> Explanation:
    async with db.read() as tx:
        domain = await rows.find(tx, url.domain)
        if domain is None:
            return Explanation(url.text, "unknown", f"{url.domain} is not in the register")
        page = await store.page(tx, domain.no, url_key(url.target))
        image = await store.image(tx, domain.no, url_key(url.target)) if page is None else None
        body = await store.robots_body(tx, f"{url.scheme}://{url.host}")
    rule = RobotsRules.parse(body, agent).rule_for(url.target) if body else None
    if image is not None:
        return _why_image(url, image, domain, rule)
    if page is None:
        not_now = why_not_now(domain)
        unseen = "no page that was fetched links to it"
        return Explanation(url.text, "unknown", f"{unseen}; the domain: {not_now}" if not_now else unseen)
    return Explanation(url.text, _verdict(page), _because(page, domain, rule), _details(page))


def _why_image(url: PageUrl, image: ImageRow, domain: Domain, rule: str | None) -> Explanation:
    found = {"state": image.state}
    for name, value in (
        ("reason", image.reason),
        ("detail", image.detail),
        ("status", image.status),
        ("attempts", image.attempts or None),
        ("image", image.image),
        ("sha256", image.sha256.hex() if image.sha256 else None),
        ("seen on pages", f"{image.sightings:,}"),
        *((f"page {number}", page) for number, page in enumerate(image.seen_on, 1)),
    ):
        if value is not None:
            found[name] = str(value)
    return Explanation(url.text, _verdict(image), f"an image; {_because(image, domain, rule)}", found)


def _verdict(page: PageRow | ImageRow) -> str:
    return {"done": "fetched", "ended": "skipped"}.get(page.state, page.state)


def _because(page: PageRow | ImageRow, domain: Domain, rule: str | None) -> str:
    if page.state == "done":
        said = f"fetched {page.fetched_at:%Y-%m-%d %H:%M} UTC with status {page.status}"
        return f"{said}; {reason_text(page.reason)}" if page.reason in _OF_SCRIPTS else said
    if page.state == "taken":
        return f"{domain.claimed_by} has claimed it"
    if page.state == "waiting":
        not_now = why_not_now(domain)
        place = f"place {page.place:,} of {domain.frontier_size:,} in its domain's queue"
        return f"{place}; {not_now}" if not_now else place
    said = reason_text(page.reason)
    return f"{said}: {rule}" if page.reason == "robots" and rule else said


def _details(page: PageRow) -> dict[str, str]:
    found = {"state": page.state, "depth": str(page.depth)}
    for name, value in (
        ("reason", page.reason),
        ("status", page.status),
        ("attempts", page.attempts or None),
        ("found_on", page.found_on),
    ):
        if value is not None:
            found[name] = str(value)
    return found


def _counted(each: ReasonCount) -> str:
    return f"{each.state} ({each.reason})" if each.reason else each.state


async def why_domain(db: Database, name: str) -> Explanation:
    async with db.read() as tx:
        domain = await rows.find(tx, name)
        if domain is None:
            return Explanation(name, "unknown", "it is not in the register; `surveyor submit` proposes it")
        counts = await store.by_reason(tx, domain.no)
        of_images = await store.images_by_reason(tx, domain.no)
    details = {_counted(each): f"{each.urls:,}" for each in counts}
    details |= {f"images {_counted(each)}": f"{each.urls:,}" for each in of_images}
    if domain.stopped_by:
        details["stopped_by"] = f"{domain.stopped_by}, {domain.frontier_size:,} left"
    return Explanation(name, domain.stage, why_not_now(domain) or _who_may(domain), details)


def _who_may(domain: Domain) -> str:
    if domain.crawl_status is CrawlStatus.EXHAUSTED and not domain.frontier_size:
        return "it was crawled to its end, and pages of it are due again; `refresh` visits them"
    return "a worker may take it now"


async def pages_by_reason(db: Database, no: int) -> list[ReasonCount]:
    """What became of a domain's URLs: stored, waiting, cut by which rule."""
    async with db.read() as tx:
        return await store.by_reason(tx, no)


def reason_text(reason: str | None) -> str:
    """A reason code in words."""
    return _REASON_TEXTS.get(reason or "", reason or "")
