"""The programmes of a page, apart: rows of a table, sections of their own, items of a list.

And those that a page describes in marks for programs (JSON-LD, microdata).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from itertools import islice
from typing import Final, NamedTuple

from surveyor.extract.document import Block, BlockKind
from surveyor.extract.fields.amounts import find_amounts, number
from surveyor.extract.records.facts import Fact, Topic, facts_of, quoted
from surveyor.extract.structured import Item, Structured
from surveyor.extract.values import Field
from surveyor.profiles.kinds import BUILT_IN

# Programmes of one page; longer lists are directories of other people's.
MOST: Final = 40
# Characters of a heading that can be a name.
_LONGEST_NAME: Final = 140
# Characters of a line above the heading of a card.
_LONGEST_BADGE: Final = 60

_WITH_SUM: Final = re.compile(r"(?P<name>[^()]{3,}?)\s?\((?P<sum>[^()]{2,40})\)\W{0,2}")

TopicOf = Callable[[str], Topic | None]


class Scope(NamedTuple):
    """The part of a page that tells of one programme."""

    name: str
    facts: list[Fact]
    head: Block | None = None
    """What the name was read from."""


def rows_of_tables(blocks: Iterable[Block], topic_of: TopicOf) -> list[Scope]:
    """A scope per row of each table whose head says that its columns tell of programmes."""
    scopes: list[Scope] = []
    for table in tables_of(blocks):
        heads = [_head(table, column, topic_of) for column in range(len(table[0].cells))]
        topics = [topic_of(head) for head in heads]
        if _tells_of_programmes(topics):
            rows = (_row(row, topics, heads) for row in table[1:])
            scopes += [scope for scope in rows if scope]
    return scopes[:MOST]


def tables_of(blocks: Iterable[Block]) -> Iterator[list[Block]]:
    """Runs of rows with as many cells; one row more starts a new table where it is a head."""
    run: list[Block] = []
    for block in blocks:
        is_row = block.kind is BlockKind.ROW and len(block.cells) > 2
        if is_row and run and len(run[0].cells) == len(block.cells) and not block.is_head_row:
            run.append(block)
            continue
        if len(run) > 1:
            yield run
        run = [block] if is_row else []
    if len(run) > 1:
        yield run


def _head(table: Sequence[Block], column: int, topic_of: TopicOf) -> str:
    """The head of a column; where it tells nothing ("Monthly") and every cell holds a sum, it is that."""
    head = table[0].cells[column]
    if topic_of(head) is None and all(find_amounts(row.cells[column]) for row in table[1:]):
        return Topic.AMOUNT.value
    return head


def _tells_of_programmes(topics: Sequence[Topic | None]) -> bool:
    known = {topic for topic in topics if topic is not None}
    return len(known) >= 2 and bool(known & {Topic.AMOUNT, Topic.DEADLINE, Topic.WHO, Topic.HOST})


def _row(row: Block, topics: Sequence[Topic | None], head: Sequence[str]) -> Scope | None:
    column = topics.index(Topic.NAME) if Topic.NAME in topics else 0
    name = row.cells[column].strip()
    if not 2 < len(name) <= _LONGEST_NAME:
        return None
    facts = [
        Fact(head[index], cell, row)
        for index, cell in enumerate(row.cells)
        if index != column and cell.strip(" –—-")
    ]
    return Scope(name, facts, row)


def sections_of(blocks: Sequence[Block]) -> list[Scope]:
    """A scope per heading with what stands below it; a first line that stands out is a heading, too."""
    scopes: list[Scope] = []
    name, head, below = "", None, list[Block]()
    for block in _heads_first(blocks):
        title = _title_of(block)
        if title is None:
            below.append(block)
            continue
        scopes.append(Scope(name, facts_of(below), head))
        name, head = title, block
        below = [] if block.kind is BlockKind.HEADING else [_without_first_line(block)]
    scopes.append(Scope(name, facts_of(below), head))
    return scopes


def sections_called(blocks: Sequence[Block], is_name: Callable[[str], bool]) -> list[Scope]:
    """A scope per heading that is a name, with all below it up to the next name or heading of its rank."""
    scopes: list[Scope] = []
    head, below = None, list[Block]()
    for block in blocks:
        is_heading = block.kind is BlockKind.HEADING
        if is_heading and (is_name(block.text) or (head is not None and block.level <= head.level)):
            if head is not None:
                scopes.append(Scope(head.text, facts_of(below), head))
            head, below = (block if is_name(block.text) else None), []
        elif head is not None:
            below.append(block)
    if head is not None:
        scopes.append(Scope(head.text, facts_of(below), head))
    return scopes


def _heads_first(blocks: Sequence[Block]) -> list[Block]:
    """Cards that show their sum above their heading, in an order in which it stands below it.

    They are cards where short lines with a sum stand right before every heading of the lowest level, also
    before the first; other short lines may be the last ones of the card before.
    """
    ordered = list(blocks)
    level = max((block.level for block in blocks if block.kind is BlockKind.HEADING), default=0)
    places = [n for n, block in enumerate(blocks) if block.kind is BlockKind.HEADING and block.level == level]
    count = _lines_before(blocks, places[0]) if len(places) > 1 else 0
    above = [blocks[max(0, place - count) : place] for place in places]
    if count and all(any(find_amounts(one.text) for one in lines if _is_badge(one)) for lines in above):
        for place, lines in zip(places, above, strict=True):
            ordered[place - count : place + 1] = [blocks[place], *lines]
    return ordered


def _lines_before(blocks: Sequence[Block], place: int) -> int:
    """Short lines right before a block."""
    count = 0
    while count < place and _is_badge(blocks[place - count - 1]):
        count += 1
    return count


def _is_badge(block: Block) -> bool:
    is_short = block.kind is BlockKind.TEXT and len(block.text) <= _LONGEST_BADGE
    return is_short and not block.text.rstrip().endswith((".", ":", "?", "!"))


def _title_of(block: Block) -> str | None:
    if block.kind is BlockKind.HEADING:
        return block.text
    if block.kind is BlockKind.TEXT and len(block.lines) > 1 and len(block.lines[0]) <= 80:
        first, second = block.lines[0], block.lines[1]
        if (
            not first.rstrip().endswith((".", ",", ";", ":"))
            and len(second) > len(first)
            and "@" not in first
        ):
            return first
    return None


def _without_first_line(block: Block) -> Block:
    rest = block.lines[1:]
    return Block(
        block.kind,
        block.region,
        " ".join(rest),
        lines=rest if len(rest) > 1 else (),
        links=block.links,
        section=block.section,
    )


def lines_of(blocks: Iterable[Block]) -> list[Scope]:
    """A scope per line of its own with a name and a sum in brackets: "Alder Scholarship ($500)"."""
    lines = ((block, _WITH_SUM.fullmatch(block.text)) for block in blocks if len(block.text) <= _LONGEST_NAME)
    named = [(block, found) for block, found in lines if found and find_amounts(found["sum"])]
    return [
        Scope(found["name"], [Fact("", found["sum"], block)], block) for block, found in islice(named, MOST)
    ]


def items_of(blocks: Iterable[Block]) -> list[Scope]:
    """A scope per item of a list that begins with a name and a colon or a dash."""
    items = (block for block in blocks if block.kind is BlockKind.ITEM)
    facts = (fact for block in items for fact in facts_of([block]))
    named = (fact for fact in facts if 2 < len(fact.label) <= _LONGEST_NAME)
    return [Scope(fact.label, [fact._replace(label="")], fact.block) for fact in islice(named, MOST)]


GRANTS: Final = frozenset(BUILT_IN["funding_program"].json_ld)
OPPORTUNITIES: Final = frozenset(BUILT_IN["opportunity"].json_ld)
_CLOSING: Final = (
    "applicationDeadline",
    "validThrough",
    "availabilityEnds",
    "registrationDeadline",
    "endDate",
)
_DAY: Final = re.compile(r"^(\d{4})-(\d\d)-(\d\d)")
_CODE: Final = re.compile(r"^[A-Z]{3}$")


def grants_of(structured: Structured) -> list[dict[str, Field]]:
    """The fields of each grant that is marked as one, by name; without those that have none."""
    return [fields for item in structured.of_types(GRANTS) if "name" in (fields := _grant(item))]


def _grant(item: Item) -> dict[str, Field]:
    fields: dict[str, Field] = {}
    _put(fields, "name", item, item.text("name", "headline"))
    _put(fields, "funder", item, item.text("funder", "provider", "sponsor", "organizer", "publisher"))
    _amount(fields, item)
    _put(fields, "deadline", item, closing_day(item))
    _put(fields, "eligibility", item, item.text("eligibility", "audience", "eligibleCustomerType"))
    _put(fields, "region", item, item.text("areaServed", "eligibleRegion", "spatialCoverage"))
    return fields


def opportunities_of(structured: Structured) -> list[dict[str, Field]]:
    """The fields of each thing to sign up for."""
    return [
        fields
        for item in structured.of_types(OPPORTUNITIES)
        if item.top and "name" in (fields := _opportunity(item))
    ]


def _opportunity(item: Item) -> dict[str, Field]:
    fields: dict[str, Field] = {}
    _put(fields, "name", item, item.text("name", "title"))
    _put(
        fields,
        "organisation",
        item,
        item.text("hiringOrganization", "provider", "organizer", "agent", "offeredBy"),
    )
    is_event = item.is_a({"EducationEvent", "CourseInstance"})
    _put(fields, "deadline", item, closing_day(item, *(_CLOSING[:-1] if is_event else _CLOSING)))
    _put(fields, "location", item, _place(item))
    return fields


def _put(fields: dict[str, Field], name: str, item: Item, value: str | None) -> None:
    if value and (text := " ".join(value.split())):
        fields[name] = Field(text[:300], item.source, quoted(text))


def closing_day(item: Item, *names: str) -> str | None:
    """The ISO date of a deadline in marks."""
    for text in item.texts(*(names or _CLOSING)):
        if match := _DAY.match(text):
            try:
                return date(*map(int, match.groups())).isoformat()
            except ValueError:
                continue
    return None


def _place(item: Item) -> str | None:
    for name in ("jobLocation", "location"):
        for place in item.items(name):
            address = next(iter(place.items("address")), place)
            parts = [address.text("addressLocality"), address.text("addressRegion")]
            if any(parts):
                return ", ".join(part for part in parts if part)
        if text := item.text(name):
            return text
    return None


def _amount(fields: dict[str, Field], item: Item) -> None:
    """`amount` as MonetaryAmount, as a number with a currency beside it, or in words."""
    for inner in item.items("amount", "value"):
        code = (inner.text("currency") or item.text("currency") or "").upper()
        low, high = _number(inner.text("minValue")), _number(inner.text("maxValue"))
        if low is None and high is None:
            low = high = _number(inner.text("value", "@value"))
        _put_amount(fields, item, low, high, code)
        return
    text = item.text("amount") or ""
    if (value := _number(text)) is not None:
        _put_amount(fields, item, value, value, (item.text("currency") or "").upper())
    elif amounts := find_amounts(text):
        _put_amount(fields, item, amounts[0].low, amounts[0].high, amounts[0].currency)


def _put_amount(
    fields: dict[str, Field], item: Item, low: Decimal | None, high: Decimal | None, code: str
) -> None:
    if (low is None and high is None) or not _CODE.match(code):
        return
    quote = f"{low if low is not None else ''} – {high if high is not None else ''} {code}".strip(" –")
    if low:
        fields["amount_min"] = Field(number(low), item.source, quote)
    if high:
        fields["amount_max"] = Field(number(high), item.source, quote)
    fields["currency"] = Field(code, item.source, quote)


def _number(text: str | None) -> Decimal | None:
    try:
        value = Decimal((text or "").replace(",", "").replace(" ", ""))
    except InvalidOperation:
        return None
    return value if value.is_finite() and 0 <= value < 10**12 else None
