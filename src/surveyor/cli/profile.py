"""Commands around profiles: begin one, look at it, check it, try it, give it one more language."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from surveyor.cli import judge_file, runtime, show
from surveyor.cli.listing import Json
from surveyor.errors import BadInput
from surveyor.extract.lexicon import missing_words
from surveyor.judge import quality_check
from surveyor.judge.learned.model import shipped
from surveyor.judge.panel import Panel
from surveyor.judge.training import load_model
from surveyor.judge.values import spoken
from surveyor.profiles import drafts, loader
from surveyor.profiles.model import Profile

if TYPE_CHECKING:
    from surveyor.bootstrap.workspace import Workspace
    from surveyor.judge.quality_check import Measured
    from surveyor.judge.values import Judgment

app = App(name="profile", help="Create, show, check and try profiles.", version_flags=[])
Named = Annotated[str | None, Parameter(help="A built-in profile or a file; without it the workspace's own.")]
Output = Annotated[Path | None, Parameter(help="Write it to this new file instead of printing it.")]


@app.command
def new(
    name: Annotated[str, Parameter(help="What it is called: small letters, digits, hyphens.")],
    *,
    words: Annotated[
        str, Parameter(help="Words for what you look for, as pages write them, separated by commas.")
    ] = "",
    language: Annotated[str, Parameter(help="Language of the words: ISO 639-1, such as es.")] = "en",
    like: Annotated[str | None, Parameter(help="Copy this built-in profile instead, whole.")] = None,
    title: Annotated[str | None, Parameter(help="What people call it.")] = None,
    output: Output = None,
) -> int:
    """Draft a profile of your own: a short one about your words, or a copy of a built-in one."""
    called = title or name.replace("-", " ")
    if like is not None:
        if words:
            raise BadInput("--words is for a profile that begins empty; leave it or --like out")
        return _write(drafts.copy_of(like, name, called), output)
    given = [word.strip() for word in words.split(",") if word.strip()]
    return _write(drafts.short(name, called, given or [called], language), output)


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
    loaded = loader.load(*_place(profile))
    show.result(loaded.model_dump(mode="json", by_alias=True), lambda: _print(loaded), json=json)
    return 0


def _print(loaded: Profile) -> None:
    runtime.answer(f"{loaded.name}: {loaded.title}. {loaded.description}")
    runtime.answer(f"threshold {loaded.threshold}, hash {loaded.hash[:12]}, judges {_judges(loaded)}")
    columns = [("PART", "left"), ("NAME", "left"), *((code, "right") for code in loaded.languages)]
    show.print_table(columns, _rows(loaded))


@app.command
def check(profile: Named = None) -> int:
    """All mistakes of a profile at once; in a workspace also how well it ranks the domains decided there."""
    name, base = _place(profile)
    found = loader.faults(name, base)
    for fault in found:
        runtime.say(fault)
    if found:
        return runtime.FAILED
    loaded = loader.load(name, base)
    runtime.answer(f"profile {loaded.name} is in order")
    if warning := missing_words(loaded.languages):
        runtime.say(f"warning: {warning}")
    if base is None:
        return 0

    for line in runtime.in_workspace(partial(_measured, loaded)):
        runtime.answer(line)
    return 0


@app.command(name="try")
def try_profile(
    file: Annotated[
        str, Parameter(allow_leading_hyphen=True, help="JSON lines (url, title, description), or -.")
    ] = "-",
    *,
    profile: Named = None,
    rules: Annotated[
        bool, Parameter(negative=(), help="Use the rules only, without the learned judge.")
    ] = False,
) -> int:
    """Score pasted search results as the profile's panel does and say why; nothing is stored."""
    panel = _panel(profile, by_rules=rules)
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


def _panel(profile: str | None, *, by_rules: bool) -> Panel:
    """The judges of the workspace with the model trained there, or those of a profile that is named."""
    if profile is None and not by_rules:

        async def act(workspace: Workspace) -> Panel:
            return await workspace.panel()

        return runtime.in_workspace(act)
    loaded = loader.load(*_place(profile))
    return Panel(loaded, model=None if by_rules else shipped(loaded.name))


def _place(profile: str | None) -> tuple[str, Path | None]:
    """A profile's name and the folder it stands in: that of the workspace if none is named."""
    if profile is not None:
        return profile, None
    from surveyor import settings
    from surveyor.bootstrap.workspace import find_workspace

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
        show.print_line(f"     {score.score} {spoken(score.judge)}: {show.safe(score.explanation)}")


async def _measured(loaded: Profile, workspace: Workspace) -> list[str]:
    """How well the workspace's panel ranks what was decided here, and the rules alone."""
    measure = partial(quality_check.measure, workspace.db, loaded, workspace.name_rules)
    by_rules = await measure()
    if by_rules is None:
        return ["no domains with search results are decided yet; there is nothing to measure it with"]
    decided = f"{by_rules.results} results of {by_rules.domains} decided domains, {by_rules.wanted} wanted"
    model = await load_model(workspace.db, loaded) if workspace.settings.judge.learned else None
    learned = await measure(model=model) if model is not None else None
    if model is None or learned is None:
        return [f"{decided}: {_quality(by_rules)}"]
    trained = ", trained with these decisions" if "begun_with" in model.manifest else ""
    return [
        f"{decided}",
        f"  with the learned judge{trained}: {_quality(learned)}",
        f"  by the rules alone: {_quality(by_rules)}",
    ]


def _quality(found: Measured) -> str:
    return (
        f"AUC {found.auc:.2f}, precision {found.precision:.2f} and recall {found.recall:.2f} "
        f"at {found.threshold}"
    )
