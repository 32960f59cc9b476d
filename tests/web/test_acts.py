"""What people do with plain forms: log in, decide, edit, submit; and what they are told."""

from __future__ import annotations

import asyncio
import html
import re
from pathlib import Path

import pytest
from sqlalchemy import select

from surveyor import workspaces
from surveyor.bootstrap.workspace import Workspace
from surveyor.db.tables import outbox
from surveyor.people import Hasher
from surveyor.people import service as people
from surveyor.registry.actors import Actor, Role
from tests.support.review_help import found, name_it
from tests.web.serving import Served, Visitor, serve
from tests.web.world import PASSWORD, QUICK, World

# One register, one process: what these tests do adds up.
pytestmark = pytest.mark.xdist_group("web acts")


def state(place: Served, name: str) -> tuple[str, str, int]:
    domain = place.run(lambda workspace: found(workspace.db, name))
    return domain.review_status, domain.quality_status, domain.version


def test_a_decision_is_made_and_told_on_the_next_page(place: Served, reviewer: Visitor) -> None:
    reply = reviewer.post("/decide", verb="approve", domain="wait1.example", back="/review")
    assert (reply.status, reply.headers["location"]) == (303, "/review")
    assert "wait1.example: approved" in reviewer.get("/review").text
    assert "wait1.example: approved" not in reviewer.get("/review").text
    assert state(place, "wait1.example")[0] == "approved"


def test_all_pages_in_quarantine_are_read_again_when_somebody_asks(reviewer: Visitor) -> None:
    assert "Read them all again" in reviewer.get("/quarantine").text
    reply = reviewer.post("/quarantine")
    assert (reply.status, reply.headers["location"]) == (303, "/quarantine")
    assert "to be read again: " in reviewer.get("/quarantine").text


def test_whoever_has_no_terminal_is_led_to_a_page_that_does_the_same(
    place: Served, reviewer: Visitor
) -> None:
    missing = reviewer.get("/records/00000000-0000-7000-8000-000000000000")
    assert missing.status == 404
    assert '<a href="/records"><code>surveyor records</code></a>' in missing.text
    assert '· <a href="/records">Records</a>' in missing.text
    place.run(lambda workspace: name_it(workspace.db, "queued.example"))
    reply = reviewer.post("/decide", domain="queued.example", verb="approve", back="/review")
    told = reviewer.get(reply.headers["location"]).text
    assert 'queued: start <a href="/jobs"><code>surveyor crawl</code></a>' in told


def test_a_list_that_is_empty_says_what_fills_it(reviewer: Visitor, tmp_path: Path) -> None:
    assert '<a href="/domains">All domains</a>' in reviewer.get("/domains?stage=unreachable").text
    asyncio.run(workspaces.make(tmp_path, "funding"))
    with serve(tmp_path) as fresh:
        object.__setattr__(fresh.app.state.surveyor, "hasher", Hasher(QUICK))
        fresh.run(lambda workspace: _admin(workspace))
        visitor = fresh.visitor()
        assert visitor.log_in("eve").status == 303
        for path in ("/domains", "/review", "/candidates", "/records?view=all"):
            assert '<a href="/jobs">' in visitor.get(path).text.partition('class="empty"')[2], path


async def _admin(workspace: Workspace) -> None:
    hasher = Hasher(QUICK)
    try:
        await people.add_user(workspace.db, hasher, "eve", Role.ADMIN, PASSWORD, Actor.operator())
    finally:
        hasher.close()


def test_a_rejection_without_a_reason_is_refused(place: Served, reviewer: Visitor) -> None:
    reply = reviewer.post("/decide", verb="reject", domain="wait2.example")
    assert reply.status == 400 and "needs a reason" in reply.text
    assert state(place, "wait2.example")[0] == "pending_review"


def test_a_stale_version_is_refused_with_what_changed(place: Served, reviewer: Visitor) -> None:
    _, _, version = state(place, "trust.example")
    path = "/domains/trust.example/limits"
    assert reviewer.post(path, version=version, max_crawl_depth="5").status == 303
    late = reviewer.post(path, version=version, max_crawl_depth="9")
    assert late.status == 409 and "DomainEdited max_crawl_depth by rita" in late.text
    assert place.run(lambda w: found(w.db, "trust.example")).max_crawl_depth == 5


@pytest.mark.parametrize(
    ("field", "value"),
    [("max_crawl_depth", "-1"), ("max_pages_per_run", "0"), ("crawl_delay_seconds", "1e9"), ("version", "x")],
)
def test_a_limit_that_cannot_be_is_told_in_one_line(reviewer: Visitor, field: str, value: str) -> None:
    reply = reviewer.post("/domains/fund.example/limits", **{"version": "1", field: value})
    assert reply.status == 400 and "notice bad" in reply.text


def test_only_what_the_form_has_can_be_changed(place: Served, reviewer: Visitor) -> None:
    _, _, version = state(place, "fund.example")
    sent = {"version": version, "is_trusted": "1", "review_status": "rejected", "notes": "seen"}
    assert reviewer.post("/domains/fund.example/limits", **sent).status == 303
    domain = place.run(lambda w: found(w.db, "fund.example"))
    assert (domain.is_trusted, domain.review_status, domain.notes) == (False, "approved", "seen")


def test_a_bulk_act_names_what_it_refused(place: Served, reviewer: Visitor) -> None:
    names = ["wait3.example", "wait4.example", "no.example", "scam.example", "nobody.example", "10.0.0.1"]
    asked = reviewer.post("/decide", verb="approve", bulk="1", domain=names)
    assert "Approve 6 domains?" in asked.text and state(place, names[0])[0] == "pending_review"
    reply = reviewer.post("/decide", verb="approve", bulk="1", domain=names, sure="1")
    assert reply.status == 200 and "2 approved" in reply.text and "4 refused" in reply.text
    for name in names[2:]:
        assert name in reply.text
    assert [state(place, name)[0] for name in names[:3]] == ["approved", "approved", "rejected"]


def test_a_pasted_list_goes_on_the_blacklist(place: Served, reviewer: Visitor, admin: Visitor) -> None:
    pasted = "https://www.found1.example/shop\nfound2.example"
    reply = reviewer.post("/decide", verb="blacklist", bulk="1", domains=pasted, reason="shops", sure="1")
    assert reply.status == 200 and "2 blacklisted" in reply.text
    off = {"verb": "unblacklist", "bulk": "1", "domain": "found1.example", "sure": "1"}
    assert "only an admin" in reviewer.post("/decide", **off).text
    assert "1 off the blacklist" in admin.post("/decide", **off).text


def test_nobody_is_led_to_another_site_after_a_form(reviewer: Visitor) -> None:
    for back in ("//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)", "/\t/x"):
        reply = reviewer.post("/decide", verb="suspend", domain="fund.example", back=back)
        reviewer.post("/decide", verb="resume", domain="fund.example")
        assert reply.headers["location"] == "/review", back


def test_a_candidate_is_taken_given_back_and_decided(reviewer: Visitor, there: World) -> None:
    path = f"/candidates/{there.candidate}"
    for act in ("take", "give-back"):
        assert reviewer.post(f"{path}/{act}").status == 303
    assert reviewer.post("/candidates/next").headers["location"] == path
    assert reviewer.post(f"{path}/decide", verb="reject").status == 400
    assert reviewer.post(f"{path}/decide", verb="approve").status == 303
    assert "s-approved" in reviewer.get(path).text
    assert reviewer.post(f"{path}/decide", verb="approve").status == 409


def test_a_submission_from_outside_is_answered_and_waits(place: Served) -> None:
    visitor = place.visitor()
    assert "submitted for review" in visitor.post("/submit", text="https://New.Example/").text
    asks = visitor.post("/submit", text="https://other.example/page")
    assert "Submit other.example for review" in asks.text
    yes = visitor.post("/submit", text="https://other.example/page", for_review="1")
    assert "is fetched once it is approved" in yes.text
    bad = visitor.post("/submit", text="10.0.0.7")
    assert bad.status == 400 and "IP address" in bad.text
    assert state(place, "new.example")[0] == "pending_review"


def test_a_flood_of_submissions_is_limited(place: Served, submitter: Visitor) -> None:
    statuses = [submitter.post("/submit", text=f"flood{index}.example").status for index in range(21)]
    assert statuses == [200] * 20 + [429]


def test_a_submitter_sees_own_submissions_and_no_others(submitter: Visitor) -> None:
    submitter.post("/submit", text="flood0.example")
    text = submitter.get("/submissions").text
    assert "flood0.example" in text and "wait0.example" not in text


def test_forgetting_needs_the_name_typed_again(place: Served, admin: Visitor) -> None:
    assert admin.post("/domains/found5.example/forget", sure="yes").status == 400
    assert admin.post("/domains/found5.example/forget", sure="found5.example").status == 303
    assert state(place, "found5.example")[1] == "blacklisted"


def test_people_are_added_and_disabled_at_once(place: Served, admin: Visitor) -> None:
    added = admin.post("/users", name="nora", role="reviewer", password="quite a long one")
    assert added.status == 303, added.text
    nora = place.visitor()
    assert nora.log_in("nora", "quite a long one").status == 303
    assert nora.get("/review").status == 200
    admin.post("/users/nora/disable")
    assert nora.get("/review").status == 303
    assert admin.post("/users/ada/disable").status == 409
    assert admin.post("/users", name="root", role="system", password="quite a long one").status == 400


def test_a_session_ends_with_logging_out_and_is_not_taken_over(place: Served) -> None:
    visitor = place.visitor()
    visitor.cookies["surveyor_session"] = "planted"
    visitor.log_in("rita")
    key = visitor.cookies["surveyor_session"]
    assert key != "planted"
    assert visitor.post("/logout").status == 303
    visitor.cookies["surveyor_session"] = key
    assert visitor.get("/review").status == 303


def test_a_form_of_a_session_that_is_over_says_so_even_where_anybody_may_send_it(place: Served) -> None:
    visitor = place.visitor()
    visitor.log_in("rita")
    key, proof = visitor.cookies["surveyor_session"], visitor.proof()
    assert visitor.post("/logout").status == 303
    visitor.cookies["surveyor_session"] = key
    reply = visitor.post("/submit", csrf=proof, text="late.example")
    assert reply.status == 403 and "you are logged out, and nothing was done" in reply.text


def test_guesses_are_limited_and_say_the_same_for_every_name(place: Served, admin: Visitor) -> None:
    assert admin.post("/users", name="gil", role="reviewer", password=PASSWORD).status == 303
    replies = {}
    for name in ("gil", "nobody-here"):
        visitor = place.visitor()
        replies[name] = [visitor.log_in(name, "wrong password").status for _ in range(12)]
    assert replies["gil"] == replies["nobody-here"] == [403] * 10 + [429] * 2
    assert place.visitor().log_in("gil").status == 429


def test_the_login_leads_to_the_page_that_was_asked_for(place: Served) -> None:
    visitor = place.visitor()
    reply = visitor.get("/domains?stage=blocked")
    assert reply.headers["location"] == "/login?next=/domains%3Fstage%3Dblocked"
    done = visitor.post("/login", name="ada", password="a long password", next="/domains?stage=blocked")
    assert done.headers["location"] == "/domains?stage=blocked"


def test_a_mistake_of_ours_is_told_without_its_insides(
    place: Served, admin: Visitor, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    async def broken(*_: object) -> None:
        raise ZeroDivisionError("canary")

    monkeypatch.setattr("surveyor.registry.service.look_for_events", broken)
    reply = admin.get("/events")
    assert reply.status == 500 and "canary" not in reply.text and "Traceback" not in reply.text
    assert reply.headers["content-security-policy"].startswith("default-src 'none'")


def test_pages_go_on_where_the_one_before_ended(admin: Visitor) -> None:
    first = admin.get("/review?all=1").text
    following = first.partition('rel="next" href="')[2].partition('"')[0].replace("&amp;", "&")
    second = admin.get(following).text
    assert following.startswith("/review?all=1&after=") and "found29.example" in second
    assert "wait5.example" in first and "wait5.example" not in second


def test_people_change_their_password_and_make_and_end_their_own_tokens(
    place: Served, admin: Visitor
) -> None:
    assert admin.post("/users", name="sia", role="submitter", password=PASSWORD).status == 303
    sia = place.visitor()
    sia.log_in("sia")
    made = sia.post("/account/tokens", label="nightly", scope="submit", days="30").text
    key = re.findall(r"svy_[\w-]{40,}", made)
    assert len(key) == 1 and key[0] not in sia.get("/account").text, "shown once"
    assert sia.post("/account/tokens", label="more", scope="admin").status in (403, 409)
    revoke = re.findall(r'action="(/account/tokens/[^"]+/revoke)"', sia.get("/account").text)[0]
    assert "not yours" in admin.post(revoke).text
    assert sia.post(revoke).status == 303
    assert "revoked" in sia.get("/account").text
    wrong = sia.post("/account/password", current="a guess", password="another long one")
    assert "not your present password" in wrong.text
    assert sia.post("/account/password", current=PASSWORD, password="short").status == 400
    done = sia.post("/account/password", current=PASSWORD, password="another long one")
    assert done.headers["location"] == "/login"
    again = place.visitor()
    assert (again.log_in("sia").status, again.log_in("sia", "another long one").status) == (403, 303)


def test_two_duplicates_are_merged_after_both_were_seen(place: Served, reviewer: Visitor) -> None:
    seen = reviewer.get("/domains/wait6.example/merge?with=https://www.wait7.example/about")
    assert seen.status == 200 and "Keep wait6.example" in seen.text and "Keep wait7.example" in seen.text
    versions = {"kept_version": state(place, "wait6.example")[2], "version": state(place, "wait7.example")[2]}
    stale = reviewer.post(
        "/domains/wait7.example/merge",
        kept="wait6.example",
        back="/domains/wait6.example/merge?with=wait7.example",
        **versions | {"version": 99},
    )
    assert stale.status == 409 and "wait7.example was changed since you looked" in stale.text
    done = reviewer.post("/domains/wait7.example/merge", kept="wait6.example", **versions)
    assert (done.status, done.headers["location"]) == (303, "/domains/wait6.example")
    old = reviewer.get("/domains/wait7.example")
    assert (old.status, old.headers["location"]) == (303, "/domains/wait6.example")
    page = reviewer.get("/domains/wait6.example").text
    assert "Merged into it: <code>wait7.example</code>" in page and "Domains merged" in page
    assert (
        "leads to wait6.example already"
        in reviewer.get("/domains/wait6.example/merge?with=wait7.example").text
    )


def test_a_run_that_nobody_asked_for_here_says_where_it_ends(there: World, reviewer: Visitor) -> None:
    page = reviewer.get(f"/runs/{there.run}").text
    assert "stop it there with Ctrl-C" in page and "Stop after current pages" not in page
    some = reviewer.get(f"/runs/{there.run}?q=programmes/3&reason=not_found").text
    assert some.count('data-label="Address"') == 11
    assert reviewer.get("/runs/00000000-0000-7000-8000-000000000000").status == 404


def _link(place: Served) -> str:
    """The link of the last mail that waits."""

    async def look(workspace: Workspace) -> str:
        async with workspace.db.read() as tx:
            query = select(outbox.c.body).where(outbox.c.channel == "mail").order_by(outbox.c.id.desc())
            return str((await tx.execute(query)).scalars().first())

    found = re.search(r"https://register\.example(/confirm/\S+)", place.run(look))
    assert found
    return found[1]


def test_a_stranger_is_asked_by_mail_and_says_yes_in_their_language(place: Served) -> None:
    visitor = place.visitor()
    form = visitor.get("/submit?lang=fr").text
    assert "Proposer un domaine" in form and 'name="email"' in form and "2 à 3" in form
    said = {"text": "told.example", "lang": "fr", "wish": "2", "email": "sam@home.example"}
    bad = visitor.post("/submit", **said | {"email": "sam@home.example\nBcc: all@home.example"})
    assert bad.status == 400 and "name@example.org" in bad.text and 'value="told.example"' in bad.text
    sent = visitor.post("/submit", **said)
    assert "told.example : proposé à l&#39;examen." in sent.text and "Un message avec un lien" in sent.text
    context = place.run(lambda workspace: found(workspace.db, "told.example")).submission_context
    assert context == "Suggested depth: 2 to 3."
    link = _link(place)
    asks = visitor.get(link)
    assert asks.status == 200 and "Vous écrire au sujet de told.example ?" in asks.text
    assert "Un message vous dira quand told.example" in visitor.post(link).text
    assert "Votre adresse est effacée" in visitor.post(link, no="1").text
    gone = visitor.get(link)
    assert gone.status == 404 and "too old" in gone.text


def test_every_answer_to_a_stranger_is_in_their_language(place: Served) -> None:
    visitor = place.visitor()
    said = {"lang": "de", "email": ""}
    assert "ist schon angenommen" in visitor.post("/submit", text="trust.example", **said).text
    assert "wurde abgelehnt: a shop" in visitor.post("/submit", text="no.example", **said).text
    assert "wird nicht angesehen" in visitor.post("/submit", text="scam.example", **said).text


def test_a_role_is_changed_and_the_last_admin_stays(admin: Visitor, reviewer: Visitor) -> None:
    assert admin.post("/users/rita/role", role="submitter").status == 303
    assert reviewer.get("/review").status == 403  # from the next request on
    assert admin.post("/users/rita/role", role="reviewer").status == 303
    assert reviewer.get("/review").status == 200
    assert admin.post("/users/ada/role", role="reviewer").status == 409
    assert admin.post("/users/rita/role", role="king").status == 400


def test_the_blacklist_takes_names_that_nobody_knows(place: Served, reviewer: Visitor) -> None:
    form = {"verb": "blacklist", "domains": "https://www.new-scam.example/x scam.example", "bulk": "1"}
    asks = reviewer.post("/decide", reason="scams", unknown="1", **form)
    assert 'name="unknown"' in asks.text
    done = reviewer.post("/decide", reason="scams", unknown="1", sure="1", **form)
    assert "1 blacklisted, 1 refused" in done.text
    assert state(place, "new-scam.example")[:2] == ("pending_review", "blacklisted")
    other = form | {"domains": "not-known.example a.example"}
    assert "2 refused" in reviewer.post("/decide", reason="scams", sure="1", **other).text


def test_settings_show_what_is_set_up_and_what_to_paste(place: Served, admin: Visitor) -> None:
    page = admin.get("/settings").text
    assert "connection_refused: nobody answers" in page and "550 no such user" in page
    assert "[providers.brave]" in page and "whsec_" not in page and "/hook" not in page
    refused = admin.post("/settings/webhooks/crm/test")
    assert refused.status == 409 and "crm did not accept a test" in refused.text
    assert admin.post("/settings/webhooks/none/test").status == 404
    assert admin.post("/settings/mail/test", address="a@b").status == 400
    assert admin.post("/settings/mail/test", address="ada@home.example").status == 303
    assert "Surveyor: mail works" in admin.get("/settings").text
    again = re.search(r'action="(/settings/outbox/\d+/again)"', page)
    assert again and admin.post(again[1]).status == 303 and admin.post(again[1]).status == 404


def test_a_text_is_tried_against_the_profile(reviewer: Visitor) -> None:
    page = reviewer.get(
        "/profile?title=Grants+for+villages+in+Bulgaria&text=Apply+for+funding+by+30+June"
    ).text
    assert 'data-label="Judge">keyword<' in page and "a candidate" in page
    assert "безвъзмездна" in page and "Hours between visits" in page


def test_a_draft_says_all_its_mistakes_or_what_it_changes(admin: Visitor, reviewer: Visitor) -> None:
    page = reviewer.get("/profile/draft").text
    found = re.search(r'<textarea id="draft-text"[^>]*>(.*?)</textarea>', page, re.DOTALL)
    assert found
    text = html.unescape(found[1])
    broken = text.replace("threshold = 0.60", "threshold = 7").replace("languages = [", "langs = [", 1)
    wrong = reviewer.post("/profile/draft", text=broken).text
    assert "The draft cannot be used" in wrong and wrong.count("<li>") >= 2 and "threshold = 7" in wrong
    assert "not valid TOML" in reviewer.post("/profile/draft", text="[[[").text
    draft = text.replace("threshold = 0.60", "threshold = 0.61", 1).replace("\n", "\r\n")
    compared = reviewer.post("/profile/draft", text=draft).text
    assert "<ins>0.61</ins>" in compared and "<del>0.60</del>" in compared
    assert "An admin can make it active" in compared and "/profile/activate" not in compared
    stale = admin.post("/profile/activate", text=draft, seen="0" * 64, back="/profile/draft")
    assert stale.status == 409 and "changed meanwhile" in stale.text and "threshold = 0.61" in stale.text


def test_a_list_is_tried_before_it_is_imported(place: Served, reviewer: Visitor) -> None:
    tried = reviewer.post("/jobs", kind="import", text="list1.example\nlist2.example", dry_run="1")
    job = tried.headers["location"]
    assert "A dry run" in reviewer.get(job).text
    real = reviewer.post("/jobs", kind="import", rehearsed=job.rpartition("/")[2])
    assert real.status == 303 and "A dry run" not in reviewer.get(real.headers["location"]).text
