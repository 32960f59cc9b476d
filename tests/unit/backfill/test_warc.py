"""WARC files that another tool wrote, packed or not, whole or cut off."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from surveyor.backfill.lines import request
from surveyor.backfill.sources import Mapped, read_log
from surveyor.backfill.totals import Requests
from surveyor.backfill.warc import is_warc, read_answers

WHEN = "2024-05-06T07:08:09Z"


def _requests(path: Path) -> list[Requests]:
    return [request(values) for values in read_answers(path)]


def _write(path: Path, answers: list[tuple[str, str]], *, packed: bool) -> None:
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=packed)
        writer.write_record(writer.create_warcinfo_record(path.name, {"software": "another tool"}))
        for url, status in answers:
            heads = StatusAndHeaders(status, [("Content-Type", "text/html")], protocol="HTTP/1.1")
            for kind in ("resource", "response"):
                record = writer.create_warc_record(
                    url,
                    kind,
                    payload=io.BytesIO(b"<p>hello</p>" * 500),
                    http_headers=heads if kind == "response" else None,
                    warc_headers_dict={"WARC-Date": WHEN},
                )
                writer.write_record(record)


ANSWERS = [
    ("https://a.example/1", "200 OK"),
    ("http://www.a.example/2", "404 Not Found"),
    ("dns:a.example", "200 OK"),
]


@pytest.mark.parametrize("packed", [True, False], ids=["packed", "plain"])
def test_responses_of_another_tool_are_requests(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / "old.warc"
    _write(path, ANSWERS, packed=packed)
    assert is_warc(path)
    found = _requests(path)
    assert [(one.host, one.errors) for one in found] == [
        ("https://a.example/1", {}),
        ("http://www.a.example/2", {404: 1}),
    ]
    assert found[0].first == datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)


def test_a_file_that_was_cut_off_counts_up_to_there(tmp_path: Path) -> None:
    path = tmp_path / "old.warc.gz"
    _write(path, ANSWERS[:2], packed=True)
    path.write_bytes(path.read_bytes()[:-30])
    assert [one.host for one in _requests(path)] == ["https://a.example/1"]


@pytest.mark.parametrize("length", [b"7", b"9000", b"-5", b"many"])
def test_a_record_with_a_wrong_length_costs_no_other_than_what_it_swallows(
    tmp_path: Path, length: bytes
) -> None:
    path = tmp_path / "old.warc"
    _write(path, [(f"https://a.example/{number}", "200 OK") for number in range(5)], packed=False)
    whole = path.read_bytes()
    at = whole.index(b"Content-Length: ", whole.index(b"WARC-Type: response")) + len(b"Content-Length: ")
    path.write_bytes(whole[:at] + length + whole[whole.index(b"\r\n", at) :])
    found = [one.host for one in _requests(path)]
    assert found[0] == "https://a.example/0" and found[-2:] == ["https://a.example/3", "https://a.example/4"]


@given(st.binary(max_size=200))
def test_no_bytes_make_the_reader_fall_over(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.warc"
    path.write_bytes(b"WARC/1.0\r\n" + data)
    assert isinstance(_requests(path), list)


@pytest.mark.parametrize("damage", [(b"Content-Length: ", b"9" * 5_000), (b"HTTP/1.1 ", b"2" * 5_000)])
def test_a_number_of_thousands_of_digits_costs_its_own_record_alone(
    tmp_path: Path, damage: tuple[bytes, bytes]
) -> None:
    path = tmp_path / "old.warc"
    _write(path, [("https://a.example/1", "200 OK")], packed=False)
    begin, digits = damage
    head, tail = path.read_bytes().rsplit(begin, 1)
    _write(path, [("https://a.example/2", "200 OK")], packed=False)
    path.write_bytes(head + begin + digits + tail + path.read_bytes())
    assert "https://a.example/2" in [one.host for one in _requests(path)]


async def test_a_log_that_is_a_warc_file_is_read_as_one(tmp_path: Path) -> None:
    path = tmp_path / "named-anyhow"
    _write(path, ANSWERS, packed=True)
    assert [one.host async for one in read_log(str(path), Mapped())] == [url for url, _ in ANSWERS[:2]]


class _AnySite(BaseHTTPRequestHandler):
    """Answers for every host, as a proxy is asked."""

    def do_GET(self) -> None:
        body = b"<p>hello</p>"
        self.send_response(404 if self.path.endswith("/none") else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


@pytest.mark.skipif(shutil.which("wget") is None, reason="wget is not installed")
async def test_what_wget_wrote_is_read_from_its_warc_and_from_its_cdx(tmp_path: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), _AnySite) as site:
        Thread(target=site.serve_forever, daemon=True).start()
        urls = [f"http://old.example/{page}" for page in ("one", "two", "none")]
        asked = ["wget", "-q", "--warc-file=old", "--warc-cdx", "-O", "page", *urls]
        proxy = {"http_proxy": f"http://127.0.0.1:{site.server_port}", "PATH": os.environ["PATH"]}
        subprocess.run(asked, cwd=tmp_path, env=proxy, timeout=60, check=False)
        site.shutdown()
    answers = list(read_answers(tmp_path / "old.warc.gz", contents=True))
    assert [(one["url"], one["status"]) for one in answers] == list(zip(urls, (200, 200, 404), strict=True))
    assert all(one["http"].endswith(b"\r\n\r\n<p>hello</p>") for one in answers)
    listed = [seen async for seen in read_log(str(tmp_path / "old.cdx"), Mapped())]
    assert [(seen.host, dict(seen.errors)) for seen in listed] == [
        (urls[0], {}),
        (urls[1], {}),
        (urls[2], {404: 1}),
    ]
