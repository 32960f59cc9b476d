"""Foreign errors at the one door."""

from __future__ import annotations

import errno
import os
import socket
import ssl

import pytest
from httptools import HttpParserError, HttpParserInvalidStatusError

from surveyor.errors import NetError
from surveyor.net.reasons import Reason, translate


def os_error(number: int) -> OSError:
    return OSError(number, os.strerror(number))


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (socket.gaierror(socket.EAI_NONAME, "Name or service not known"), "dns_failure"),
        (UnicodeError("label too long"), "dns_failure"),
        (ConnectionRefusedError(errno.ECONNREFUSED, "refused"), "connection_refused"),
        (os_error(errno.EHOSTUNREACH), "connection_refused"),
        (os_error(errno.ENETUNREACH), "no_network"),
        (socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution"), "no_network"),
        (ConnectionResetError(errno.ECONNRESET, "reset"), "connection_reset"),
        (ConnectionResetError("uvloop gives no number"), "connection_reset"),
        (ConnectionAbortedError("handshake"), "connection_reset"),
        (BrokenPipeError(errno.EPIPE, "pipe"), "connection_reset"),
        (TimeoutError(), "timeout"),
        (os_error(errno.ETIMEDOUT), "timeout"),
        (ssl.SSLError(1, "wrong version number"), "tls_error"),
        (ssl.SSLCertVerificationError(1, "expired"), "tls_error"),
        (ssl.SSLEOFError(8, "EOF"), "tls_error"),
        (os_error(errno.EMFILE), "local_failure"),
        (os_error(errno.EADDRNOTAVAIL), "local_failure"),
        (HttpParserError("Invalid header token"), "bad_response"),
        (HttpParserInvalidStatusError("\x00\x01"), "bad_response"),
        (RuntimeError("Connection closed."), "bad_response"),
    ],
)
def test_every_error_below_has_one_code(error: Exception, code: str) -> None:
    told = translate(error, "a.example")
    assert (told.code, told.detail[:11]) == (code, "a.example: ")


def test_our_own_errors_pass_unchanged() -> None:
    ours = NetError(Reason.TOO_LARGE, "x")
    assert translate(ours, "a.example") is ours


def test_what_a_server_wrote_becomes_one_short_printable_line() -> None:
    told = translate(HttpParserError("\x1b[2J\nsecond line" + "x" * 999), "a.example")
    assert told.detail.isprintable()
    assert len(told.detail) < 250


def test_a_code_is_a_plain_word() -> None:
    assert str(NetError(Reason.DNS_FAILURE, "x")) == "dns_failure: x"
    assert all(reason.value == reason.name.lower() for reason in Reason)
