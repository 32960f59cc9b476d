"""Which origins of a domain are tried, and in which order."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from surveyor.crawl.session import Site, probe_origin
from surveyor.errors import NetError
from surveyor.net.reasons import Reason
from surveyor.net.response_parser import Headers
from surveyor.net.robots import RobotsState, fetch_robots

NOW = datetime(2026, 11, 18, tzinfo=UTC)
BAD_CERTIFICATE = NetError(Reason.TLS_ERROR, "site.example: certificate is not valid for site.example")
OLD_TLS = NetError(Reason.TLS_ERROR, "site.example: unsupported protocol")


class Web:
    """Answers 404 for robots.txt of the origins that are up; the others fail as they are said to."""

    def __init__(self, **failing: NetError) -> None:
        self._failing, self.asked = failing, list[str]()

    async def get(self, url: str, *, max_bytes: int | None = None, domain: str | None = None) -> Missing:
        origin = url.removesuffix("/robots.txt")
        self.asked.append(origin)
        scheme, _, host = origin.partition("://")
        if (error := self._failing.get(f"{scheme}_www" if host.startswith("www.") else scheme)) is not None:
            raise error
        return Missing()


class Missing:
    status, headers, body, location, truncated = 404, Headers([]), b"", None, False


async def _nothing() -> None: ...


def probed(web: Web) -> str | NetError:
    site = Site("site.example", None)
    error = asyncio.run(probe_origin(site, web, "surveyor", NOW, _nothing))
    return error or site.origin or ""


@pytest.mark.parametrize(
    "why",
    [
        BAD_CERTIFICATE,
        NetError(Reason.DNS_FAILURE, ""),
        NetError(Reason.CONNECTION_REFUSED, ""),
        NetError(Reason.TIMEOUT, ""),
    ],
)
def test_a_site_that_is_there_under_www_alone_is_found(why: NetError) -> None:
    assert probed(Web(https=why, http=why)) == "https://www.site.example"


def test_a_bad_certificate_is_no_reason_to_go_without_one() -> None:
    web = Web(https=BAD_CERTIFICATE, https_www=BAD_CERTIFICATE)
    assert probed(web) is BAD_CERTIFICATE
    assert web.asked == ["https://site.example", "https://www.site.example"]


def test_a_server_without_modern_tls_is_asked_in_plain() -> None:
    assert probed(Web(https=OLD_TLS)) == "http://site.example"


def test_a_domain_that_answers_is_not_looked_for_under_www() -> None:
    web = Web()
    assert (probed(web), web.asked) == ("https://site.example", ["https://site.example"])


def test_without_a_network_nothing_else_is_tried() -> None:
    gone = NetError(Reason.NO_NETWORK, "")
    web = Web(https=gone)
    assert (probed(web), len(web.asked)) == (gone, 1)


def test_a_site_is_not_blamed_where_this_machine_failed_at_its_second_origin() -> None:
    slow, full = NetError(Reason.TIMEOUT, ""), NetError(Reason.LOCAL_FAILURE, "")
    web = Web(https=slow, http=full)
    assert (probed(web), len(web.asked)) == (full, 2)


def test_a_dead_domain_says_what_its_own_name_came_to() -> None:
    refused, unknown = NetError(Reason.CONNECTION_REFUSED, ""), NetError(Reason.DNS_FAILURE, "")
    assert probed(Web(https=refused, http=refused, https_www=unknown, http_www=unknown)) is refused


class Busy:
    """Answers 503: a robots.txt that should be there and cannot be read."""

    async def get(self, url: str, *, max_bytes: int | None = None, domain: str | None = None) -> Missing:
        answer = Missing()
        answer.status = 503
        return answer


def test_a_site_that_was_shut_and_is_gone_now_is_unreachable() -> None:
    site = Site("site.example", None)
    site.robots = asyncio.run(fetch_robots(Busy(), "https://site.example", "surveyor", NOW))
    assert site.robots.state is RobotsState.UNAVAILABLE
    refused = NetError(Reason.CONNECTION_REFUSED, "")
    gone = Web(https=refused, http=refused, https_www=refused, http_www=refused)
    later = NOW + timedelta(hours=1)
    assert asyncio.run(probe_origin(site, gone, "surveyor", later, _nothing)) is refused
