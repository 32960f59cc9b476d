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
    Command("Discover", "ingest-seeds", "discover:ingest_seeds", "add domains from a list"),
    Command("Discover", "backfill", "backfill:backfill", "import crawl logs of another crawler"),
    Command(
        "Discover", "import", "register_import:import_register", "import another register with its decisions"
    ),
    Command("Discover", "search", "search:search", "ask search providers for new domains"),
    Command("Discover", "sessions", "sessions:sessions", "sessions of searches with their figures"),
    Command("Discover", "providers", "search:providers", "search providers: state, cost, what they brought"),
    Command("Discover", "discover-links", "discover:discover_links", "queue domains that our pages link to"),
    Command("Judge", "judge", "judge:judge", "judge search results that wait"),
    Command("Judge", "candidates", "candidates:candidates", "candidates with their confidence"),
    Command("Review", "submit", "submit:submit", "submit a domain for review, or a page to fetch"),
    Command("Review", "review", "review:review", "domains that wait for a decision"),
    Command("Review", "approve", "decisions:approve", "approve domains for crawling"),
    Command("Review", "reject", "decisions:reject", "reject domains, with a reason"),
    Command("Review", "suspend", "decisions:suspend", "stop the crawl of approved domains"),
    Command("Review", "resume", "decisions:resume", "continue the crawl of suspended domains"),
    Command("Review", "reopen", "decisions:reopen", "put domains back into review"),
    Command("Review", "trust", "decisions:trust", "fetch submitted URLs of a domain first"),
    Command("Review", "untrust", "decisions:untrust", "withdraw trust"),
    Command("Review", "blacklist", "decisions:blacklist", "never judge or crawl a domain again"),
    Command("Review", "unblacklist", "decisions:unblacklist", "take domains off the blacklist"),
    Command("Review", "no-funds", "decisions:no_funds", "hide candidates until the year ends"),
    Command("Review", "domain-edit", "decisions:domain_edit", "change limits or notes of a domain"),
    Command(
        "Review", "candidate-take", "review_candidates:candidate_take", "reserve a candidate for yourself"
    ),
    Command(
        "Review", "candidate-decide", "review_candidates:candidate_decide", "approve or reject a candidate"
    ),
    Command("Review", "forget", "forget:forget", "erase a domain for good"),
    Command("Crawl", "crawl", "crawl:crawl", "crawl approved domains that are due"),
    Command("Crawl", "queue-status", "crawl_lists:queue_status", "waiting URLs per domain"),
    Command("Crawl", "list-runs", "crawl_lists:list_runs", "runs with their figures"),
    Command("Crawl", "cleanup-runs", "crawl_lists:cleanup_runs", "close runs whose workers are gone"),
    Command("Extract", "extract", "extract:extract", "read new pages: text, records, contacts"),
    Command("Extract", "records", "records:records", "records that were found, with their source"),
    Command("Extract", "record", "records:record", "one record: pages, words, changes"),
    Command("Extract", "contacts", "records:contacts", "people and channels of a domain"),
    Command("Extract", "page", "page:page", "a stored page: text, records, versions"),
    Command("Extract", "diff", "records:diff", "differences between versions of a page"),
    Command("Extract", "quarantine", "records:quarantine", "pages that could not be read"),
    Command("Refresh", "refresh", "refresh:refresh", "visit pages that are due again"),
    Command("Refresh", "recrawl", "crawl:recrawl", "make all pages of a domain due now"),
    Command("Register", "domain-status", "domains:domain_status", "list domains with their progress"),
    Command("Register", "domain-info", "domain_page:domain_info", "everything about one domain"),
    Command("Register", "domain-reset", "domains:domain_reset", "clear errors and cooldown, crawl again"),
    Command("Register", "why", "why:why", "why a URL or a domain was crawled or not"),
    Command("Register", "top-domains", "domains:top_domains", "the domains that yield most"),
    Command(
        "Register", "recalculate-priorities", "domains:recalculate_priorities", "recalculate all priorities"
    ),
    Command("Register", "export", "export:export", "your data as CSV, JSON Lines or Parquet"),
    Command("Operate", "up", "up:up", "run everything in one process tree"),
    Command("Operate", "jobs", "jobs:jobs", "work that was asked for in the admin"),
    Command("Operate", "notify", "notify:notify", "messages to submitters and staff, and send them"),
    Command("Operate", "plugins", "plugins:plugins", "built-in parts and plugins"),
    Command("Operate", "serve", "serve:serve", "the admin in a browser"),
    Command("Operate", "mcp", "mcp:mcp", "the register for assistants, over standard input"),
    Command("Operate", "housekeep", "up:housekeep", "one round of housekeeping"),
    Command("Operate", "backup", "backup:backup", "back up everything into one file"),
    Command("Operate", "restore", "backup:restore", "restore a workspace from a backup"),
    Command("Operate", "archive", "archive:app", "stored responses: index for replay tools"),
    Command("Operate", "workers", "workers:workers", "workers and what they hold"),
    Command("Operate", "release-claims", "workers:release_claims", "end claims of workers"),
    Command("Operate", "events", "events:events", "events; --follow keeps showing new ones"),
    Command("Operate", "webhooks", "events:webhooks", "receivers of events, and sending to them"),
    Command("Operate", "user", "people:user_app", "people: add, list, disable, enable, password"),
    Command("Operate", "token", "people:token_app", "keys for programs: create, list, revoke"),
    Command("Operate", "db", "database:app", "the schema: upgrade, downgrade, check, merge-domains"),
)


def overview() -> str:
    """What `surveyor --help` prints: names by stage, on one screen."""
    lines = [
        "Surveyor keeps a register of web domains: finds them, judges them, asks a",
        "person, crawls what was approved, extracts what it came for, and comes back.",
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
        "surveyor help says what each does, surveyor COMMAND --help tells more;",
        "listings take --json; times are UTC. First steps: surveyor demo, surveyor init.",
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
