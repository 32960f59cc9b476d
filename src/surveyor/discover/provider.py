"""A search provider ready to be asked: its adapter, its key and a client that speaks to it alone.

Whatever the provider does, `search` gives an answer or raises `ProviderFailed`; the key is in no
message, no repr and no answer, and goes to no other host.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from hashlib import blake2b
from pathlib import Path

from surveyor.discover.adapters import Adapter, Answer, SearchQuery, all_adapters
from surveyor.discover.adapters.base import Malformed, error_words
from surveyor.discover.errors import ProviderFailed, Trouble
from surveyor.entry_points import described
from surveyor.errors import BadSettings, NetError, SurveyorError, UsageError
from surveyor.net.api import ApiClient, ApiResponse
from surveyor.net.reasons import OUR_FAULT, Reason
from surveyor.settings import NetSettings, ProviderSettings, ProvidersSettings

_DETAIL_CHARS = 200  # one line in a table of suspensions
_LANGUAGE_REFUSED = "search_lang"  # how Brave names the parameter in what it refuses
_KEY_FILE_BYTES = 10_000  # a key is short; a longer file was named by mistake

_MALFORMED = frozenset(
    {
        Reason.TOO_LARGE,
        Reason.BAD_RESPONSE,
        Reason.DECOMPRESS_ERROR,
        Reason.TOO_MANY_REDIRECTS,
        Reason.FORBIDDEN_REDIRECT,
        Reason.FORBIDDEN_ADDRESS,
        Reason.FORBIDDEN_PORT,
        Reason.FORBIDDEN_SCHEME,
    }
)


@dataclass(frozen=True, slots=True)
class Account:
    """How a provider is set up here: which address it has, and whether there is a key."""

    adapter: Adapter
    settings: ProviderSettings
    key: str = field(repr=False)

    @property
    def name(self) -> str:
        return self.adapter.name

    @property
    def base_url(self) -> str:
        return self.settings.base_url or self.adapter.base_url

    @property
    def missing(self) -> str | None:
        """What keeps the provider from being asked, as an order to the operator; None: nothing."""
        section = f"providers.{self.name}"
        if self.settings.enabled is False:
            return f"switched off by {section}.enabled"
        if not self.base_url:
            return f"set {section}.base_url"
        if self.adapter.needs_key and not self.key:
            return f"set {section}.key, {section}.key_file or {self.adapter.key_variables[0]}"
        return None

    @property
    def call_credits(self) -> Decimal:
        """What a call costs with as many results as are asked for."""
        times, _ = self.adapter.surcharge(self.settings.results)
        return self.settings.per_call_credits * times

    @property
    def mark(self) -> str:
        """Tells this key and address from others, and tells nobody the key."""
        return blake2b(f"{self.base_url}\n{self.key}".encode(), digest_size=8).hexdigest()


def accounts(
    settings: ProvidersSettings, workspace: Path, environment: Mapping[str, str] = os.environ
) -> dict[str, Account]:
    """Every provider with its key, wherever that is kept; the environment's own names come last."""
    found = {}
    for name, adapter in all_adapters().items():
        one: ProviderSettings = getattr(settings, name, None) or ProviderSettings()
        if "@" in one.base_url or "?" in one.base_url:  # where people put secrets; this is shown
            raise BadSettings(
                f"providers.{name}.base_url must be like https://host/path; a key has its own place"
            )
        key = one.key.get_secret_value() or _from_file(name, one, workspace)
        variables = (environment.get(variable, "") for variable in adapter.key_variables)
        key = (key or next(filter(None, variables), "")).strip()
        if key and not (key.isascii() and key.isprintable()):
            raise BadSettings(f"the key of providers.{name} holds a strange character; copy it again")
        found[name] = Account(adapter, one, key)
    return found


def _from_file(name: str, settings: ProviderSettings, workspace: Path) -> str:
    if not settings.key_file:
        return ""
    path = workspace / settings.key_file
    try:
        with path.open("rb") as stream:
            data = stream.read(_KEY_FILE_BYTES)
    except OSError as error:
        raise BadSettings(f"providers.{name}.key_file: {path} cannot be read: {error.strerror}") from None
    lines = data.decode("utf-8-sig", "replace").strip().splitlines()
    if len(lines) != 1:
        raise BadSettings(f"providers.{name}.key_file: {path} must hold one line, the key")
    return lines[0]


def chosen(known: Mapping[str, Account], wanted: tuple[str, ...]) -> list[Account]:
    """The accounts to ask: those that were named, else all that are set up."""
    for name in wanted:
        if name not in known:
            raise UsageError(f"there is no provider {name}; there are {', '.join(known)}")
        if why := known[name].missing:
            raise UsageError(f"{name} cannot be asked: {why}")
    found = [account for name, account in known.items() if name in wanted or not wanted]
    ready = [account for account in found if account.missing is None]
    if not ready:
        raise UsageError("no search provider is set up; `surveyor providers` says what each of them needs")
    return ready


class Provider:
    """For one event loop; `close` it."""

    def __init__(self, account: Account, net: NetSettings, tls: ssl.SSLContext | None = None) -> None:
        self.account, self.name, self.settings = account, account.name, account.settings
        self.pace_seconds: float | None = None
        """Between two queries, as the provider said last; None: it has not yet, or does not."""
        self._unknown_languages: set[str] = set()
        try:
            self._client = ApiClient(
                account.base_url,
                net,
                headers=account.adapter.headers(account.key),
                secrets=[account.key],
                seconds=account.settings.total_seconds,
                tls=tls,
            )
        except BadSettings as error:
            raise BadSettings(f"providers.{self.name}: {error}") from None

    def __repr__(self) -> str:
        return f"Provider({self.name})"

    @property
    def asks_alone(self) -> bool:
        """Whether two queries at once may be one too many: its rate is not known yet."""
        return self.account.adapter.pace is not None and self.pace_seconds is None

    def takes(self, query: SearchQuery) -> bool:
        """Whether the query is short enough for it; a longer one would be a call for nothing."""
        return len(query.text) <= self.account.adapter.longest_query

    async def search(self, query: SearchQuery) -> Answer:
        """One query, one call. Hits beyond what was asked for are dropped."""
        try:
            return await self._search(query)
        except SurveyorError:
            raise
        except Exception as error:  # an adapter of another package; the others are asked all the same
            failed = f"its adapter failed: {described(error)}"[:_DETAIL_CHARS]
            raise ProviderFailed(self.name, Trouble.MALFORMED, failed) from error

    async def _search(self, query: SearchQuery) -> Answer:
        adapter = self.account.adapter
        if query.language in self._unknown_languages:
            query = query._replace(language=None)
        ask = adapter.ask(query, min(self.settings.results, adapter.most_results))
        try:
            response = await self._client.request_json(ask.method, ask.path, params=ask.params, json=ask.json)
        except NetError as error:
            raise ProviderFailed(self.name, _of_net(error), f"{error.code}: {error.detail}") from None
        if adapter.pace and (seconds := adapter.pace(response.headers)) is not None:
            self.pace_seconds = seconds
        if diagnosis := adapter.trouble_of(response):
            trouble, detail = diagnosis.trouble, diagnosis.advice or _message(response)
            if (
                trouble is Trouble.REFUSED_QUERY
                and query.language
                and _LANGUAGE_REFUSED in response.text_head
            ):
                self._unknown_languages.add(query.language)  # its lists differ from each other
                return await self.search(query)
            if trouble is Trouble.NOT_SET_UP and self.account.key:
                trouble, detail = Trouble.BAD_KEY, _message(response)  # something in front of it wants one
            raise ProviderFailed(self.name, trouble, detail, retry_after=diagnosis.retry_after)
        try:
            answer = adapter.read(response.data)
        except Malformed as error:
            raise ProviderFailed(self.name, Trouble.MALFORMED, str(error)) from None
        return answer._replace(hits=answer.hits[: self.settings.results])

    async def close(self) -> None:
        await self._client.close()


def _of_net(error: NetError) -> Trouble:
    if error.code in OUR_FAULT:
        return Trouble.LOCAL
    return Trouble.MALFORMED if error.code in _MALFORMED else Trouble.UNREACHABLE


def _message(response: ApiResponse) -> str:
    """The status and what the provider says of it, as one printable line."""
    words = error_words(response.data) or response.text_head
    line = " ".join("".join(ch if ch.isprintable() else " " for ch in words).split())
    return f"{response.status} {line}".strip()[:_DETAIL_CHARS]
