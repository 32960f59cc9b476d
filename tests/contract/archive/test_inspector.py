"""Images looked at in a process of their own: the same facts, and nothing that happens there reaches us."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from io import BytesIO

import psutil
import pytest
from PIL import Image

from surveyor.archive import NotAnImage, inspector
from surveyor.archive.images import inspect
from surveyor.archive.inspector import Inspectors


def _png(size: tuple[int, int] = (64, 48)) -> bytes:
    out = BytesIO()
    Image.linear_gradient("L").resize(size).save(out, "PNG")
    return out.getvalue()


@pytest.fixture
async def inspectors() -> AsyncIterator[Inspectors]:
    found = Inspectors()
    yield found
    await found.close()


def _children() -> list[psutil.Process]:
    return [child for child in psutil.Process().children() if inspector._MODULE in child.cmdline()]


async def test_a_child_says_what_the_function_says(inspectors: Inspectors) -> None:
    assert await inspectors.inspect(_png()) == inspect(_png())


async def test_a_refusal_comes_back_with_its_reason(inspectors: Inspectors) -> None:
    with pytest.raises(NotAnImage) as refused:
        await inspectors.inspect(b"<html><p>This is no picture.</p></html>")
    assert refused.value.reason == "markup"
    assert (await inspectors.inspect(_png())).format == "png", "the same child goes on"


async def test_small_ones_that_come_together_share_one_child(inspectors: Inspectors) -> None:
    sizes = [(50 + step, 60) for step in range(12)]
    found = await asyncio.gather(*(inspectors.inspect(_png(size)) for size in sizes))
    assert [(facts.width, facts.height) for facts in found] == sizes
    assert len(_children()) == 1


async def test_large_ones_that_come_together_share_a_few_children(
    inspectors: Inspectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("surveyor.archive.inspector._SMALL", 0)
    found = await asyncio.gather(*(inspectors.inspect(_png((50, 60))) for _ in range(6)))
    assert [(facts.width, facts.height) for facts in found] == [(50, 60)] * 6
    assert len(_children()) == 2


async def test_a_child_that_was_killed_is_replaced(inspectors: Inspectors) -> None:
    await inspectors.inspect(_png())
    (child,) = _children()
    os.kill(child.pid, signal.SIGKILL)
    assert (await inspectors.inspect(_png())).format == "png"


async def test_an_image_that_takes_too_long_is_refused_and_leaves_no_child() -> None:
    slow = Inspectors(seconds=1e-6)  # less than any answer needs
    with pytest.raises(NotAnImage) as refused:
        await slow.inspect(_png())
    assert refused.value.reason == "harmful"
    assert _children() == []
    await slow.close()


async def test_closing_ends_the_children(inspectors: Inspectors) -> None:
    await inspectors.inspect(_png())
    await inspectors.close()
    assert _children() == []


async def test_a_picture_of_two_and_a_half_thousand_million_pixels_is_refused_unread(
    inspectors: Inspectors,
) -> None:
    data = bytearray(_png())
    data[16:24] = (50_000).to_bytes(4) * 2  # the header's word on width and height
    data[29:33] = __import__("zlib").crc32(data[12:29]).to_bytes(4)
    with pytest.raises(NotAnImage) as refused:
        await inspectors.inspect(bytes(data))
    assert refused.value.reason == "too_large"
