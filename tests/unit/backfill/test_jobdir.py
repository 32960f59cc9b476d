"""Queues of a JOBDIR, as each of Scrapy's classes writes them, read without running anything of theirs."""

from __future__ import annotations

import marshal
import os
import pickle
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scrapy import FormRequest, Request, Spider, squeues

from surveyor.backfill.jobdir import Waiting, count_seen, read_queue
from surveyor.backfill.safe_unpickle import NotPlain, read_plain
from surveyor.contrib.scrapy import requests
from surveyor.errors import BadInput

CLASSES = [
    f"{form}{order}{place}Queue"
    for form in ("Pickle", "Marshal")
    for order in ("Fifo", "Lifo")
    for place in ("Disk", "SQLite")
]


class News(Spider):
    name = "news"

    def article(self, response: Any, page: int) -> None: ...

    def gave_up(self, failure: Any) -> None: ...


def _queue(folder: Path, kind: str, *waiting: Request, slot: str = "", close: bool = True) -> Any:
    place = folder / "requests.queue" / slot / "0"
    place.parent.mkdir(parents=True, exist_ok=True)
    made = getattr(squeues, kind).from_crawler(SimpleNamespace(spider=News()), str(place))
    for one in waiting:
        made.push(one)
    if close:
        made.close()
    return made


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("slot", ["", "a.example-0cc175b9c0f1b6a831c399e269772661"])
def test_what_waits_comes_with_all_it_carries_whichever_class_wrote_it(
    tmp_path: Path, kind: str, slot: str
) -> None:
    spider = News()
    rich = Request(
        "https://a.example/news?page=2",
        spider.article,
        headers={"Accept-Language": "de"},
        cookies={"a": "b"},
        meta={"depth": 3, "topic": ["x", 1, None, 2**40, -3.5]},
        priority=7,
        errback=spider.gave_up,
        cb_kwargs={"page": 2},
    )
    _queue(tmp_path, kind, Request("https://a.example/"), rich, slot=slot)
    plain, found = sorted(read_queue(str(tmp_path)), key=lambda one: one.url)
    assert plain == Waiting("https://a.example/", request={}) and plain.text("news") is None
    assert (found.depth, found.priority) == (3, 7)
    again = requests.unpack(found.text("news"), found.url, found.depth, spider)
    assert again.to_dict(spider=spider) == rich.to_dict(spider=spider)
    assert requests.spider_of(found.text("news")) == "news"


def test_what_was_done_already_is_not_read_again(tmp_path: Path) -> None:
    urls = [f"https://a.example/{number}" for number in range(3)]
    for kind, left in (("PickleFifoDiskQueue", urls[1:]), ("PickleLifoDiskQueue", urls[:2])):
        folder = tmp_path / kind
        queue = _queue(folder, kind, *map(Request, urls), close=False)
        queue.pop()
        queue.close()
        assert sorted(one.url for one in read_queue(str(folder))) == left


def test_a_queue_that_a_kill_cut_off_is_read_up_to_there(tmp_path: Path) -> None:
    for kind in ("PickleFifoDiskQueue", "PickleLifoDiskQueue", "MarshalLifoDiskQueue"):
        folder = tmp_path / kind
        _queue(folder, kind, *(Request(f"https://a.example/{number}") for number in range(5)))
        (file,) = (one for one in folder.rglob("*") if one.is_file() and one.name != "info.json")
        file.write_bytes(file.read_bytes()[:-20])
        assert [one.url[-1] for one in read_queue(str(folder))] == ["0", "1", "2", "3"]


class Harm:
    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (f"touch {self.file}",)


def test_objects_and_forms_are_left_with_the_reason_and_nothing_of_theirs_is_run(tmp_path: Path) -> None:
    made = tmp_path / "made"
    form = FormRequest("https://a.example/form", formdata={"a": "b"})
    harm = Request("https://a.example/", meta={"item": Harm(made)})
    odd = Request("https://a.example/odd", meta={1: "a key that is no text"})
    _queue(tmp_path, "PickleLifoDiskQueue", form, harm, odd)
    system = f"{os.system.__module__}.system"
    assert {one.url: one.why_not for one in read_queue(str(tmp_path))} == {
        "": f"it holds an object ({system}), and only plain values are read",
        "https://a.example/form": "it is a form or has another method than GET",
        "https://a.example/odd": "its meta or cb_kwargs are not texts and numbers",
    }
    assert not made.exists()
    with pytest.raises(BadInput, match=r"no JOBDIR of Scrapy"):
        list(read_queue(str(tmp_path / "requests.queue")))


def test_fingerprints_are_counted_as_scrapy_writes_them_now_and_wrote_them_before(tmp_path: Path) -> None:
    seen = tmp_path / "requests.seen"
    assert count_seen(str(tmp_path)) == 0
    seen.write_bytes((20).to_bytes(2) + b"\n" * 20 + (20).to_bytes(2) + b"x" * 20)
    assert count_seen(str(tmp_path)) == 2
    seen.write_text(f"{'a' * 40}\n{'b' * 40}\n{'c' * 40}\n")
    assert count_seen(str(tmp_path)) == 3


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
    max_leaves=8,
)


@settings(max_examples=40)
@given(PLAIN)
def test_plain_values_come_back_as_they_were(value: Any) -> None:
    assert read_plain(pickle.dumps(value, protocol=4)) == value
    assert read_plain(marshal.dumps(value)) == value


@settings(max_examples=40)
@given(st.binary() | st.binary().map(lambda data: b"\x80\x04" + data) | PLAIN.map(marshal.dumps), st.data())
def test_no_bytes_make_the_reader_fall_over(data: bytes, drawn: st.DataObject) -> None:
    cut = data[: drawn.draw(st.integers(0, len(data)))]
    try:
        read_plain(cut)
    except NotPlain as refusal:
        assert str(refusal)
