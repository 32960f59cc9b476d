"""The table of domains as its address says it: filters, order and place, read and written in one way."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from surveyor.errors import BadInput, NotADomain
from surveyor.names import NameRules, canonical_domain
from surveyor.registry.domain import Stage
from surveyor.registry.lifecycle import QualityStatus, ReviewStatus
from surveyor.registry.table import SORTS, DomainFilter

_LONGEST = 300
_CHOICES = {"stage": Stage, "review": ReviewStatus, "quality": QualityStatus}
_TEXTS = ("q", "suffix", "source", "reason", "decided_by")
_FILTERS = (*_CHOICES, *_TEXTS)
FORMATS = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson"}


@dataclass(frozen=True, slots=True)
class View:
    """What an address asks for; `values` holds only what was given."""

    values: dict[str, str]
    sort: str
    after: str

    @classmethod
    def parse(cls, query: str) -> View:
        """Anything unknown is refused: a list of everything would be taken for the one that was asked for."""
        try:
            given = dict(parse_qsl(query, max_num_fields=50, errors="strict"))
        except ValueError:
            raise BadInput("the address cannot be read; begin again from the list") from None
        values = {
            name: given[name].replace("\0", "").strip()[:_LONGEST] for name in _FILTERS if given.get(name)
        }
        for name, kind in _CHOICES.items():
            if name in values and values[name] not in set(kind):
                raise BadInput(f"there is no {name} {values[name][:40]!r}; choose {', '.join(kind)}")
        sort = given.get("sort", "")
        if sort and sort != "name" and sort.removeprefix("-") not in SORTS:
            raise BadInput(f"there is no sort {sort[:40]!r}; choose name, {', '.join(SORTS)}")
        return cls(
            {name: text for name, text in values.items() if text}, sort, given.get("after", "")[:_LONGEST]
        )

    def filter(self, rules: NameRules) -> DomainFilter:
        get = self.values.get
        stage, review, quality = get("stage"), get("review"), get("quality")
        return DomainFilter(
            review_status=ReviewStatus(review) if review else None,
            stage=Stage(stage) if stage else None,
            quality_status=QualityStatus(quality) if quality else None,
            contains=part_of_a_name(get("q", ""), rules) or None,
            suffix=get("suffix", "").lower().strip(".") or None,
            source=get("source"),
            block_reason_code=get("reason"),
            reviewed_by=get("decided_by"),
        )

    @property
    def query(self) -> str:
        """The filters alone."""
        return urlencode(self.values)

    def address(self, path: str = "/domains", **changed: str) -> str:
        """This list with something changed; from its beginning, unless `after` is given."""
        values = self.values | ({"sort": self.sort} if self.sort else {}) | changed
        kept = {name: value for name, value in values.items() if value}
        return f"{path}?{urlencode(kept)}" if kept else path

    def sorted_by(self, column: str) -> str:
        """The address of this list sorted by a column; asked again, the other way round."""
        if column == "name":
            return self.address(sort="" if self.sort == "name" else "name")
        return self.address(sort=column if self.sort == f"-{column}" else f"-{column}")


def part_of_a_name(text: str, rules: NameRules) -> str:
    """A part of a name as the register writes it, from whatever a person pastes."""
    try:
        return canonical_domain(text, rules)
    except NotADomain:
        lower = text.lower().partition("://")[2] or text.lower()
        return lower.removeprefix("www.").partition("/")[0]
