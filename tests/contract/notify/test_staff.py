"""Staff is told of what it chose: one message per while and recipient, each event once, by every channel."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from aiohttp import web
from sqlalchemy import update

from surveyor.db import Database
from surveyor.db.tables import outbox as messages
from surveyor.notify import outbox, staff, store
from surveyor.notify.channels import Channel, MailChannel, PluggedChannel, SlackChannel, WebhookChannel
from surveyor.notify.outbox import State
from surveyor.notify.sender import Sender
from surveyor.notify.staff import Recipient
from surveyor.plugins import Message
from surveyor.registry import feed
from surveyor.settings import NetSettings, NotifySettings
from tests.support.mailserver import receiving
from tests.support.review_help import name_it

CHOSEN = NotifySettings(mail=["desk@register.example"], webhook="http://x/", every_minutes=15)


async def hear(db: Database, chosen: NotifySettings = CHOSEN) -> None:
    await staff.on_events(db, chosen, await feed.after_position(db, 0, 1_000))


async def test_what_happens_within_a_while_goes_into_one_message(db: Database) -> None:
    await name_it(db, "a.example")
    await hear(db)
    await name_it(db, "b.example")
    await hear(db)
    await hear(db)  # told again, as a listener may be
    lines = await outbox.listing(db, 10)
    assert [(one.channel, one.subject) for one in lines] == [
        ("webhook", "Surveyor: 2 things happened"),
        ("mail", "Surveyor: 2 things happened"),
    ]
    async with db.write() as tx:
        await tx.execute(update(messages).values(tries=1))  # one is on its way: nothing is added to it
    await name_it(db, "c.example")
    await hear(db)
    first = (await outbox.listing(db, 10))[0]
    assert first.subject == "Surveyor: 1 thing happened"
    assert 800 < (first.due_at - first.created_at).total_seconds() <= 900


async def test_a_flood_of_events_is_one_message_of_bounded_size(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staff, "_LINES", 3)
    for number in range(5):
        await name_it(db, f"a{number}.example")
    await hear(db)
    (mail, hook) = await outbox.listing(db, 10)
    assert mail.subject == hook.subject == "Surveyor: 3+ things happened"


async def test_every_channel_delivers_and_a_chat_calls_nobody(db: Database, unused_tcp_port: int) -> None:
    got: list[dict[str, Any]] = []
    answers = iter([200, 503, 200, 404])

    async def take(request: web.Request) -> web.Response:
        got.append(await request.json())
        return web.json_response({}, status=next(answers))

    app = web.Application()
    app.router.add_post("/{name}", take)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", unused_tcp_port).start()
    base, heard = f"http://127.0.0.1:{unused_tcp_port}", list[Message]()

    async def whisper(message: Message) -> None:
        heard.append(message)
        if len(heard) == 1:
            raise RuntimeError("no voice")

    try:
        with receiving() as box:
            net = NetSettings()
            channels: dict[str, Channel] = {
                "mail": MailChannel(box.server, "desk@register.example"),
                "webhook": WebhookChannel(f"{base}/hook", net),
                "slack": SlackChannel(f"{base}/chat", net),
                "whisper": PluggedChannel("whisper", whisper),
            }
            chosen = NotifySettings(mail=["a@b.example"], webhook=f"{base}/hook", slack_file="x")
            await staff.say(db, chosen, Message("<!channel> a part keeps ending", "it ended\n"))
            async with db.write() as tx:
                await store.put(db, tx, channel="whisper", recipient="", subject="s", body="b", once="w")
            sender = Sender(db, channels, retry_seconds=0.0)
            for _ in range(6):
                await sender.step()
            assert [mail["Subject"] for mail in box.mails] == ["<!channel> a part keeps ending"]
        assert got[0] == {
            "type": "notice",
            "id": 2,
            "subject": "<!channel> a part keeps ending",
            "text": "it ended\n",
        }
        assert got[1] == got[2] == {"text": "*&lt;!channel&gt; a part keeps ending*\nit ended\n"}
        assert len(heard) == 2 and heard[1] == Message("s", "b")
        assert {one.state for one in await outbox.listing(db, 10)} == {State.SENT}
        await staff.say(db, NotifySettings(webhook=f"{base}/hook"), Message("s", "t"))
        await sender.run(asyncio.Event(), until_quiet=True)
        assert (await outbox.listing(db, 1))[0].state is State.FAILED  # the receiver is gone for good
        for channel in channels.values():
            await channel.close()
    finally:
        await runner.cleanup()


async def test_a_channel_that_is_not_set_up_keeps_its_message(db: Database) -> None:
    await staff.say(db, NotifySettings(webhook="http://x/"), Message("s", "t"))
    await Sender(db, {}).run(asyncio.Event(), until_quiet=True)
    (line,) = await outbox.listing(db, 1)
    assert (line.state, line.last_error) == (State.WAITING, "webhook is not set up here")
    assert staff.recipients(CHOSEN) == [Recipient("mail", "desk@register.example"), Recipient("webhook")]
