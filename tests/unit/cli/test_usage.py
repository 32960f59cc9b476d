"""A command line that cannot be understood is answered with what to type."""

from __future__ import annotations

import pytest

from surveyor.cli import run
from surveyor.cli.commands import COMMANDS
from surveyor.cli.usage import _OTHER_TOOLS_SAY


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("domain-info", "DOMAIN is missing: `surveyor domain-info DOMAIN`"),
        ("reject a.example", "--reason is missing: `surveyor reject … --reason REASON`"),
        ("quarantine --again --after 7", "--after is for the list; --again takes all"),
        ("export", "WHAT is one of domains, candidates, records"),
        ("status", "there is no command status; perhaps `surveyor domain-status`"),
        ("webhooks everything", "unexpected: everything; `surveyor webhooks --help` says"),
        ("domains", "there is no command domains; perhaps `surveyor domain-status`"),
        ("domain-inf a.example", "there is no command domain-inf; perhaps `surveyor domain-info`"),
        ("xyzzy", "there is no command xyzzy; `surveyor help` says what each one does"),
        ("crawl --max-pages many", "--max-pages takes a whole number, not “many”; `surveyor crawl --help`"),
        ("diff https://a.example 2", "OLDER takes a whole number, not “https://a.example”"),
        ("version", "perhaps `surveyor --version`"),
        ("--workspace", "--workspace is missing: `surveyor … --workspace WORKSPACE`; `surveyor --help`"),
        ("--workspace /etc/passwd review", "/etc/passwd is a file; a workspace is a folder"),
        ("--workspce x review", "there is no option --workspce; perhaps --workspace"),
        ("--xyzzy review", "there is no option --xyzzy; `surveyor --help` lists them"),
        ("--debug help crawl", "nothing goes before help: type `surveyor help`"),
        ("approve a.example --reasn x", "unknown option --reasn; perhaps --reason"),
        ("crawl --limit 3", "Unknown option: --limit; `surveyor crawl --help` lists those it has"),
        ("crawl --max-page 3", "Did you mean --max-pages?"),
        ("review --limit 99999999999999999999", "It must be at most 9,223,372,036,854,775,807."),
        ("review --limit 9223372036854775807", "It must be at most 9,223,372,036,854,775,807."),
        ("events --after 99999999999999999999", "It must be at most 9,223,372,036,854,775,807."),
        ("diff 99999999999999999999 2", "It must be at most 9,223,372,036,854,775,807."),
        ("crawl --workers 100000", "--workers must be 1 to 256, not 100000"),
        ("up --workers 0", "--workers must be 1 to 256, not 0"),
        ("recrawl", "DOMAIN is missing: `surveyor recrawl DOMAIN`"),
        ("db upgrad", 'Did you mean "upgrade"?'),
    ],
)
def test_one_line_says_what_to_type(line: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(line.split()) == 2
    said = capsys.readouterr().err
    assert says in said and said.count("\n") == 1


def test_help_with_a_command_is_the_help_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["help", "domain-status"]) == 0
    assert capsys.readouterr().out.startswith("Usage: surveyor domain-status")


@pytest.mark.parametrize(("command", "has_list"), [("records", True), ("mcp", False), ("profile", False)])
def test_columns_are_offered_only_where_there_is_a_list(
    command: str, has_list: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([command, "--help"]) == 0
    said = capsys.readouterr().out
    assert ("--columns" in said) is has_list
    assert "--workspace" in said


def test_words_of_other_tools_lead_to_commands_that_exist() -> None:
    names = {"--version", *(command.name for command in COMMANDS)}
    assert set(_OTHER_TOOLS_SAY.values()) <= names
    assert not names & _OTHER_TOOLS_SAY.keys()


def test_help_has_a_commands_own_options_first_and_no_switch_that_is_off(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["crawl", "--help"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("Usage: surveyor crawl")
    assert said.index("--workers") < said.index("--workspace")
    assert "[default: 1]" in said and "False" not in said
    assert run(["export", "--help"]) == 0
    said = capsys.readouterr().out
    assert "WHAT" in said and "--WHAT" not in said


@pytest.mark.parametrize("command", ["search", "backfill", "import"])
def test_an_option_that_may_be_repeated_is_named_once(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([command, "--help"]) == 0
    assert "--empty-" not in capsys.readouterr().out


def test_the_first_screen_fits_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    for line in ([], ["help"]):
        assert run(line) == 0
        assert [shown for shown in capsys.readouterr().out.splitlines() if len(shown) > 80] == []
