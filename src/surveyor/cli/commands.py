"""Every command with its panel and its one line of help: data, so that `--help` needs no import."""

from __future__ import annotations

import textwrap
from typing import NamedTuple


class Command(NamedTuple):
    panel: str
    name: str
    target: str  # module:function within surveyor.cli
    help: str


# One panel per stage, in the order of the work; then what serves all stages.
PANELS = ("Start", "Discover", "Judge", "Review", "Crawl", "Extract", "Refresh", "Register", "Operate")

COMMANDS = (
    Command("Start", "init", "workspace:init", "make a workspace in a folder"),
    Command("Start", "doctor", "workspace:doctor", "check everything, say what to do"),
    Command("Start", "profile", "profile:app", "what to look for: new, check, show, try, language"),
    Command("Start", "completion", "completion:completion", "let your shell complete commands"),
    Command("Start", "demo", "demo:demo", "see all stages work on invented sites"),
    Command("Discover", "ingest-seeds", "discover:ingest_seeds", "bring in a list of domains"),
    Command("Discover", "backfill", "backfill:backfill", "bring in old crawl logs of another crawler"),
    Command("Discover", "import", "register_import:import_register", "bring in a register of others"),
    Command("Discover", "search", "search:search", "ask search providers for new domains"),
    Command("Discover", "sessions", "sessions:sessions", "sessions of searches with their figures"),
    Command("Discover", "providers", "search:providers", "search providers: state, cost, what they brought"),
    Command("Discover", "discover-links", "discover:discover_links", "queue domains that our pages link to"),
    Command("Judge", "judge", "judge:judge", "judge search results that wait"),
    Command("Judge", "candidates", "candidates:candidates", "judged possibilities, with their confidence"),
    Command("Review", "submit", "submit:submit", "name a domain for review, or a page to fetch"),
    Command("Review", "review", "review:review", "domains that wait for a decision"),
    Command("Review", "approve", "decisions:approve", "let domains be crawled"),
    Command("Review", "reject", "decisions:reject", "say no to domains, with a reason"),
    Command("Review", "suspend", "decisions:suspend", "stop their crawl"),
    Command("Review", "resume", "decisions:resume", "let it go on"),
    Command("Review", "reopen", "decisions:reopen", "back into the queue"),
    Command("Review", "trust", "decisions:trust", "fetch submitted URLs of them first"),
    Command("Review", "untrust", "decisions:untrust", "take trust back"),
    Command("Review", "blacklist", "decisions:blacklist", "never again, with a reason"),
    Command("Review", "unblacklist", "decisions:unblacklist", "take them off the blacklist"),
    Command("Review", "no-funds", "decisions:no_funds", "hide them until the year ends"),
    Command("Review", "domain-edit", "decisions:domain_edit", "change limits or notes"),
    Command("Review", "candidate-take", "review_candidates:candidate_take", "look at a candidate, alone"),
    Command("Review", "candidate-decide", "review_candidates:candidate_decide", "publish it, or not"),
    Command("Review", "forget", "forget:forget", "erase a domain for good"),
    Command("Crawl", "crawl", "crawl:crawl", "crawl approved domains that are due"),
    Command("Crawl", "queue-status", "crawl_lists:queue_status", "what waits, per domain"),
    Command("Crawl", "list-runs", "crawl_lists:list_runs", "runs with their figures"),
    Command("Crawl", "cleanup-runs", "crawl_lists:cleanup_runs", "close runs whose workers are gone"),
    Command("Extract", "extract", "extract:extract", "read new pages: text, records, contacts"),
    Command("Extract", "records", "records:records", "what was found, with its source"),
    Command("Extract", "record", "records:record", "one record: pages, words, changes"),
    Command("Extract", "contacts", "records:contacts", "people and channels of a domain"),
    Command("Extract", "page", "page:page", "a stored page: text, records, versions"),
    Command("Extract", "diff", "records:diff", "what two versions of a page differ in"),
    Command("Extract", "quarantine", "records:quarantine", "pages that could not be read"),
    Command("Refresh", "refresh", "refresh:refresh", "visit pages that are due again"),
    Command("Refresh", "recrawl", "crawl:recrawl", "make all pages of a domain due now"),
    Command("Register", "domain-status", "domains:domain_status", "list domains with their progress"),
    Command("Register", "domain-info", "domain_page:domain_info", "everything about one domain"),
    Command("Register", "domain-reset", "domains:domain_reset", "clear errors and cooldown, crawl again"),
    Command("Register", "why", "why:why", "why a URL or a domain was crawled or not"),
    Command("Register", "top-domains", "domains:top_domains", "the domains that yield most"),
    Command(
        "Register", "recalculate-priorities", "domains:recalculate_priorities", "write all priorities anew"
    ),
    Command("Register", "export", "export:export", "your data as CSV, JSON Lines or Parquet"),
    Command("Operate", "up", "up:up", "everything at once, in one process tree"),
    Command("Operate", "jobs", "jobs:jobs", "work that was asked for in the admin"),
    Command("Operate", "notify", "notify:notify", "messages to submitters and staff, and send them"),
    Command("Operate", "plugins", "plugins:plugins", "what is built in and plugged in"),
    Command("Operate", "serve", "serve:serve", "the admin in a browser"),
    Command("Operate", "mcp", "mcp:mcp", "the register for assistants, over standard input"),
    Command("Operate", "housekeep", "up:housekeep", "close and remove what is over"),
    Command("Operate", "backup", "backup:backup", "everything into one file, while workers run"),
    Command("Operate", "restore", "backup:restore", "a workspace out of that file, on either database"),
    Command("Operate", "archive", "archive:app", "stored responses: index for replay tools"),
    Command("Operate", "workers", "workers:workers", "who is at work, and on what"),
    Command("Operate", "release-claims", "workers:release_claims", "end claims by hand"),
    Command("Operate", "events", "events:events", "what happened; --follow goes on as it does"),
    Command("Operate", "webhooks", "events:webhooks", "who receives events, and send them"),
    Command("Operate", "user", "people:user_app", "people: add, list, disable, enable, password"),
    Command("Operate", "token", "people:token_app", "keys for programs: create, list, revoke"),
    Command("Operate", "db", "database:app", "the schema: upgrade, downgrade, check, merge-domains"),
)


def overview() -> str:
    """What `surveyor --help` prints: names by stage, on one screen."""
    lines = [
        "Surveyor keeps a register of web domains: finds them, judges them, asks a person,",
        "crawls what was approved, extracts what it came for, and comes back.",
        "",
        "usage: surveyor [--workspace DIR] COMMAND [OPTIONS]",
        "",
    ]
    for panel in PANELS:
        names = ", ".join(command.name for command in COMMANDS if command.panel == panel)
        lines += textwrap.wrap(f"{panel:<10}{names}", 78, subsequent_indent=" " * 10, break_on_hyphens=False)
    lines += [
        "",
        "  --workspace DIR         folder to work in (else SURVEYOR_WORKSPACE, else here)",
        "  --debug                 show the traceback of an error",
        "  --version               print the version",
        "",
        "surveyor help says what each does, surveyor COMMAND --help tells more; listings take --json.",
    ]
    return "\n".join(lines)


def is_only_a_command(word: str) -> bool:
    """A command whose name is no stage: `help` shows the options of the one, the commands of the other."""
    return word in {command.name for command in COMMANDS} - {panel.lower() for panel in PANELS}


def explained(stage: str | None = None) -> str:
    """What `surveyor help` prints: every command, or those of one stage, with a line of help."""
    parts = []
    for panel in PANELS:
        if stage is not None and panel.lower() != stage.lower():
            continue
        lines = [f"  {command.name:<23} {command.help}" for command in COMMANDS if command.panel == panel]
        parts.append("\n".join([panel, *lines]))
    return "\n\n".join(parts)
