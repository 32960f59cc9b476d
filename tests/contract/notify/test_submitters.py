"""Submitters are told: asked first, once, in their language, through a real mail server that may be away."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import replace
from email.message import EmailMessage

import pytest
from sqlalchemy import select, update

from surveyor.db import Database, later
from surveyor.db.tables import followers as table
from surveyor.db.tables import outbox as messages
from surveyor.errors import BadInput, NotFound, Refused
from surveyor.notify import followers, outbox, store
from surveyor.notify.channels import MailChannel
from surveyor.notify.followers import Asked
from surveyor.notify.outbox import State
from surveyor.notify.sender import Sender
from surveyor.operations import following
from surveyor.people.limits import TooManyTries
from surveyor.review.decisions import Decision, Target, Verb, decide
from surveyor.settings import MailSettings, NotifySettings
from tests.support.mailserver import Mailbox, receiving
from tests.support.registry_help import ADMIN, REVIEWER
from tests.support.review_help import name_it

MAIL = MailSettings(server="127.0.0.1", sender="desk@register.example", site_url="https://register.example/")
SENDER = "desk@register.example"


@pytest.fixture(scope="module")
def box() -> Iterator[Mailbox]:
    with receiving() as opened:
        yield opened


@pytest.fixture(autouse=True)
def _empty(box: Mailbox) -> None:
    box.mails.clear()
    box.says = box.says_to_mail = ""


async def deliver(db: Database, box: Mailbox) -> list[EmailMessage]:
    """Hear what was decided and send what is due, as the part of `up` does; returns the mails so far."""
    await following.dispatcher(db, NotifySettings()).run(until_quiet=True)
    channels = {"mail": MailChannel(box.server, SENDER)}
    await Sender(db, channels).run(asyncio.Event(), until_quiet=True)
    return box.mails


async def asked(db: Database, name: str, address: str = "sam@home.example", language: str = "en") -> None:
    await name_it(db, name)
    assert await following.follow(db, name, address, language, MAIL) is Asked.SENT


def key_in(mail: EmailMessage) -> str:
    found = re.search(r"https://register\.example/confirm/(\S+)", mail.get_content())
    assert found
    return found[1]


async def decided(db: Database, verb: Verb, name: str, reason: str | None = None) -> None:
    assert (await decide(db, Decision(verb, REVIEWER, reason), [Target(name)])).done


async def test_nothing_but_the_question_is_sent_before_the_link_was_used(db: Database, box: Mailbox) -> None:
    await asked(db, "fund.example")
    (mail,) = await deliver(db, box)
    assert (mail["To"], mail["From"], mail["Subject"]) == (
        "sam@home.example",
        SENDER,
        "Please confirm: fund.example",
    )
    await decided(db, Verb.APPROVE, "fund.example")
    assert len(await deliver(db, box)) == 1
    assert await followers.confirm(db, key_in(mail)) is True  # it was decided meanwhile
    assert [one["Subject"] for one in await deliver(db, box)][1:] == ["fund.example was approved"]
    with pytest.raises(NotFound):
        await followers.who(db, key_in(mail))


@pytest.mark.parametrize(
    ("language", "verb", "subject", "words"),
    [
        ("de", Verb.REJECT, "fund.example wurde nicht aufgenommen", "Der Grund:\n\na shop"),
        ("bg", Verb.APPROVE, "fund.example е одобрен", "Страниците му се посещават"),
    ],
)
async def test_a_decision_is_told_once_in_the_language_of_the_form(
    db: Database, box: Mailbox, language: str, verb: Verb, subject: str, words: str
) -> None:
    await asked(db, "fund.example", language=language)
    (question,) = await deliver(db, box)
    assert await followers.confirm(db, key_in(question)) is False
    await decided(db, verb, "fund.example", "a shop")
    await deliver(db, box)
    await decided(db, Verb.REOPEN, "fund.example")
    await decided(db, verb, "fund.example", "a shop")
    _, mail = await deliver(db, box)
    assert mail["Subject"] == subject and words in mail.get_content().replace("\r\n", "\n")
    async with db.read() as tx:
        assert (await tx.execute(select(table))).all() == []  # the address is forgotten
        assert (await tx.execute(select(messages.c.body))).scalars().all() == ["", ""]


async def test_a_server_that_is_away_and_a_restart_lose_nothing_and_send_nothing_twice(db: Database) -> None:
    with receiving() as box:
        await asked(db, "fund.example")
        await deliver(db, box)
    await followers.confirm(db, key_in(box.mails.pop()))
    await decided(db, Verb.APPROVE, "fund.example")
    assert await deliver(db, box) == []  # nobody answers at its port
    (line, _) = await outbox.listing(db, 10)
    assert (line.state, "refused" in str(line.last_error)) == (State.WAITING, True)
    async with db.write() as tx:  # its sender died in the middle: the hold runs out by itself
        await tx.execute(update(messages).values(due_at=later(-1)).where(messages.c.id == line.id))
        await store.claim(tx, "dead", 0.0)
    with receiving(box):
        await asyncio.gather(*(deliver(db, box) for _ in range(3)))
        assert [mail["Subject"] for mail in box.mails] == ["fund.example was approved"]
        await deliver(db, box)
    assert len(box.mails) == 1


async def test_a_message_that_another_sender_has_in_hand_is_left_to_it(db: Database, box: Mailbox) -> None:
    await asked(db, "fund.example")
    async with db.write() as tx:
        assert await store.claim(tx, "another", 60.0)
    assert await deliver(db, box) == []


async def test_a_refused_recipient_is_kept_and_can_be_tried_again_by_an_admin(
    db: Database, box: Mailbox
) -> None:
    await asked(db, "fund.example")
    box.says = "550 5.1.1 no such user\x1b[31m"
    assert await deliver(db, box) == []
    (line,) = await outbox.listing(db, 10)
    assert line.state is State.FAILED and "550 5.1.1 no such user" in str(line.last_error)
    assert "\x1b" not in str(line.last_error)
    box.says = ""
    assert await deliver(db, box) == []  # never by itself
    with pytest.raises(Refused, match="only an admin"):
        await outbox.again(db, line.id, REVIEWER)
    await outbox.again(db, line.id, ADMIN)
    assert len(await deliver(db, box)) == 1
    with pytest.raises(NotFound):
        await outbox.again(db, line.id, ADMIN)


async def test_a_server_that_is_busy_is_asked_again_later(db: Database, box: Mailbox) -> None:
    await asked(db, "fund.example")
    box.says_to_mail = "451 come back later"
    assert await deliver(db, box) == []
    (line,) = await outbox.listing(db, 10)
    assert (line.state, line.tries) == (State.WAITING, 1) and "451" in str(line.last_error)
    assert await outbox.counts(db) == {"waiting": 1}


async def test_how_many_mails_strangers_can_cause_is_limited(db: Database) -> None:
    strict = replace_limits(per_address=2, in_total=3)
    await name_it(db, "fund.example")
    for address in ("a@b.example", "A@b.example"):
        await following.follow(db, "fund.example", address, "en", strict)
    with pytest.raises(TooManyTries, match="mails to one address"):
        await following.follow(db, "fund.example", "a@B.example", "en", strict)
    await following.follow(db, "fund.example", "c@b.example", "en", strict)
    with pytest.raises(TooManyTries, match="mails at this hour"):
        await following.follow(db, "fund.example", "d@b.example", "en", strict)


def replace_limits(**limits: int) -> MailSettings:
    return MAIL.model_copy(update=limits)


async def test_asking_again_replaces_the_link_until_it_was_used(db: Database, box: Mailbox) -> None:
    await asked(db, "fund.example")
    await asked_again(db, Asked.SENT)
    first, second = await deliver(db, box)
    with pytest.raises(NotFound):
        await followers.confirm(db, key_in(first))
    await followers.confirm(db, key_in(second))
    await asked_again(db, Asked.KNOWN)
    assert len(await deliver(db, box)) == 2
    await followers.remove(db, key_in(second))
    await decided(db, Verb.APPROVE, "fund.example")
    assert len(await deliver(db, box)) == 2
    with pytest.raises(BadInput):
        await following.follow(db, "fund.example", "a@b.example, c@d.example", "en", MAIL)


async def asked_again(db: Database, expected: Asked) -> None:
    assert await following.follow(db, "fund.example", "sam@home.example", "en", MAIL) is expected


async def test_old_addresses_and_sent_messages_are_removed(db: Database, box: Mailbox) -> None:
    await asked(db, "fund.example")
    await deliver(db, box)
    async with db.write() as tx:
        assert await store.remove_old(tx, 30, 7, 100) == 0
        await tx.execute(update(messages).values(sent_at=later(-86_400.0 * 31)))
        await tx.execute(update(table).values(created_at=later(-86_400.0 * 8)))
        assert await store.remove_old(tx, 30, 7, 100) == 2


async def test_a_mail_server_that_demands_more_is_told_about_without_the_password(db: Database) -> None:
    with receiving() as box:
        server = replace(box.server, user="desk", password="hidden-word")
        await asked(db, "fund.example")
        await Sender(db, {"mail": MailChannel(server, SENDER)}).run(asyncio.Event(), until_quiet=True)
    (line,) = await outbox.listing(db, 10)
    assert line.state is State.WAITING and line.last_error and "hidden-word" not in line.last_error
