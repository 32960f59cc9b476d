"""A language model beside the rules: its records, its budget, its moods, on both engines."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, select, update

from surveyor.db import Database, later, now
from surveyor.db.tables import model_answers, model_rests, model_usage, record_sources, records
from surveyor.extract.llm.prompt import Prompt
from surveyor.extract.llm.reader import ModelReader
from surveyor.extract.values import FoundRecord, Page, PageText, Reading, Relevance
from surveyor.extract.worker import ExtractWorker, Plan
from surveyor.llm.asking import Asker
from surveyor.llm.endpoint import Endpoint
from surveyor.net.transport import verifying_tls
from surveyor.registry.store import records as registry_records
from surveyor.review.store import erase
from surveyor.settings import DatabaseSettings, NetSettings
from tests.support.extract_help import GROUND, VERSION, InThisProcess, record, see, states, table, values
from tests.support.modelstub import KEY, MOODS, SAYINGS, ModelStub, telling
from tests.support.registry_help import add_domain

TLS = verifying_tls()  # made once: reading the machine's certificates takes a while
TEXT = "Small Grants\nThe Town Fund gives up to 5,000 EUR.\nApply by 29 January 2027."
GRANT = {
    "kind": "funding_program",
    "name": "Small Grants",
    "funder": "Town Fund",
    "amount_max": 5000,
    "currency": "EUR",
    "deadline": "2027-01-29",
}


@pytest.fixture
async def stub() -> AsyncIterator[ModelStub]:
    async with ModelStub.serve() as stub:
        yield stub


@asynccontextmanager
async def reader_of(db: Database, stub: ModelStub, **settings: Any) -> AsyncIterator[ModelReader]:
    chosen = stub.settings(**settings)
    endpoint = Endpoint(stub.account, chosen, NetSettings(), TLS)
    try:
        yield ModelReader(Asker(db, endpoint, chosen), Prompt(GROUND.kinds), GROUND, chosen)
    finally:
        await endpoint.close()


@asynccontextmanager
async def judge_of(db: Database, stub: ModelStub, **settings: Any) -> AsyncIterator[ModelReader]:
    chosen = stub.settings(relevance=True, **settings)
    endpoint = Endpoint(stub.account, chosen, NetSettings(), TLS)
    try:
        prompt = Prompt(GROUND.kinds, wanted="Grants. Who gives some.")
        yield ModelReader(Asker(db, endpoint, chosen), prompt, GROUND, chosen)
    finally:
        await endpoint.close()


def judging(relevant: object, quote: str, *records: dict[str, Any], **more: Any) -> Callable[[str], str]:
    said = {"relevant": relevant, "reason": "It gives money.", "quote": quote, "records": list(records)}
    return lambda page: json.dumps(said | more)


async def test_a_model_that_may_judge_is_one_voice_with_its_reason_and_is_asked_once(
    db: Database, stub: ModelStub
) -> None:
    stub.say = judging(True, "The Town Fund gives", GRANT)
    unsure = replace(reading(TEXT), relevance=Relevance(Decimal("0.40"), False, ["says little"]))
    async with judge_of(db, stub) as reader:
        first, again = [await reader(PAGE, unsure) for _ in range(2)]
    assert first == again and len(stub.requests) == 1
    assert (first.relevance.score, first.relevance.is_relevant) == (Decimal("0.75"), True)
    assert first.relevance.reasons == [
        "a language model calls it relevant: It gives money. (“The Town Fund gives”)",
        "says little",
    ]
    assert [one.name for one in first.records] == ["Small Grants"]
    assert "Grants. Who gives some." in stub.requests[0]["messages"][0]["content"]


async def test_one_voice_against_all_signs_does_not_decide_unless_it_is_to(
    db: Database, stub: ModelStub
) -> None:
    stub.say = judging(False, "up to 5,000 EUR")
    async with judge_of(db, stub) as reader:
        heard = (await reader(PAGE, reading(TEXT))).relevance
    async with judge_of(db, stub, relevance_decides=True) as reader:
        decided = (await reader(PAGE, reading(TEXT))).relevance
    assert (heard.score, heard.is_relevant) == (Decimal("0.67"), True)
    assert not decided.is_relevant and decided.score < Decimal("0.50")


@pytest.mark.parametrize(
    "said",
    [
        judging(False, "Words that are not there"),
        judging(False, ""),
        judging(False, "Small Grants", approve=True),
        judging("no", "Small Grants"),
        lambda page: '{"records": []}',
    ],
)
async def test_a_verdict_without_words_of_the_page_or_in_another_form_changes_nothing(
    db: Database, stub: ModelStub, said: Callable[[str], str]
) -> None:
    stub.say = said
    async with judge_of(db, stub, relevance_decides=True) as reader:
        assert await reader(PAGE, reading(TEXT)) == reading(TEXT)


async def ask(db: Database, stub: ModelStub, *texts: str, **settings: Any) -> list[list[FoundRecord]]:
    async with reader_of(db, stub, **settings) as reader:
        return [(await reader(PAGE, reading(text))).records for text in texts]


PAGE = Page("https://site.example/grants", b"", None, date(2026, 3, 1), 1)


def reading(text: str, *, relevant: bool = True) -> Reading:
    score = Relevance(Decimal("0.90"), relevant)
    return Reading(PageText("A page", "", "en", text, text, 1, 1), score, [], [])


async def extract_with(db: Database, stub: ModelStub, folder: Path, **settings: Any) -> ExtractWorker:
    async with reader_of(db, stub, **settings) as reader:
        plan = Plan(version=VERSION, yields="records", also_seconds=5.0, also_at_once=3)
        made = ExtractWorker(db, InThisProcess(), folder, plan, also=reader)
        await made.run()
        return made


async def usage(db: Database) -> tuple[int, int]:
    rows = await table(db, model_usage)
    return sum(row.requests for row in rows), sum(row.tokens for row in rows)


async def test_what_a_model_finds_on_a_page_is_a_record_with_its_source(
    db: Database, stub: ModelStub, tmp_path: Path
) -> None:
    no = (await add_domain(db, "site.example", approved=True)).no
    await see(db, no, "/grants", text=TEXT, relevant=True)
    stub.say = telling(GRANT)
    await extract_with(db, stub, tmp_path)
    (row,) = await table(db, records)
    assert values(row.fields) == {name: value for name, value in GRANT.items() if name != "kind"}
    assert {one["source"] for one in row.fields.values()} == {"model"}
    assert row.fields["deadline"]["quote"] == "Apply by 29 January 2027."
    (asked,) = stub.requests
    assert stub.pages == [f"A page\n{TEXT}"]
    assert (asked["model"], asked["temperature"], asked["stream"]) == ("small-1", 0, False)
    assert asked["response_format"]["json_schema"]["strict"] is True
    assert stub.keys == [f"Bearer {KEY}"]


async def test_what_the_rules_found_is_believed_before_a_model(
    db: Database, stub: ModelStub, tmp_path: Path
) -> None:
    no = (await add_domain(db, "site.example", approved=True)).no
    text = f"{TEXT}\nThe last round ended on 1 March 2026 and gave 700 EUR."
    by_rules = record("Small grants", source="text", deadline="2027-01-29", amount_max=5000, currency="EUR")
    await see(db, no, "/grants", text=text, relevant=True, records=[by_rules])
    stub.say = telling(GRANT | {"deadline": "2026-03-01", "amount_min": 700, "amount_max": 700})
    await extract_with(db, stub, tmp_path)
    (row,) = await table(db, records)
    told = {name: (one["value"], one["source"]) for name, one in row.fields.items()}
    assert told == {
        "name": ("Small grants", "text"),
        "funder": ("Town Fund", "model"),
        "deadline": ("2027-01-29", "text"),
        "amount_max": (5000, "text"),
        "currency": ("EUR", "text"),
    }


async def test_only_relevant_pages_are_asked_about(db: Database, stub: ModelStub) -> None:
    async with reader_of(db, stub) as reader:
        assert (await reader(PAGE, reading(TEXT, relevant=False))).records == []
        assert (await reader(PAGE, reading(""))).records == [], "its title is asked about"
    assert len(stub.requests) == 1


async def test_the_same_content_is_asked_about_once(db: Database, stub: ModelStub) -> None:
    stub.say = telling(GRANT)
    first, again = await ask(db, stub, TEXT, TEXT)
    (later_on,) = await ask(db, stub, TEXT)
    assert [one.name for one in first] == ["Small Grants"]
    assert first == again == later_on
    assert len(stub.requests) == 1
    await ask(db, stub, TEXT + " ")
    assert len(stub.requests) == 2
    assert await usage(db) == (2, 600)


async def test_another_worker_that_has_the_same_page_waits_for_the_answer(
    db: Database, stub: ModelStub
) -> None:
    stub.say, stub.pause = telling(GRANT), 0.2
    async with reader_of(db, stub) as one, reader_of(db, stub) as other:
        found = await asyncio.gather(one(PAGE, reading(TEXT)), other(PAGE, reading(TEXT)))
    assert len(stub.requests) == 1
    assert [len(one.records) for one in found] == [1, 1]


async def test_a_question_whose_asker_died_is_asked_again(db: Database, stub: ModelStub) -> None:
    await ask(db, stub, TEXT)
    async with db.write() as tx:
        dead = {"until": later(-1.0), "answer": None}
        await tx.execute(update(model_answers).values(dead))
    await ask(db, stub, TEXT)
    assert len(stub.requests) == 2
    (row,) = await table(db, model_answers)
    assert (row.until, row.answer) == (None, [])


@pytest.mark.parametrize("engine_name", ["sqlite"])  # what is said is the same to both engines
@pytest.mark.parametrize("saying", SAYINGS)
async def test_nonsense_is_no_record_and_is_not_asked_for_again(
    db: Database, stub: ModelStub, saying: str
) -> None:
    stub.say = lambda page: SAYINGS[saying]
    assert await ask(db, stub, TEXT, TEXT) == [[], []]
    assert len(stub.requests) == 1
    (row,) = await table(db, model_answers)
    assert row.answer is None
    assert row.why
    assert await table(db, model_rests) == [], "the endpoint works"


@pytest.mark.parametrize("engine_name", ["sqlite"])  # what is said is the same to both engines
async def test_a_server_that_refuses_parameters_is_asked_in_its_own_way_and_that_is_remembered(
    db: Database, stub: ModelStub
) -> None:
    stub.unsupported, stub.say = ("max_tokens", "temperature"), telling(GRANT)
    first, second = await ask(db, stub, TEXT, f"{TEXT} Again.", answer_tokens=4_321)
    assert len(first) == len(second) == 1
    sent = [{name for name in body if name in _DIALECT} for body in stub.requests]
    assert sent == [
        {"max_tokens", "temperature"},
        {"max_completion_tokens", "temperature"},
        {"max_completion_tokens"},
        {"max_completion_tokens"},
    ]
    assert stub.requests[-1]["max_completion_tokens"] == 4_321
    assert await table(db, model_rests) == []


_DIALECT = {"max_tokens", "max_completion_tokens", "temperature"}


@pytest.mark.parametrize("engine_name", ["sqlite"])  # what is said is the same to both engines
@pytest.mark.parametrize(
    "around",
    [
        "```json\nANSWER\n```",
        "```\nANSWER\n```\n",
        "<think>A list? No, {} or <b>.\n</think>\n\nANSWER",
        "I was told to think.</think>```json\nANSWER```",
    ],
)
async def test_what_models_put_around_an_answer_is_taken_off(
    db: Database, stub: ModelStub, around: str
) -> None:
    stub.say = lambda page: around.replace("ANSWER", telling(GRANT)(page))
    ((found,),) = await ask(db, stub, TEXT)
    assert found.name == GRANT["name"]


async def test_an_answer_that_was_cut_off_is_not_remembered(db: Database, stub: ModelStub) -> None:
    stub.say, stub.finish = telling(GRANT), "length"
    assert await ask(db, stub, TEXT) == [[]]
    assert await table(db, model_answers) == []
    stub.finish = "stop"
    assert len((await ask(db, stub, TEXT))[0]) == 1, "with more tokens there is an answer"
    assert len(stub.requests) == 2


@pytest.mark.parametrize("engine_name", ["sqlite"])  # what is said is the same to both engines
@pytest.mark.parametrize("how", ["content_filter", "refusal", "no_content"])
async def test_an_answer_that_was_refused_is_none(db: Database, stub: ModelStub, how: str) -> None:
    full = telling(GRANT)(TEXT)
    message = {"refusal": {"content": full, "refusal": "I cannot."}, "no_content": {"content": None}}.get(how)
    stub.say = lambda page: message or full
    stub.finish = how if message is None else "stop"
    assert await ask(db, stub, TEXT, TEXT) == [[], []]
    assert len(stub.requests) == 1


@pytest.mark.parametrize("engine_name", ["sqlite"])  # what is said is the same to both engines
@pytest.mark.parametrize("mood", MOODS)
async def test_an_endpoint_that_fails_is_left_alone_and_pages_are_read_without_it(
    db: Database, stub: ModelStub, tmp_path: Path, mood: str
) -> None:
    no = (await add_domain(db, "site.example", approved=True)).no
    stub.mood = mood
    told = [record("Small Grants")]
    for place in range(3):
        await see(db, no, f"/{place}", text=f"{place} {TEXT}", relevant=True, records=told)
    async with reader_of(db, stub, timeout_seconds=0.3 if mood == "slow" else 5.0) as reader:
        plan = Plan(version=VERSION, yields="records")
        worker = ExtractWorker(db, InThisProcess(), tmp_path, plan, also=reader)
        await worker.run()
    assert await states(db) == ["done"] * 3
    assert len(await table(db, record_sources)) == 3
    assert len(stub.requests) == 1, "one after the other, and two of three were spared"
    assert stub.strangers == [], "the key goes nowhere else"
    (row,) = await table(db, model_rests)
    assert (row.trouble, row.strikes) == (MOODS[mood], 1)
    assert KEY not in row.detail
    assert row.detail.isprintable()
    assert await table(db, model_answers) == [], "they may be asked about another day"


async def test_a_refused_connection_is_a_failure_like_others(db: Database) -> None:
    async with ModelStub.serve() as other:
        free = other.port
    gone = ModelStub(port=free)
    assert await ask(db, gone, TEXT) == [[]]
    (row,) = await table(db, model_rests)
    assert row.trouble == "unreachable"
    assert await usage(db) == (1, 0), "the request counts, no token was used"


async def test_what_an_endpoint_asks_for_is_followed(db: Database, stub: ModelStub) -> None:
    stub.mood, stub.retry_after = "overloaded", "7200"
    await ask(db, stub, TEXT)
    async with db.read() as tx:
        left = (await tx.execute(select(model_rests.c.until, now()))).one()
    assert 7100 < (left[0] - left[1]).total_seconds() <= 7200


async def test_a_rest_grows_with_failures_in_a_row_and_ends_with_an_answer(
    db: Database, stub: ModelStub
) -> None:
    stub.mood = "failing"
    lengths = []
    for place in range(3):
        await ask(db, stub, f"{place} {TEXT}")
        async with db.write() as tx:
            until, moment = (await tx.execute(select(model_rests.c.until, now()))).one()
            lengths.append(round((until - moment).total_seconds(), -1))
            await tx.execute(update(model_rests).values(until=later(-1.0)))
    assert lengths == [30, 60, 120]
    stub.mood = ""
    await ask(db, stub, TEXT)
    assert await table(db, model_rests) == []


async def test_an_answer_that_was_under_way_does_not_end_a_rest(db: Database, stub: ModelStub) -> None:
    async with reader_of(db, stub) as reader:
        stub.pause = 0.3
        asking = asyncio.create_task(_read(reader))
        while not stub.requests:
            await asyncio.sleep(0.01)
        async with db.write() as tx:
            rest = {"trouble": "server", "detail": "", "until": later(60.0), "strikes": 1}
            await tx.execute(insert(model_rests).values(account=stub.account.mark, **rest))
        await asking
    assert len(await table(db, model_rests)) == 1


async def test_a_rest_holds_for_its_account_alone(db: Database, stub: ModelStub) -> None:
    stub.mood = "unauthorized"
    await ask(db, stub, TEXT)
    stub.mood = ""
    await ask(db, stub, TEXT)
    assert len(stub.requests) == 1
    async with db.write() as tx:
        await tx.execute(update(model_rests).values(account="another"))
    await ask(db, stub, TEXT)
    assert len(stub.requests) == 2


async def test_no_request_goes_beyond_the_budget_of_the_day(db: Database, stub: ModelStub) -> None:
    texts = [f"{place} {TEXT}" for place in range(5)]
    await ask(db, stub, *texts, requests_per_day=3)
    assert len(stub.requests) == 3
    await ask(db, stub, *texts, requests_per_day=4)
    assert len(stub.requests) == 4
    await ask(db, stub, *texts, requests_per_day=0)
    assert len(stub.requests) == 4
    async with db.write() as tx:  # the next day
        await tx.execute(update(model_usage).values(day="2020-01-01"))
    await ask(db, stub, *texts, requests_per_day=4)
    assert len(stub.requests) == 5


async def test_tokens_are_reserved_before_and_corrected_after(db: Database, stub: ModelStub) -> None:
    most = Prompt(GROUND.kinds).ask(f"A page\n{TEXT}").tokens
    await ask(db, stub, TEXT, tokens_per_day=most - 1)
    assert len(stub.requests) == 0
    await ask(db, stub, TEXT, tokens_per_day=most)
    assert await usage(db) == (1, 300)
    stub.usage = None
    await ask(db, stub, TEXT[:-1], tokens_per_day=2 * most)
    assert await usage(db) == (2, 300 + most - 1), "where nothing is told, the most it can have been"
    assert len(stub.requests) == 2


@pytest.mark.parametrize("engine_name", ["sqlite"])  # what is said is the same to both engines
@pytest.mark.parametrize(
    "told",
    [-5, 0, True, "300", 1.5, None, [], {}],
    ids=["negative", "none", "bool", "text", "fraction", "null", "list", "object"],
)
async def test_a_count_of_tokens_that_makes_no_sense_gives_nothing_back(
    db: Database, stub: ModelStub, told: Any
) -> None:
    stub.usage = {"total_tokens": told}
    await ask(db, stub, TEXT)
    assert (await usage(db))[1] == Prompt(GROUND.kinds).ask(f"A page\n{TEXT}").tokens


async def test_a_huge_count_of_tokens_is_booked_within_reason(db: Database, stub: ModelStub) -> None:
    stub.usage = {"total_tokens": 10**18}
    await ask(db, stub, TEXT)
    assert await usage(db) == (1, 10_000_000)


async def test_books_that_were_put_back_meanwhile_stop_nobody(db: Database, stub: ModelStub) -> None:
    async with reader_of(db, stub) as reader:
        stub.pause = 0.2
        asking = asyncio.create_task(_read(reader))
        while not stub.requests:
            await asyncio.sleep(0.01)
        async with db.write() as tx:
            await tx.execute(update(model_usage).values(tokens=5))
        await asking
    assert await usage(db) == (1, 0)


async def _read(reader: ModelReader) -> None:
    await reader(PAGE, reading(TEXT))


async def test_a_used_up_budget_is_said_once(
    db: Database, stub: ModelStub, capfd: pytest.CaptureFixture[str]
) -> None:
    await ask(db, stub, *(f"{place} {TEXT}" for place in range(5)), requests_per_day=1)
    told = capfd.readouterr()
    assert (told.out + told.err).count("budget of the day is used up") == 1


async def test_many_workers_together_never_exceed_the_budget(
    db: Database, db_url: str, stub: ModelStub, tmp_path: Path
) -> None:
    stub.pause = 0.01
    texts = [f"{place} {TEXT}" for place in range(100)]
    async with AsyncExitStack() as stack:
        readers = []
        for _ in range(4):
            other = Database.open(DatabaseSettings(url=db_url), tmp_path)
            stack.push_async_callback(other.close)
            readers.append(await stack.enter_async_context(reader_of(other, stub, requests_per_day=17)))

        async def work(reader: ModelReader, mine: list[str]) -> None:
            for text in mine:
                await reader(PAGE, reading(text))

        await asyncio.gather(*(work(reader, texts[part::8]) for reader in readers for part in range(8)))
    assert len(stub.requests) == 17
    assert len(set(stub.pages)) == 17
    assert await usage(db) == (17, 17 * 300)


async def test_a_worker_that_is_told_to_stop_does_not_wait_for_the_model(
    db: Database, stub: ModelStub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("surveyor.extract.worker._LAST_WORDS", 0.05)
    no = (await add_domain(db, "site.example", approved=True)).no
    await see(db, no, "/grants", text=TEXT, relevant=True)
    stub.mood = "slow"
    async with reader_of(db, stub, timeout_seconds=20.0) as reader:
        worker = ExtractWorker(
            db, InThisProcess(), tmp_path, Plan(version=VERSION, yields="records"), also=reader
        )
        running = asyncio.create_task(worker.run())
        while not stub.requests:
            await asyncio.sleep(0.01)
        worker.stopping.set()
        async with asyncio.timeout(10):
            await running
    assert await states(db) == ["waiting"], "it is read another time"
    assert await table(db, model_answers) == [], "and asked about"
    assert (await usage(db))[0] == 1, "the request was sent"


async def test_what_a_model_said_of_a_site_is_forgotten_and_moved_with_it(
    db: Database, stub: ModelStub
) -> None:
    await ask(db, stub, TEXT)
    assert model_answers in erase.tables()
    no = (await add_domain(db, "site.example", approved=True)).no
    async with db.write() as tx:
        await tx.execute(update(model_answers).values(domain_no=no + 1))
        await registry_records.move(tx, no + 1, no)
    (row,) = await table(db, model_answers)
    assert row.domain_no == no
    async with db.write() as tx:
        await erase.erase_snapshots(tx, "site.example", 1)
    assert await table(db, model_answers) == []
