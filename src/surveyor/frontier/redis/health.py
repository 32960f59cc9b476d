"""Whether a Redis may hold a frontier: it must not evict keys, and should keep an append-only file."""

from __future__ import annotations

from typing import Literal

import redis.asyncio

from surveyor.frontier.redis.cluster import is_cluster, node_urls

Result = tuple[Literal["ok", "warn", "fail"], str]


async def examine(url: str) -> Result:
    """Of a cluster the worst that one of its named nodes says."""
    if is_cluster(url):
        found = [await _examine(node) for node in node_urls(url)]
        return max(found, key=lambda result: _WORSE.index(result[0]), default=("fail", "no node is named"))
    return await _examine(url)


_WORSE = ("ok", "warn", "fail")


async def _examine(url: str) -> Result:
    try:
        client = redis.asyncio.Redis.from_url(
            url, socket_connect_timeout=5, socket_timeout=5, decode_responses=True
        )
    except ValueError as error:
        return "fail", f"frontier.url is not a Redis address: {error}"
    try:
        memory = await client.info("memory")
        persistence = await client.info("persistence")
    except redis.RedisError as error:
        return "fail", f"{_without_password(url)} does not answer ({error}); start it, or empty frontier.url"
    finally:
        await client.aclose()
    policy = memory.get("maxmemory_policy", "noeviction")
    if policy != "noeviction":
        return "fail", f"it evicts keys ({policy}) and would lose URLs; set maxmemory-policy to noeviction"
    if not persistence.get("aof_enabled"):
        return (
            "warn",
            "no append-only file; a restart of Redis means rebuilding frontiers. Set appendonly yes",
        )
    return "ok", _without_password(url)


def _without_password(url: str) -> str:
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.rsplit('@', 1)[-1]}"
