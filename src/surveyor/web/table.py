"""A list as its address says it: filters, order and place, read and written in one way for every list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode

from surveyor.errors import BadInput, NotADomain
from surveyor.names import NameRules, canonical_domain
from surveyor.registry.domain import Stage
from surveyor.registry.lifecycle import QualityStatus, ReviewStatus
from surveyor.registry.table import SORTS, DomainFilter

_LONGEST = 300
ALL = "all"  # of a choice that has another default


@dataclass(frozen=True, slots=True)
class Shape:
    """What a list can be asked for."""

    path: str
    choices: Mapping[str, Iterable[str]] = field(default_factory=dict)
    texts: tuple[str, ...] = ()
    sorts: tuple[str, ...] = ()
    # Texts go up from A at the first click, everything else down from the most.
    upwards: tuple[str, ...] = ("name", "domain")
    one_way: tuple[str, ...] = ()  # asked again, the list is in its own order
    defaults: Mapping[str, str] = field(default_factory=dict)
    # Filters under their names in the API, where its list has the same rows.
    in_api: Mapping[str, str] = field(default_factory=dict)


DOMAINS = Shape(
    "/domains",
    {"stage": Stage, "review": ReviewStatus, "quality": QualityStatus},
    ("q", "suffix", "source", "language", "reason", "decided_by"),
    ("name", *SORTS),
    one_way=("name",),
    in_api={
        "stage": "stage",
        "review": "review_status",
        "quality": "quality_status",
        "q": "contains",
        "suffix": "suffix",
        "source": "source",
        "language": "language",
        "reason": "block_reason_code",
        "decided_by": "reviewed_by",
    },
)


@dataclass(frozen=True, slots=True)
class View:
    """What an address asks for; `values` holds only what was given."""

    values: dict[str, str]
    sort: str
    after: str
    shape: Shape = DOMAINS

    @classmethod
    def parse(cls, query: str, shape: Shape = DOMAINS) -> View:
        """Anything unknown is refused: a list of everything would be taken for the one that was asked for."""
        try:
            given = dict(parse_qsl(query, max_num_fields=50, errors="strict"))
        except ValueError:
            raise BadInput("the address cannot be read; begin again from the list") from None
        names = (*shape.choices, *shape.texts)
        values = {name: given[name].replace("\0", "").strip()[:_LONGEST] for name in names if given.get(name)}
        for name, known in shape.choices.items():
            if values.get(name) and values[name] not in set(known):
                raise BadInput(f"there is no {name} {values[name][:40]!r}; choose {', '.join(known)}")
        sort = given.get("sort", "")
        if sort and (sort.removeprefix("-") not in shape.sorts or sort[1:] in shape.one_way):
            raise BadInput(f"there is no sort {sort[:40]!r}; choose {', '.join(shape.sorts) or 'none'}")
        kept = {name: text for name, text in values.items() if text and shape.defaults.get(name) != text}
        return cls(kept, sort, given.get("after", "")[:_LONGEST], shape)

    def get(self, name: str) -> str:
        """What a filter is set to; nothing, if it is not."""
        return self.values.get(name) or self.shape.defaults.get(name, "")

    @property
    def query(self) -> str:
        """The filters alone."""
        return urlencode(self.values)

    def address(self, path: str = "", **changed: str) -> str:
        """This list with something changed; from its beginning, unless `after` is given."""
        values = self.values | ({"sort": self.sort} if self.sort else {}) | changed
        kept = {
            name: value for name, value in values.items() if value and self.shape.defaults.get(name) != value
        }
        path = path or self.shape.path
        return f"{path}?{urlencode(kept)}" if kept else path

    def file(self, kind: str) -> str:
        """The address of all rows of this list as a file."""
        return self.address(f"{self.shape.path}.{kind}")

    @property
    def api(self) -> str:
        """The address of the same rows in the API; nothing where it knows one of the filters not."""
        known = self.shape.in_api
        if not known or self.values.keys() - known.keys():
            return ""
        given = {each: self.get(name) for name, each in known.items() if self.get(name) not in ("", ALL)}
        return f"/api/v1{self.shape.path}?{urlencode(given)}".removesuffix("?")

    def sorted_by(self, column: str) -> str:
        """The address of this list sorted by a column; asked again, the other way round."""
        up, down = column, "" if column in self.shape.one_way else f"-{column}"
        if column in self.shape.upwards:
            return self.address(sort=down if self.sort == up else up)
        return self.address(sort=up if self.sort == down else down)


def domain_filter(view: View, rules: NameRules) -> DomainFilter:
    get = view.values.get
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
        language=get("language"),
    )


def part_of_a_name(text: str, rules: NameRules) -> str:
    """A part of a name as the register writes it, from whatever a person pastes."""
    try:
        return canonical_domain(text, rules)
    except NotADomain:
        lower = text.lower().partition("://")[2] or text.lower()
        return lower.removeprefix("www.").partition("/")[0]
