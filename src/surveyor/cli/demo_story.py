"""The six stages in their order, each with what a person types and what comes of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from rich.text import Text

from surveyor.cli import demo_queries, demo_review, show
from surveyor.extract import queries
from surveyor.smallweb import expected

if TYPE_CHECKING:
    from surveyor.bootstrap.workspace import Workspace
    from surveyor.cli.demo_scene import Scene
    from surveyor.extract.queries import RecordStory
    from surveyor.smallweb import Asked, SmallWeb

# What happens to a site between two visits, by profile.
CHANGES = {
    "funding": "a deadline moved",
    "community": "opening hours changed",
    "images": "a picture new",
}
# The share of all pages after which the worker is killed: in the middle, however quick the machine is.
_KILLED_AFTER = 1 / 2
_QUEUE_SHOWN = 8


class Story:
    """`asks` says whether a person decides; else the curator who wrote down the truth about the sites."""

    def __init__(self, scene: Scene, web: SmallWeb, profile: str, *, asks: bool) -> None:
        self._scene, self._web, self._profile, self._asks = scene, web, profile, asks
        self._change = web.changes()[CHANGES[profile]]
        self._approved: set[str] = set()
        self._truth = {one.host: one for one in expected(profile, sites=web.sites, today=web.today)}

    def foreword(self) -> str:
        return (
            f"{len(self._web.sites)} invented sites and a search engine over them answer at"
            f" http://{self._web.address}:{self._web.port}/ on this machine. Nothing else is asked."
        )

    def tell(self) -> None:
        scene = self._scene
        scene.surveyor("init", str(scene.workspace), "--profile", self._profile, outside=True)
        for chapter in (self.discover, self.judge, self.review):
            chapter()
        for chapter in (self.crawl, self.extract, self.refresh):
            if self._approved:
                chapter()
            else:
                scene.heading(chapter.__name__, "Nothing was approved, so nothing is asked for.")

    # -- the stages

    def discover(self) -> None:
        self._scene.heading(
            "discover",
            "The profile's queries go to a search engine, through the adapter that also works with a real"
            " SearXNG. Spam is turned away by its words. A list brings what no search knows; one domain under"
            " many spellings stays one.",
        )
        self._scene.surveyor("search", "--no-judge")
        self._scene.surveyor("ingest-seeds", str(self._list()), "--for-review")

    def judge(self) -> None:
        self._scene.heading(
            "judge", "From titles, descriptions and addresses alone; no site has been asked for anything yet."
        )
        self._scene.surveyor("judge")
        for candidate in self._scene.ask(demo_queries.best_and_worst):
            self._scene.line(f"What the judges say of {candidate.domain}:")
            for line in demo_review.words_of(candidate):
                self._scene.line(line)

    def review(self) -> None:
        self._scene.heading(
            "review", "A person says yes or no to whole domains. Every decision keeps who, when and why."
        )
        self._scene.surveyor("review", "--order", "confident", "--limit", str(_QUEUE_SHOWN))
        self._approved = demo_review.decide(self._scene, self._truth, asks=self._asks)

    def crawl(self) -> None:
        self._scene.heading(
            "crawl",
            "All approved domains side by side, one request at a time each, robots.txt first. In the middle"
            " the worker gets SIGKILL: it cannot tidy up. The next one goes on from what was committed.",
        )
        begun = len(self._web.asked)
        self._killed_crawl(begun)
        self._scene.surveyor("crawl")
        self._stop_if(demo_queries.was_interrupted)
        asked = self._pages_asked(begun)
        again = sum(count > 1 for count in Counter((one.host, one.target) for one in asked).values())
        self._scene.say(
            f"{show.count(len(asked), 'page')} asked for in both runs together, {again} of them twice: what"
            " was not committed when the worker died, and errors that were tried again. Nothing began anew."
        )

    def extract(self) -> None:
        self._scene.heading(
            "extract",
            "Every new page is read once: its text, whether it matters, records with the words they were read"
            " from, contacts. `surveyor crawl` does this beside itself; here it is shown alone.",
        )
        self._scene.surveyor("extract")
        self._stop_if(demo_queries.pages_wait)
        if story := self._changing_record():
            self._scene.surveyor("record", str(story.record.id))
        elif pictures := self._scene.ask(
            lambda workspace: demo_queries.pictures(workspace, self._change.host)
        ):
            self._scene.surveyor("why", min(pictures))

    def refresh(self) -> None:
        change, story = self._change, self._changing_record()
        if change.host not in self._approved:
            self._scene.heading("refresh", f"It would look at {change.host} again, which was not approved.")
            return
        before = self._scene.ask(lambda workspace: demo_queries.pictures(workspace, change.host))
        self._scene.heading(
            "refresh",
            f"Two weeks pass, on paper: the dates of {change.host} are put back. Meanwhile on {change.page}:"
            f" {change.name}. The next visit asks only for what changed, and reads only that.",
        )
        begun = len(self._web.asked)
        self._web.change(change.name)
        targets = [page.path for page in self._web.sites[change.host].open_pages()]
        self._scene.ask(lambda workspace: demo_queries.weeks_pass(workspace, change.host, targets))
        self._scene.surveyor("refresh", change.host)
        self._scene.surveyor("extract")
        self._stop_if(demo_queries.pages_wait)
        again = [one for one in self._pages_asked(begun) if one.status in (200, 304)]
        same = sum(one.status == 304 for one in again)
        self._scene.say(
            f"{show.count(len(again), 'page')} asked for again, {same} of them had not changed (304)."
        )
        if story is not None:
            self._tell_change(story)
        for url in self._scene.ask(lambda workspace: demo_queries.pictures(workspace, change.host)) - before:
            self._scene.surveyor("why", url)

    # -- their parts

    def _list(self) -> str:
        known = next(iter(self._truth))
        lines = [host for host, truth in self._truth.items() if truth.found == "seed"]
        lines += [f"https://www.{known.upper()}/about", "10.0.0.7"]
        file = self._scene.workspace.parent / "list.csv"
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return str(file)

    def _killed_crawl(self, begun: int) -> None:
        pages = sum(len(self._web.sites[host].open_pages()) for host in self._approved)
        self._scene.typed("crawl", ending=" &")
        with self._scene.started("crawl") as worker:
            is_killed = self._scene.until(
                lambda: len(self._pages_asked(begun)) >= max(1, pages * _KILLED_AFTER), worker
            )
        show.console().show_cursor(True)  # the live view had hidden it, and could not give it back
        message = "killed" if is_killed else "it had done all there was"
        asked = show.count(len(self._pages_asked(begun)), "page")
        self._scene.line(Text(f"{message} after {asked}", style="red"))

    def _pages_asked(self, begun: int) -> list[Asked]:
        """Pages that sites were asked for since then; rules, lists and pictures are none."""
        sites = {name: site for site in self._web.sites.values() for name in site.names}
        return [
            one
            for one in self._web.asked[begun:]
            if one.host in sites
            and one.target not in sites[one.host].pictures
            and not one.target.startswith(("/robots.txt", "/sitemap"))
        ]

    def _changing_record(self) -> RecordStory | None:
        """The record that the change will be about; pictures are none."""
        host, page = self._change.host, self._change.page
        return self._scene.ask(lambda workspace: demo_queries.record_on(workspace, host, page))

    def _tell_change(self, before: RecordStory) -> None:
        after = self._scene.ask(lambda workspace: queries.record_story(workspace.db, before.record.id))
        versions = {source.key: source.snapshot_id for source in before.sources}
        for source in after.sources:
            if versions.get(source.key, source.snapshot_id) != source.snapshot_id:
                self._scene.surveyor("diff", str(versions[source.key]), str(source.snapshot_id))
        for change in after.changes:
            message = f"{after.record.name}: {change.field} was {change.old}, is {change.new}"
            self._scene.line(Text(show.safe(message), style="green"))

    def _stop_if(self, interrupted: Callable[[Workspace], Awaitable[bool]]) -> None:
        """Crawl and extraction end cleanly when interrupted; the demo's person meant the demo."""
        if self._scene.ask(interrupted):
            raise KeyboardInterrupt
