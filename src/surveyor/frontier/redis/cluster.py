"""A frontier spread over the nodes of a cluster: the number of a domain decides the slot of all its keys.

No step touches two domains, so none crosses slots. While a node is gone the frontier as a whole counts as
out of reach, as one server would; what a node forgot is noticed by its domains' checkpoints and read again.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from redis.asyncio.cluster import ClusterNode, RedisCluster
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from surveyor.errors import BadSettings

_SCHEMES = {"redis+cluster": "redis", "rediss+cluster": "rediss"}
_PORT = 6379


def is_cluster(url: str) -> bool:
    return url.partition("://")[0] in _SCHEMES


def node_urls(url: str) -> list[str]:
    """Of `redis+cluster://user:password@one:7000,two:7000` the addresses of the named nodes, one by one."""
    scheme, _, rest = url.partition("://")
    access, _, places = rest.split("/", 1)[0].rpartition("@")
    if rest.split("/", 1)[1:] not in ([], [""], ["0"]):
        raise BadSettings("frontier.url: a cluster has no numbered databases; end it after the last port")
    login = f"{access}@" if access else ""
    return [f"{_SCHEMES[scheme]}://{login}{place}" for place in places.split(",") if place]


def new_cluster(url: str, connect_seconds: float, answer_seconds: float) -> RedisCluster:
    nodes = [urlsplit(node) for node in node_urls(url)]
    try:
        startup = [ClusterNode(node.hostname or "localhost", node.port or _PORT) for node in nodes]
        first = nodes[0]
    except (IndexError, OSError, ValueError) as error:
        raise BadSettings(f"frontier.url names no node that can be found: {error}") from error
    return RedisCluster(
        startup_nodes=startup,
        username=first.username,
        password=first.password,
        ssl=first.scheme == "rediss",
        socket_connect_timeout=connect_seconds,
        socket_timeout=answer_seconds,
        # A step whose answer was lost may have been made. One that a node sends elsewhere was not.
        retry=Retry(NoBackoff(), 0),
        protocol=2,
    )
