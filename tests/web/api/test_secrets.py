"""What must stay here stays here: keys, secrets and tokens are in no answer and in no log."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from surveyor.bootstrap.delivery import webhooks_of
from surveyor.listeners import Dispatcher, dispatch_all
from surveyor.people import Scope
from tests.support.receiver import Receiver
from tests.web.api.conftest import add_people, token
from tests.web.api.program import Program
from tests.web.serving import serve

KEY, PATH = "canary-provider-key-5309", "canary-in-the-path-4242"
SECRET = "whsec_canary0webhook0secret000000000008675"


def test_canaries_are_in_no_answer_and_no_log(
    sqlite_template: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "w"
    folder.mkdir()
    (folder / "surveyor.db").write_bytes(sqlite_template.read_bytes())
    (folder / "hook.secret").write_text(SECRET)
    (folder / "surveyor.toml").write_text(
        f'profile = "funding"\n[providers.brave]\nkey = "{KEY}"\n[log]\nlevel = "debug"\n'
        f'[listeners]\nwebhooks = {{ crm = "https://user:{KEY}@crm.example/{PATH}?key={KEY}" }}\n'
        'secret_files = { crm = "hook.secret" }\n'
    )
    with serve(folder) as served:
        served.run(add_people)
        admin = Program(served.url, served.run(lambda w: token(w, "ada", Scope.ADMIN)))
        described = admin.get("/openapi.json").json["paths"]
        for path, operations in described.items():
            for method in operations:
                admin.ask(method.upper(), path.replace("{domain}", "a.example"), {"nonsense": KEY + SECRET})
        admin.post("/submissions", {"text": "a.example"})
        (hook,) = admin.get("/webhooks").json["items"]
        assert (hook["name"], hook["url"]) == ("crm", "https://crm.example/")
        (brave,) = [row for row in admin.get("/providers").json["items"] if row["provider"] == "brave"]
        assert brave["key_present"] is True
        admin.get("/metrics")
    said = "\n".join(admin.heard) + "".join(capfd.readouterr())
    assert admin.token is not None
    for canary in (KEY, SECRET, PATH, admin.token):
        assert canary not in said
    stored = (folder / "surveyor.db").read_bytes()
    assert not any(canary.encode() in stored for canary in (KEY, SECRET, admin.token))


def test_what_a_webhook_is_told_is_what_the_api_tells(sqlite_template: Path, tmp_path: Path) -> None:
    """And the API says how far the webhook has heard."""
    receiver = Receiver(SECRET)
    folder = tmp_path / "w"
    folder.mkdir()
    (folder / "surveyor.db").write_bytes(sqlite_template.read_bytes())
    (folder / "hook.secret").write_text(SECRET)
    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(receiver.start())
        (folder / "surveyor.toml").write_text(
            f'profile = "funding"\n[net]\nallow = ["127.0.0.0/8"]\n[listeners]\n'
            f'webhooks = {{ crm = "{receiver.url}" }}\nsecret_files = {{ crm = "hook.secret" }}\n'
        )
        _follow_both(folder, receiver, loop)
        loop.run_until_complete(receiver.stop())
    finally:
        loop.close()


def _follow_both(folder: Path, receiver: Receiver, loop: asyncio.AbstractEventLoop) -> None:
    with serve(folder) as served:
        served.run(add_people)
        admin = Program(served.url, served.run(lambda w: token(w, "ada", Scope.ADMIN)))

        async def send() -> None:
            async with webhooks_of(served.workspace) as receivers:
                dispatchers = [Dispatcher(served.workspace.db, hook.name, hook.deliver) for hook in receivers]
                await dispatch_all(dispatchers, until_quiet=True)

        def tell() -> None:
            done = asyncio.run_coroutine_threadsafe(send(), served.loop)
            loop.run_until_complete(asyncio.wrap_future(done, loop=loop))

        tell()  # a new webhook begins at the end of what happened
        last = admin.get("/events?limit=1").json["next"]
        admin.post("/submissions", {"text": "a.example"})
        admin.post("/domains/a.example/decisions", {"decision": "approve"})
        # Before anybody has read the new events: nobody who only looks may have to.
        (before,) = admin.get("/webhooks").json["items"]
        assert 'surveyor_events_behind{listener="crm"} 2.0' in admin.get("/metrics").text
        told = admin.get(f"/events?after={last}").json["items"]
        tell()
        (after,) = admin.get("/webhooks").json["items"]
    assert receiver.heard == told and receiver.forged == 0
    assert [event["kind"] for event in told] == ["DomainSubmitted", "DomainApproved"]
    assert (before["behind"], after["behind"], after["last_error"]) == (2, 0, None)
