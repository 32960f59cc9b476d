"""The index of the archive, read at its offsets by another tool's reader."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from surveyor.archive import Capture, WarcWriter
from surveyor.archive.cdxj import surt, write_index
from surveyor.clock import SystemClock

START = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)


def _capture(number: int) -> Capture:
    url = f"https://{'www.' if number % 2 else ''}h{number % 3}.example/Page/{number}?b={number}&a=1"
    kind = "Text/HTML; charset=utf-8" if number % 4 else "application/pdf"
    body = f"<p>{number}</p>".encode()
    return Capture(url, START + timedelta(seconds=number), 200, (("Content-Type", kind),), body)


def _index(folder: Path) -> list[tuple[str, str, dict[str, str]]]:
    out = io.BytesIO()
    write_index(folder, out)
    lines = out.getvalue().splitlines()
    assert lines == sorted(lines), "an index is searched by halves"
    found = [line.decode().split(" ", 2) for line in lines]
    return [(key, stamp, json.loads(known)) for key, stamp, known in found]


def test_every_response_is_found_at_its_offset_by_another_reader(tmp_path: Path) -> None:
    captures = [_capture(number) for number in range(30)]
    for worker in ("one", "two"):
        with WarcWriter(tmp_path, worker, 10**9, SystemClock()) as writer:
            writer.sync([writer.append(one) for one in captures])
    entries = _index(tmp_path)
    assert len(entries) == 60
    for key, stamp, known in entries:
        with (tmp_path / known["filename"]).open("rb") as file:
            file.seek(int(known["offset"]))
            record = next(iter(ArchiveIterator(io.BytesIO(file.read(int(known["length"]))))))
        assert record.rec_type == "response"
        assert record.rec_headers.get_header("WARC-Target-URI") == known["url"]
        assert record.http_headers.get_statuscode() == known["status"]
        number = int(record.content_stream().read().removeprefix(b"<p>").removesuffix(b"</p>"))
        assert key == surt(known["url"])
        assert stamp == f"{captures[number].fetched_at:%Y%m%d%H%M%S}"
        assert known["mime"] == ("text/html" if number % 4 else "application/pdf")


def test_screenshots_are_not_in_the_index(tmp_path: Path) -> None:
    fetched = _capture(1)
    with WarcWriter(tmp_path, "one", 10**9, SystemClock()) as writer:
        writer.sync([writer.append(replace(fetched, original=fetched, screenshot=b"PNG"))])
    assert [known["url"] for _, _, known in _index(tmp_path)] == [fetched.url] * 2


def test_a_file_that_was_cut_off_is_indexed_up_to_there(tmp_path: Path) -> None:
    with WarcWriter(tmp_path, "one", 10**9, SystemClock()) as writer:
        writer.sync([writer.append(_capture(number)) for number in range(3)])
    (file,) = tmp_path.glob("*.warc.gz")
    file.write_bytes(file.read_bytes()[:-10])
    out = io.BytesIO()
    done = write_index(tmp_path, out)
    assert (done.files, done.records, done.damaged) == (1, 2, 1)


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://www.Example.org/", "org,example)/"),
        ("http://example.org:8080/a/B/?z=1&A=2", "org,example:8080)/a/b?a=2&z=1"),
        ("https://sub.example.co.uk/x", "uk,co,example,sub)/x"),
        ("http://127.0.0.1/x", "1,0,0,127)/x"),
        ("https://www2.a.example/%7Eb/./c//../%C3%A4?", "example,a)/~b/c/%c3%a4"),
        ("https://a.example/x?b&a=2&a&PHPSESSID=0123456789abcdef0123456789ABCDEF", "example,a)/x?&a&a=2&b"),
        ("https://a.example/s/(0123456789abcdef01234567)/Page.aspx", "example,a)/s/page.aspx"),
    ],
)
def test_keys_are_those_replay_tools_look_up(url: str, key: str) -> None:
    assert surt(url) == key


URLS = st.from_regex(
    r"https?://(www\.)?[a-z]{1,8}\.example(:[0-9]{2,4})?/[A-Za-z0-9/?&=]{0,20}", fullmatch=True
)


@given(URLS)
def test_spellings_of_one_address_have_one_key(url: str) -> None:
    assert surt(url) == surt(url.upper().replace("HTTPS://", "https://").replace("HTTP://", "http://"))
    assert " " not in surt(url)
