"""A frontier on three nodes of a Valkey cluster: who keeps what, and a node that dies and comes back."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
import redis

from surveyor.db import Database
from surveyor.errors import BadSettings, FrontierUnreachable
from surveyor.frontier.redis.cluster import node_urls
from surveyor.frontier.redis.connect import connect, new_client
from tests.contract.frontier.world import new_world
from tests.support.servers import ValkeyCluster

pytestmark = pytest.mark.parametrize("engine_name", ["sqlite"])
_DOMAINS = 9  # all three nodes get some: the slots of their numbers are known
_TARGETS = [f"/{number}" for number in range(5)]


@pytest.fixture
def kind() -> str:
    return "redis"


@pytest.fixture(scope="module")
def cluster() -> Iterator[ValkeyCluster]:
    found = ValkeyCluster.create()
    yield found
    found.remove()


def _domains_on(cluster: ValkeyCluster) -> list[set[str]]:
    """The domains whose keys each node has."""
    found = []
    for node in cluster.nodes:
        client = redis.Redis(port=node.port, decode_responses=True)
        found.append({str(key).split(":")[1] for key in client.keys("surveyor:{*")})  # type: ignore[union-attr]
        client.close()
    return found


async def test_a_domain_lies_on_one_node_whole_and_outlives_the_death_of_that_node(
    db: Database, cluster: ValkeyCluster
) -> None:
    async with new_world(db, cluster.url) as world:
        numbers = [await world.domain(f"site-{number}.example") for number in range(_DOMAINS)]
        for no in numbers:
            visit = await world.visit(no)
            visit.add(*_TARGETS)
            assert await visit.commit(want=2) == _TARGETS[:2]
        kept = _domains_on(cluster)
        assert all(kept)
        assert sum(map(len, kept)) == _DOMAINS  # none on two

        cluster.nodes[1].stop(signal.SIGKILL)
        with pytest.raises(FrontierUnreachable):
            await visit.frontier.reach()
        refused = 0
        for no in numbers:
            try:
                await world.visit(no)
            except FrontierUnreachable:
                refused += 1
        assert refused >= len(kept[1])
        cluster.nodes[1].start()
        cluster.wait()
        await visit.frontier.reach()

        for no in numbers:
            visit = await world.visit(no)
            found = visit.receive() + await visit.commit(want=9)
            assert sorted(found) == _TARGETS
        assert _domains_on(cluster) == kept


async def test_a_cluster_is_opened_by_a_list_of_its_nodes(db: Database, cluster: ValkeyCluster) -> None:
    async with connect(cluster.url, db):
        pass
    with pytest.raises(BadSettings, match="no numbered databases"):
        new_client(f"{cluster.url}/1")


def test_every_node_is_named_with_the_login_of_all(engine_name: str) -> None:
    assert node_urls("rediss+cluster://me:secret@one:7000,two:7001/") == [
        "rediss://me:secret@one:7000",
        "rediss://me:secret@two:7001",
    ]
