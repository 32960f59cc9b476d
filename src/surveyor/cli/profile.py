"""Commands around profiles: begin one, look at it, check it, try it, give it one more language."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from surveyor import profiles
from surveyor.cli import judge_file, runtime, show
from surveyor.cli.listing import Json
from surveyor.errors import BadInput
from surveyor.extract.lexicon import missing_words
from surveyor.judge import quality_check
from surveyor.judge.panel import Panel
from surveyor.profiles import Profile, drafts, loader

if TYPE_CHECKING:
    from surveyor.bootstrap import Workspace
    from surveyor.judge import Judgment
    from surveyor.judge.quality_check import Measured

app = App(name="profile", help="Begin, look at, check and try profiles.", version_flags=[])
Named = Annotated[str | None, Parameter(help="A built-in profile or a file; without it the workspace's own.")]
Output = Annotated[Path | None, Parameter(help="Write it into this new file instead of printing it.")]


@app.command
def new(
    name: Annotated[str, Parameter(help="What it is called: small letters, digits, hyphens.")],
    *,
    like: Annotated[str, Parameter(help="The built-in profile to begin with.")] = "funding",
    title: Annotated[str | None, Parameter(help="What people call it.")] = None,
    output: Output = None,
) -> int:
    """Draft a profile of your own: a copy of a built-in one to be edited."""
    return _write(drafts.copy_of(like, name, title or name), output)


@app.command
def language(
    code: Annotated[str, Parameter(help="ISO 639-1, such as de.")],
    *,
    profile: Named = None,
    output: Output = None,
) -> int:
    """Draft a profile with one more language: words from what is built in, the rest to be filled in."""
    made, empty = drafts.with_language(loader.read(*_place(profile)), code)
    text = drafts.to_toml(made)
    loader.parse(text.encode(), "draft")
    if empty:
        runtime.say(f"still empty: {', '.join(empty)}")
    return _write(text, output)


@app.command(name="show")
def show_profile(profile: Named = None, *, json: Json = False) -> int:
    """What a profile looks for: groups, organisations and places with how many words each language has."""
    loaded = profiles.load(*_place(profile))
    if json:
        show.print_json(loaded.model_dump(mode="json", by_alias=True))
        return 0
    runtime.answer(f"{loaded.name}: {loaded.title}. {loaded.description}")
    runtime.answer(f"threshold {loaded.threshold}, hash {loaded.hash[:12]}, judges {_judges(loaded)}")
    columns = [("PART", "left"), ("NAME", "left"), *((code, "right") for code in loaded.languages)]
    show.print_table(columns, _rows(loaded))
    return 0


@app.command
def check(profile: Named = None) -> int:
    """All mistakes of a profile at once; in a workspace also how well it ranks the domains decided there."""
    name, base = _place(profile)
    found = loader.faults(name, base)
    for fault in found:
        runtime.say(fault)
    if found:
        return runtime.FAILED
    loaded = profiles.load(name, base)
    runtime.answer(f"profile {loaded.name} is in order")
    if warning := missing_words(loaded.languages):
        runtime.say(f"warning: {warning}")
    if base is None:
        return 0

    async def act(workspace: Workspace) -> Measured | None:
        return await quality_check.measure(workspace.db, loaded, workspace.name_rules)

    runtime.answer(_measured(runtime.in_workspace(act)))
    return 0


@app.command(name="try")
def try_profile(
    file: Annotated[
        str, Parameter(allow_leading_hyphen=True, help="JSON lines (url, title, description), or -.")
    ] = "-",
    *,
    profile: Named = None,
) -> int:
    """Score pasted search results with a profile's rules and say why; nothing is stored."""
    panel = Panel(profiles.load(*_place(profile)))
    bad = 0
    for number, line in enumerate(judge_file.read_lines(file), 1):
        try:
            hit = judge_file.hit_of(line)
        except ValueError as error:
            runtime.say(f"line {number}: {error}")
            bad += 1
            continue
        _explain(hit.title, panel.judge(hit))
    return runtime.FAILED if bad else 0


def _place(profile: str | None) -> tuple[str, Path | None]:
    """A profile's name and the folder it stands in: that of the workspace if none is named."""
    if profile is not None:
        return profile, None
    from surveyor import settings
    from surveyor.bootstrap import find_workspace

    folder = find_workspace(runtime.options.workspace)
    return settings.load(folder).profile, folder


def _write(text: str, output: Path | None) -> int:
    if output is None:
        sys.stdout.write(text)
        return 0
    try:
        with output.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise BadInput(f"{output} is there already; name a new file") from None
    runtime.say(f"written to {output}; `surveyor profile check {output}` says whether it is in order")
    return 0


def _judges(loaded: Profile) -> str:
    return ", ".join(f"{name} {weight}" for name, weight in loaded.judges.items())


def _rows(loaded: Profile) -> list[list[str]]:
    tables = [("keywords", name, group.words) for name, group in loaded.keywords.items()]
    tables += [("organisations", name, group.words) for name, group in loaded.organisations.items()]
    tables += [("places", code, place.names) for code, place in loaded.geography.places.items()]
    return [
        [part, name, *(str(len(words.get(code, ()))) for code in loaded.languages)]
        for part, name, words in tables
    ]


def _explain(title: str, judgment: Judgment) -> None:
    verdict = "yes" if judgment.should_crawl else "no"
    runtime.answer(f"{judgment.confidence} {verdict}  {show.safe(judgment.domain)}  {show.safe(title)}")
    for score in judgment.scores:
        runtime.answer(f"     {score.score} {score.judge}: {show.safe(score.explanation)}")


def _measured(found: Measured | None) -> str:
    if found is None:
        return "no domains with search results are decided yet; there is nothing to measure it with"
    return (
        f"{found.results} results of {found.domains} decided domains, {found.wanted} wanted: "
        f"AUC {found.auc:.2f}, precision {found.precision:.2f} and recall {found.recall:.2f} "
        f"at {found.threshold}"
    )
