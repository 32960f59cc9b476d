"""Every command with its panel and its one line of help: data, so that `--help` needs no import."""

from __future__ import annotations

from typing import NamedTuple


class Command(NamedTuple):
    panel: str
    name: str
    target: str  # module:function within surveyor.cli
    help: str


# One panel per stage, in the order of the work; then what serves all stages.
PANELS = ("Start", "Discover", "Judge", "Crawl", "Register", "Operate")

COMMANDS = (
    Command("Start", "init", "workspace:init", "make a workspace in a folder"),
    Command("Start", "doctor", "workspace:doctor", "check everything, say what to do"),
    Command("Discover", "ingest-seeds", "discover:ingest_seeds", "bring in a list of domains"),
    Command("Discover", "search", "search:search", "ask search providers for new domains"),
    Command("Discover", "sessions", "search:sessions", "sessions of searches with their figures"),
    Command("Discover", "providers", "search:providers", "search providers: state, cost, what they brought"),
    Command("Discover", "discover-links", "discover:discover_links", "queue domains that our pages link to"),
    Command("Judge", "judge", "judge:judge", "judge search results that wait"),
    Command("Judge", "candidates", "judge:candidates", "judged possibilities, with their confidence"),
    Command("Crawl", "crawl", "crawl:crawl", "crawl approved domains that are due"),
    Command("Crawl", "recrawl", "crawl:recrawl", "make all pages of a domain due now"),
    Command("Crawl", "queue-status", "crawl:queue_status", "what waits, per domain"),
    Command("Crawl", "list-runs", "crawl:list_runs", "runs with their figures"),
    Command("Crawl", "cleanup-runs", "crawl:cleanup_runs", "close runs whose workers are gone"),
    Command("Register", "domain-status", "domains:domain_status", "list domains with their progress"),
    Command("Register", "domain-info", "domains:domain_info", "everything about one domain"),
    Command("Register", "domain-reset", "domains:domain_reset", "clear errors and cooldown, crawl again"),
    Command("Register", "why", "why:why", "why a URL or a domain was crawled or not"),
    Command("Register", "top-domains", "domains:top_domains", "the domains that yield most"),
    Command(
        "Register", "recalculate-priorities", "domains:recalculate_priorities", "write all priorities anew"
    ),
    Command("Operate", "workers", "workers:workers", "who is at work, with what in hand"),
    Command("Operate", "release-claims", "workers:release_claims", "end claims by hand"),
    Command("Operate", "db", "database:app", "the schema: upgrade, downgrade, check, merge-domains"),
)


def overview() -> str:
    """What `surveyor --help` prints."""
    lines = [
        "Surveyor keeps a register of web domains: finds them, judges them, asks a person,",
        "crawls what was approved, extracts what it came for, and comes back.",
        "",
        "usage: surveyor [--workspace DIR] COMMAND [OPTIONS]",
    ]
    for panel in PANELS:
        lines += ["", panel]
        lines += [f"  {c.name:<23} {c.help}" for c in COMMANDS if c.panel == panel]
    lines += [
        "",
        "  --workspace DIR         folder to work in (else SURVEYOR_WORKSPACE, else here)",
        "  --debug                 show the traceback of an error",
        "  --version               print the version",
        "",
        "surveyor COMMAND --help tells more; listings take --json.",
    ]
    return "\n".join(lines)
