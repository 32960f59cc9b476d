"""The way to a frontier in Redis: examined first, and refused where it would lose URLs."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.cluster import RedisCluster
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from surveyor import logs
from surveyor.db import Database
from surveyor.errors import BadSettings
from surveyor.frontier import reconcile
from surveyor.frontier.redis import health
from surveyor.frontier.redis.cluster import is_cluster, new_cluster
from surveyor.frontier.redis.frontier import RedisFrontier
from surveyor.frontier.redis.scripts import translated

# Connections of one process: groups need one, domains that are opened together one, rebuilding ones more.
_CONNECTIONS = 8
_CONNECT_SECONDS = 5.0
# A server that stands still for a moment (a fork, a full disk) is waited for.
_ANSWER_SECONDS = 15.0
# A connection that was idle for so long is tried before it is used.
_IDLE_SECONDS = 30
# To wait for others of this process is no sign that the server is gone: each of them has its time to answer.
_TURN_SECONDS = 120.0
_OWNER = "surveyor:register"

log = logs.get("frontier")


@asynccontextmanager
async def connect(url: str, db: Database) -> AsyncIterator[RedisFrontier]:
    """A frontier in the Redis at this address; `BadSettings` if it may not hold one."""
    result, message = await health.examine(url)
    if result == "fail":
        raise BadSettings(f"frontier.url: {message}")
    if result == "warn":
        log.warning("redis configuration", message=message)
    client = new_client(url)
    try:
        await _require_ours(client, db)
        yield RedisFrontier(client)
    finally:
        await client.aclose()


def new_client(url: str) -> Redis | RedisCluster:
    if is_cluster(url):
        return new_cluster(url, _CONNECT_SECONDS, _ANSWER_SECONDS)
    pool = BlockingConnectionPool.from_url(
        url,
        max_connections=_CONNECTIONS,
        timeout=_TURN_SECONDS,
        socket_connect_timeout=_CONNECT_SECONDS,
        socket_timeout=_ANSWER_SECONDS,
        health_check_interval=_IDLE_SECONDS,
        # A step whose answer was lost may have been made; repeating it is for those who know.
        retry=Retry(NoBackoff(), 0),
        protocol=2,
    )
    return Redis.from_pool(pool)


async def _require_ours(client: Redis | RedisCluster, db: Database) -> None:
    """Two registers in one Redis database would take each other's frontiers for lost."""
    async with db.write() as tx:
        mark = await reconcile.register_mark(db, tx, secrets.token_hex(8))
    with translated():
        await client.set(_OWNER, mark, nx=True)
        found = await client.get(_OWNER)
    if found != mark.encode():
        raise BadSettings(
            "frontier.url: this Redis database has the frontier of another register; name another (.../1)"
        )
