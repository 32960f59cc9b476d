"""Reads a sorted set of start URLs, as Scrapy projects keep them: member = URL, score = rank."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast
from urllib.parse import urldefrag

import redis

from surveyor.errors import BadInput

DEFAULT_KEY = "start_urls"
_PAGE = 5_000


def sorted_set(url: str) -> Iterator[tuple[bytes, float]]:
    """Members with their scores, lowest score first, in pages. `redis://host/0#key` names another key.

    It blocks; read it in a thread.
    """
    address, key = urldefrag(url)
    key = key or DEFAULT_KEY
    try:
        client = redis.Redis.from_url(address, socket_connect_timeout=5, socket_timeout=10)
    except ValueError as error:
        raise BadInput(f"{address} is not a Redis address: {error}") from None
    try:
        kind = cast(bytes, client.type(key)).decode()
        if kind != "zset":
            found = "nothing" if kind == "none" else f"a {kind}"
            raise BadInput(f"{key} at {address} is {found}, not a sorted set; name another with #KEY")
        start = 0
        while page := client.zrange(key, start, start + _PAGE - 1, withscores=True):
            yield from cast(list[tuple[bytes, float]], page)
            start += len(page)
    except redis.RedisError as error:
        raise BadInput(f"Redis at {address} does not answer: {error}") from None
    finally:
        client.close()
