"""The demo's last page: domains by stage, what was found and where, and why the rest was not crawled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from surveyor.cli import demo_queries, show
from surveyor.crawl.why import why_domain
from surveyor.extract import queries as extracted
from surveyor.registry import service
from surveyor.registry.domain import Domain, Stage
from surveyor.registry.store.listing import DomainFilter
from surveyor.review import queries as reviewing

if TYPE_CHECKING:
    from surveyor.bootstrap.workspace import Workspace
    from surveyor.cli.demo_scene import Scene
    from surveyor.extract.queries import RecordRow
    from surveyor.review.queries import Picture

# Rows of each table; the rest is counted.
_SHOWN = 14
_NAME, _WORDS = 44, 90  # characters of a name and of a reason
_CRAWLED = (Stage.CRAWLED, Stage.ACTIVE, Stage.CRAWLING)


class RecordOnPage(NamedTuple):
    """A record with the address of a page that mentions it."""

    record: RecordRow
    url: str


class Findings(NamedTuple):
    domains: list[Domain]
    records: list[RecordOnPage]
    pictures: list[tuple[Domain, Picture]]
    reasons: list[tuple[Domain, str]]
    """Of each domain that was not crawled."""


def report(scene: Scene) -> None:
    found = scene.ask(_look)
    scene.heading("The register", "Every domain that was named, by where it is now.", stage=False)
    show.print_table((("STAGE", "left"), ("DOMAINS", "right"), ("WHICH", "left")), _by_stage(found.domains))
    if found.records:
        _print_records(scene, found.records)
    if found.pictures:
        _print_pictures(scene, found.pictures)
    scene.heading("Not crawled, and why", "`surveyor why` says this of any domain and any URL.", stage=False)
    rows = [(domain.domain, domain.stage, show.cut(why, _WORDS)) for domain, why in found.reasons]
    show.print_table((("DOMAIN", "left"), ("STAGE", "left"), ("WHY", "left")), rows)


async def _look(workspace: Workspace) -> Findings:
    domains = await service.list_domains(workspace.db, DomainFilter(), demo_queries.MOST)
    records = [
        RecordOnPage(record, (await extracted.record_story(workspace.db, record.id)).sources[0].url)
        for record in await demo_queries.records(workspace)
        if record.kind != "organisation"
    ]
    pictures = [
        (domain, picture)
        for domain in domains
        for picture in (await reviewing.dossier(workspace.db, domain.no)).images
        if domain.images_stored
    ]
    reasons = [
        (domain, show.safe(await _why(workspace, domain)))
        for domain in domains
        if domain.stage not in _CRAWLED
    ]
    return Findings(
        domains, records, pictures, sorted(reasons, key=lambda one: (one[0].stage, one[0].domain))
    )


async def _why(workspace: Workspace, domain: Domain) -> str:
    if domain.stage is Stage.LOW_CONFIDENCE:
        return f"the judges gave it {domain.best_confidence}; nobody was asked, and it stays in the register"
    return (await why_domain(workspace.db, domain.domain)).because


def _by_stage(domains: Sequence[Domain]) -> Iterator[tuple[str, ...]]:
    counts = Counter(domain.stage for domain in domains)
    for stage in Stage:
        if counts[stage]:
            names = sorted(domain.domain for domain in domains if domain.stage is stage)
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            yield stage, str(counts[stage]), ", ".join(names[:3]) + more


def _print_records(scene: Scene, found: Sequence[RecordOnPage]) -> None:
    scene.heading(
        "Records",
        f"{show.count(len(found), 'record')} beside the organisations themselves, each with the page it"
        " stands on. They are published once a person approves the candidate: `surveyor candidates`.",
        stage=False,
    )
    columns = (("NAME", "left"), ("DETAILS", "left"))
    telling = sorted(
        found, key=lambda one: (one.record.values.get("deadline") is None, one.record.domain, one.record.name)
    )
    show.print_table(columns, [row for one in telling[:_SHOWN] for row in _record_rows(one)])
    if len(found) > _SHOWN:
        scene.line(f"and {len(found) - _SHOWN} more: surveyor records --all")


def _record_rows(found: RecordOnPage) -> tuple[show.Row, show.Note]:
    values = found.record.values
    says = [f"until {values['deadline']}"] if "deadline" in values else []
    says += [_amount(values)] if "amount_max" in values else []
    says += [str(values[name]) for name in ("hours", "phone", "location") if values.get(name)]
    name, said = show.safe(found.record.name)[:_NAME], show.safe("; ".join(says))[:_NAME]
    return (name, said), show.Note(show.safe(found.url))


def _amount(values: dict[str, Any]) -> str:
    return f"{int(values['amount_max']):,} {values.get('currency', '')}".rstrip()


def _print_pictures(scene: Scene, found: Sequence[tuple[Domain, Picture]]) -> None:
    scene.heading(
        "Pictures", f"{len(found)} stored once by content, each with where it was seen.", stage=False
    )
    columns = (("DOMAIN", "left"), ("PICTURE", "left"), ("SIZE", "right"), ("ADDRESS", "left"))
    rows = [
        (domain.domain, show.safe(one.alt)[:_NAME], f"{one.width}x{one.height}", show.safe(one.url))
        for domain, one in found[:_SHOWN]
    ]
    show.print_table(columns, rows)
    if len(found) > _SHOWN:
        scene.line(f"and {len(found) - _SHOWN} more in the archive")
