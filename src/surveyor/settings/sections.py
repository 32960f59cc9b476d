"""The sections of surveyor.toml: each setting with its type, default and the sentence of the reference."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator

from surveyor import entry_points
from surveyor.entry_points import Group


class Section(BaseModel):
    # Built as a part of the whole, which every start waits for; alone only where one is made alone.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class DatabaseSettings(Section):
    """Where the register is kept."""

    url: str = Field(
        "", description="Empty: SQLite in the workspace. `postgresql://user@host/name` for many workers."
    )
    synchronous: Literal["normal", "full"] = Field(
        "normal",
        description="SQLite only. `full` also keeps the last commits through a power cut, and is slower.",
    )
    pool_size: int = Field(5, ge=1, le=100, description="Connections per process.")
    statement_seconds: float = Field(30.0, gt=0, description="A statement that takes longer is given up.")
    partitions: int = Field(
        0,
        ge=0,
        le=256,
        description="PostgreSQL only: how many tables the URLs are spread over, by domain."
        " `surveyor db upgrade` moves what is there; 0 leaves it as it is, 1 puts it back into one table.",
    )


class FrontierSettings(Section):
    """Where the URLs that wait are kept."""

    url: str = Field(
        "",
        description="Empty: the same database. `redis://host:port/db` for deep frontiers, or"
        " `redis+cluster://host:port,host:port`.",
    )


class NamesSettings(Section):
    """What counts as a domain."""

    collapse_subdomains: bool = Field(
        False, description="Treat `blog.example.com` as `example.com` (registrable domain)."
    )
    allow_hosts: bool = Field(
        False,
        description="Also accept single labels, IP addresses and bare suffixes: tests and intranets only.",
    )


class NetSettings(Section):
    """How we speak to the outside."""

    user_agent: str = Field("Surveyor/0.1", min_length=1, description="Who we are: name and version.")
    contact: str = Field("", description="An address for site owners; it is sent with the user agent.")
    allow: list[str] = Field(
        default_factory=list, description="Networks the guard lets through besides the public ones (CIDR)."
    )
    hosts: dict[str, str] = Field(
        default_factory=dict, description="Name -> `address[:port]`, used instead of DNS."
    )
    connect_seconds: float = Field(
        10.0, gt=0, description="Time to get a connection, name resolution included."
    )
    total_seconds: float = Field(30.0, gt=0, description="Time for one whole response.")
    min_bytes_per_second: int = Field(
        1_000, ge=0, description="A slower body is given up after a grace of 5 s."
    )
    max_bytes: int = Field(10_000_000, gt=0, description="Largest body, before and after decompression.")
    per_address: int = Field(4, ge=1, description="Requests at once to one IP address within a process.")


class ProviderSettings(Section):
    """One search provider. It is asked when it has a key, and left alone otherwise."""

    enabled: bool | None = Field(None, description="Empty: asked when it is set up. `false`: never.")
    key: SecretStr = Field(SecretStr(""), description="The key; better in the environment than in a file.")
    key_file: str = Field("", description="A file that holds the key, relative to the workspace.")
    base_url: str = Field("", description="Empty: the provider's own address.")
    results: int = Field(
        20, ge=1, le=100, description="Results asked for per query; a provider may give less."
    )
    per_call_credits: Decimal = Field(
        Decimal(1), ge=0, decimal_places=3, description="What a call costs, where the answer does not tell."
    )
    concurrency: int = Field(2, ge=1, le=50, description="Queries at once.")
    pause_seconds: float = Field(0.0, ge=0, description="Least time between two queries.")
    total_seconds: float = Field(20.0, gt=0, description="Time for one whole answer.")


class SearxngSettings(ProviderSettings):
    """A SearXNG of your own; it is asked when it has a base URL, and its settings must allow `json`."""

    per_call_credits: Decimal = Field(
        Decimal(0), ge=0, decimal_places=3, description="What a call costs: nothing, on a server of your own."
    )


class SerperSettings(ProviderSettings):
    """Serper. More than 10 results cost two credits a call, and free keys are refused them."""

    results: int = Field(
        10, ge=1, le=100, description="Results asked for per query; over 10 a call costs two credits."
    )


class ProvidersSettings(Section):
    """Search providers, each in a section of its own such as `[providers.brave]`; plugged ones too."""

    model_config = ConfigDict(extra="allow", frozen=True, defer_build=True)
    __pydantic_extra__: dict[str, ProviderSettings]

    brave: ProviderSettings = Field(default_factory=ProviderSettings)
    searxng: SearxngSettings = Field(default_factory=SearxngSettings)
    serper: SerperSettings = Field(default_factory=SerperSettings)
    tavily: ProviderSettings = Field(default_factory=ProviderSettings)
    perplexity: ProviderSettings = Field(default_factory=ProviderSettings)
    browserbase: ProviderSettings = Field(default_factory=ProviderSettings)

    @model_validator(mode="after")
    def _known(self) -> Self:
        for name in self.__pydantic_extra__ or {}:
            if name not in (known := entry_points.names(Group.PROVIDERS)):
                raise ValueError(f"there is no provider {name}; there are {', '.join(known)}")
        return self


class CrawlSettings(Section):
    """How approved domains are crawled."""

    delay_seconds: float | None = Field(
        None, ge=0, description="Delay for domains that have none of their own; empty: the profile's."
    )
    depth: int | None = Field(
        None, ge=0, description="Depth for domains that have none; empty: the profile's."
    )
    images: bool | None = Field(None, description="Download images; empty: as the profile says.")
    render: Literal["auto", "always", "never"] | None = Field(
        None,
        description="Pages that a browser shows. `auto`: those empty without scripts; empty: the profile's.",
    )
    archive: Literal["warc", "off"] = Field(
        "warc", description="Keep raw responses as WARC files, or not at all."
    )
    lease_seconds: float = Field(
        1800.0, gt=0, description="How long a worker may hold a domain without renewing."
    )
    renew_seconds: float = Field(
        600.0, gt=0, description="How often leases are renewed; a third of the lease."
    )
    commit_pages: int = Field(50, ge=1, description="Pages per group commit, or eight per domain up to 500.")
    commit_seconds: float = Field(1.0, gt=0, description="Longest time a finished page waits for its commit.")
    domains_per_worker: int = Field(200, ge=1, description="Domains one worker holds at once.")
    max_domain_errors: int = Field(5, ge=1, description="Errors in a row that block a domain if all fails.")
    max_bytes_per_run: int | None = Field(
        None, gt=0, description="Bytes that one domain may cost in one run; empty: no limit."
    )
    max_seconds_per_run: float | None = Field(
        None, gt=0, description="Seconds of waiting for answers of one domain in one run; empty: no limit."
    )
    max_delay_seconds: float = Field(60.0, gt=0, description="Cap on a site's own crawl-delay.")


class RenderSettings(Section):
    """The browser for pages that are empty without scripts: a Chromium of the machine."""

    executable: str = Field("", description="The browser's program; empty: the Chromium that is found.")
    pages_at_once: int = Field(2, ge=1, le=32, description="Pages of one worker that are shown at once.")
    seconds: float = Field(
        30.0, gt=0, le=300, description="Time for one page, with the delays between its requests."
    )
    max_memory_mb: int = Field(
        512, ge=128, description="A page whose process holds more is ended (Linux only)."
    )
    screenshots: bool = Field(
        False, description="Keep a screenshot of each page that a browser shows, in the archive beside it."
    )


class ArchiveSettings(Section):
    """Where content is kept."""

    path: str = Field(
        "archive", description="Folder, relative to the workspace; on several machines, shared storage."
    )
    warc_bytes: int = Field(1_000_000_000, gt=0, description="A WARC file is closed at this size.")


class JudgeSettings(Section):
    """Judging search results."""

    learned: bool = Field(
        True,
        description="Judge with a model trained on real results, where the profile has one; "
        "off: by the rules alone.",
    )
    train_daily: bool = Field(
        False,
        description="`surveyor up` trains the learned judge with the decisions made here, once a day; "
        "kept only if better, not after `judge --untrain` until somebody trains again.",
    )


class ExtractSettings(Section):
    """Turning pages into records."""

    enabled: bool = Field(True, description="Extract beside the crawl.")
    processes: int = Field(1, ge=1, le=64, description="Pages read at once, each in a process of its own.")
    seconds_per_page: float = Field(
        20.0, gt=0, description="A page that takes longer stops its reader; after three it is quarantined."
    )


class ModelSettings(Section):
    """A language model that reads relevant pages after the rules. Without `url` and `name` none is asked."""

    url: str = Field(
        "", description="Address of an OpenAI-compatible service, such as `http://127.0.0.1:8080/v1`."
    )
    name: str = Field("", max_length=200, description="Which of its models to ask.")
    key_file: str = Field("", description="A file that holds the key, relative to the workspace.")
    requests_per_day: int = Field(
        500, ge=0, description="Requests in one UTC day, of all workers together; those that fail count too."
    )
    tokens_per_day: int = Field(
        1_000_000, ge=0, description="Tokens in one UTC day, of question and answer, of all workers together."
    )
    timeout_seconds: float = Field(60.0, gt=0, le=600, description="Time for one whole answer.")
    max_page_chars: int = Field(
        12_000, ge=200, le=200_000, description="Characters of a page that are sent; the rest is cut off."
    )
    answer_tokens: int = Field(
        2_000,
        ge=100,
        le=100_000,
        description="Tokens of an answer, thoughts included; models that think first need more.",
    )
    response_format: Literal["json_schema", "json_object"] = Field(
        "json_schema",
        description="The form in which the service answers; `json_object` for those that know no other.",
    )
    concurrency: int = Field(4, ge=1, le=50, description="Pages of one worker that wait for it at once.")
    relevance: bool = Field(
        False, description="Ask it of every page whether it is relevant too: one voice among the signs."
    )
    relevance_decides: bool = Field(
        False, description="What it says of relevance decides, where it shows words of the page."
    )
    judging: bool = Field(
        False,
        description="Ask it of search results of which the judges are unsure; its word can only take away.",
    )


class ReviewSettings(Section):
    """What the public may submit, so that a flood reaches neither reviewers nor sites."""

    per_address: int = Field(20, ge=1, description="Public submissions per hour from one address.")
    in_total: int = Field(500, ge=1, description="Public submissions per hour from everybody together.")
    waiting_domains: int = Field(
        10_000, ge=1, description="Domains the public named and nobody decided on, at most."
    )
    daily_urls: int = Field(50, ge=1, description="Public URLs per day that join one domain's frontier.")
    waiting_urls: int = Field(
        100, ge=1, description="URLs remembered for a domain until it is approved, at most."
    )


class ListenerSettings(Section):
    """Who receives events by webhook. Each receiver has a name of your choice."""

    webhooks: dict[str, str] = Field(default_factory=dict, description="Name -> URL to post to.")
    secret_files: dict[str, str] = Field(
        default_factory=dict,
        description="Name -> file within the workspace with the secret that signs (whsec_ and base64), one a "
        "line; several while one is changed.",
    )
    kinds: dict[str, list[str]] = Field(
        default_factory=dict, description="Name -> kinds of events to send; a name left out gets all."
    )


class MailSettings(Section):
    """Mail over an SMTP server. Submitters are written to where `server`, `sender` and `site_url` are set."""

    server: str = Field("", description="Name of the SMTP server.")
    port: int = Field(587, ge=1, le=65_535, description="Its port.")
    security: Literal["starttls", "tls", "none"] = Field(
        "starttls", description="How the connection is secured; `none` only on a network of your own."
    )
    user: str = Field("", description="Name to log in with; empty: without a login.")
    password_file: str = Field("", description="A file that holds the password, relative to the workspace.")
    sender: str = Field("", description="Address that mails come from.")
    site_url: str = Field(
        "", description="Address of the admin as submitters reach it; links in mails begin with it."
    )
    per_address: int = Field(
        5,
        ge=1,
        description="Mails a day to one address that the public form may cause, before it is confirmed.",
    )
    in_total: int = Field(200, ge=1, description="Such mails an hour to everybody together.")
    timeout_seconds: float = Field(30.0, gt=0, le=120, description="Time for each step of the server.")

    @property
    def is_ready(self) -> bool:
        return bool(self.server and self.sender and self.site_url)


class NotifySettings(Section):
    """Who of the staff is notified of what, and how often at most. Plugged notifiers are notified too."""

    mail: list[str] = Field(
        default_factory=list, description="Addresses; `[mail]` says how they are reached."
    )
    webhook: str = Field("", description="URL that gets `subject` and `text` as JSON.")
    slack_file: str = Field(
        "", description="A file with the URL of an incoming webhook of Slack, Mattermost or the like."
    )
    kinds: list[str] = Field(
        default_factory=lambda: ["DomainSubmitted", "ProviderSuspended", "TrustWithdrawn"],
        description="Kinds of events that staff is notified of.",
    )
    every_minutes: int = Field(
        15,
        ge=0,
        description="Least time between two messages of one channel; what happens meanwhile is in one.",
    )


class WebSettings(Section):
    """The admin in a browser, and the API."""

    public_form: bool = Field(True, description="Let people without an account name domains for review.")
    open_metrics: bool = Field(
        True, description="Show `/metrics`, which are numbers, without a token; else it needs one to read."
    )
    proxies: list[str] = Field(
        default_factory=list,
        description="Addresses of proxies in front of `serve` whose word on the visitor's address counts.",
    )


class ScheduleSettings(Section):
    """When `up` searches by itself, in UTC. Nothing is searched where no provider is set up."""

    nightly: str = Field(
        "02:00", pattern=r"^(([01]\d|2[0-3]):[0-5]\d)?$", description="Short plan, each day; empty: never."
    )
    weekly: str = Field(
        "sunday 03:30",
        pattern=r"^((mon|tues|wednes|thurs|fri|satur|sun)day ([01]\d|2[0-3]):[0-5]\d)?$",
        description="Long plan, each week, spread over its days; empty: never.",
    )
    queries_per_day: int = Field(
        60, ge=1, description="Queries that scheduled searches ask on one day, at every provider, at most."
    )


class KeepSettings(Section):
    """How long what is no longer needed is kept; housekeeping removes it."""

    log_days: int = Field(180, ge=1, description="Days that single requests are kept in the crawl's log.")
    version_days: int = Field(
        365, ge=1, description="Days that versions of a page are kept which newer ones have replaced."
    )


class LogSettings(Section):
    """What goes to standard error."""

    level: Literal["debug", "info", "warning", "error"] = Field("info", description="Least level shown.")
    json_lines: bool = Field(False, description="One JSON object per line, for log collectors.")
