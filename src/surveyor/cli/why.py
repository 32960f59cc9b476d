"""The command that explains."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Annotated, Any

from cyclopts import Parameter

from surveyor.cli import refresh_view, runtime, show
from surveyor.cli.listing import Json
from surveyor.crawl import why as answers
from surveyor.extract import queries
from surveyor.names import PageUrl, parse_url, url_key
from surveyor.net.robots import product_token
from surveyor.registry.store import rows


def why(
    subject: Annotated[str, Parameter(name="URL_OR_DOMAIN", help="A domain, or a URL with its scheme.")],
    *,
    json: Json = False,
) -> None:
    """Say why a URL was fetched, skipped or waits, or why a domain is crawled or not."""

    async def act(workspace: Any) -> answers.Explanation:
        if "://" not in subject:
            name = workspace.domain_name(subject)
            answer = await answers.why_domain(workspace.db, name)
            return _with(answer, await refresh_view.of_domain(workspace.db, name))
        agent = product_token(workspace.settings.net.user_agent)
        url = parse_url(subject, rules=workspace.name_rules)
        answer = await answers.why_url(workspace.db, url, agent)
        more = await _extraction(workspace, url) | await refresh_view.of_url(workspace.db, url)
        return _with(answer, more)

    answer = runtime.in_workspace(act)
    show.result(asdict(answer), lambda: _print(answer), json=json)


def _print(answer: answers.Explanation) -> None:
    out = show.console()
    out.print(f"{show.safe(answer.subject)}: {answer.verdict}", markup=False)
    out.print(f"  {show.safe(answer.because)}", markup=False)
    for name, value in answer.details.items():
        show.print_line(f"  {name:<28}{show.safe(value)}", out)


async def _extraction(workspace: Any, url: PageUrl) -> dict[str, str]:
    async with workspace.db.read() as tx:
        domain = await rows.find(tx, url.domain)
    return await queries.page_view(workspace.db, domain.no, url_key(url.target)) if domain else {}


def _with(answer: answers.Explanation, more: dict[str, str]) -> answers.Explanation:
    return replace(answer, details=answer.details | more)
