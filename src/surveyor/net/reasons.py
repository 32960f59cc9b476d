"""The reason codes a request can fail with, and the one place where foreign errors become them.

A code is stored, counted and shown to people, so it is defined here and not by
a library. `translate` knows every error that sockets, TLS and the HTTP parser raise;
above `net` nobody catches anything but `NetError`.
"""

from __future__ import annotations

import errno
import socket
import ssl
from enum import StrEnum
from typing import Final

from httptools import HttpParserError

from surveyor import logs
from surveyor.errors import NetError


class Reason(StrEnum):
    DNS_FAILURE = "dns_failure"
    """The name has no address, or its name servers do not answer while others do."""
    CONNECTION_REFUSED = "connection_refused"
    """Nothing listens there, or there is no way to it."""
    CONNECTION_RESET = "connection_reset"
    """The connection was cut before the answer was complete."""
    TIMEOUT = "timeout"
    """No connection, or no complete head of an answer, in the time allowed."""
    TLS_ERROR = "tls_error"
    """The certificate does not hold, or the handshake failed."""
    TOO_LARGE = "too_large"
    """The body is over the limit, packed or unpacked."""
    TOO_SLOW = "too_slow"
    """The answer began, but its body came too slowly."""
    BAD_RESPONSE = "bad_response"
    """What came is not HTTP, or contradicts itself, or ended early."""
    DECOMPRESS_ERROR = "decompress_error"
    """The body is not what its Content-Encoding says."""
    TOO_MANY_REDIRECTS = "too_many_redirects"
    """More hops than anybody needs."""
    FORBIDDEN_REDIRECT = "forbidden_redirect"
    """A service tried to send us, with our key, to another host."""
    FORBIDDEN_ADDRESS = "forbidden_address"
    """The name leads to an address that is not public unicast."""
    FORBIDDEN_PORT = "forbidden_port"
    """Not a usual web port, and not the domain's own."""
    FORBIDDEN_SCHEME = "forbidden_scheme"
    """Neither http nor https."""
    BAD_URL = "bad_url"
    """No URL that could be asked for."""
    NO_NETWORK = "no_network"
    """No name can be looked up, or no way leads out of this machine: the site is not to blame."""
    LOCAL_FAILURE = "local_failure"
    """This machine is out of sockets or memory: the site is not to blame."""


OUR_FAULT: Final = frozenset({Reason.LOCAL_FAILURE, Reason.NO_NETWORK})
"""Codes that must not count as an error of the domain."""

_EXPECTED: Final = (OSError, HttpParserError, RuntimeError, UnicodeError, EOFError)
"""What the libraries below are known to raise."""

_log = logs.get("net")

_LOCAL_ERRNOS = (
    *(errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM),
    *(errno.EADDRNOTAVAIL, errno.EACCES, errno.EPERM),
)
_OF_ERRNO: Final[dict[int | None, Reason]] = {
    **dict.fromkeys((errno.ECONNREFUSED, errno.EHOSTUNREACH, errno.EHOSTDOWN), Reason.CONNECTION_REFUSED),
    **dict.fromkeys((errno.ENETUNREACH, errno.ENETDOWN), Reason.NO_NETWORK),
    **dict.fromkeys(_LOCAL_ERRNOS, Reason.LOCAL_FAILURE),
}
# What a resolver says that could ask nobody; one that hears "no such name" says EAI_NONAME.
_UNASKED = frozenset({socket.EAI_AGAIN, socket.EAI_FAIL})
_DETAIL_CHARS = 200  # enough for a certificate's complaint, short enough for one log line


def translate(error: BaseException, where: str) -> NetError:
    """The `NetError` that says what happened; `where` is a host, never a whole URL (it may hold a key).

    What nobody expected becomes one too, or a stranger's answer could end more than its own request;
    it is logged with its traceback, because it is a mistake of ours.
    """
    if isinstance(error, NetError):
        return error
    if not isinstance(error, _EXPECTED):
        _log.error("unexpected error", host=where, kind=type(error).__name__, exc_info=error)
    return NetError(_code(error), f"{where}: {said(error)}")


def _code(error: BaseException) -> Reason:
    match error:
        case ssl.SSLError():
            return Reason.TLS_ERROR
        case socket.gaierror() if error.errno in _UNASKED:
            return Reason.NO_NETWORK
        case socket.gaierror(errno=socket.EAI_MEMORY):
            return Reason.LOCAL_FAILURE
        case socket.gaierror() | UnicodeError():
            return Reason.DNS_FAILURE
        case TimeoutError():
            return Reason.TIMEOUT
        case OSError():
            return _OF_ERRNO.get(error.errno, Reason.CONNECTION_RESET)
        case _:
            return Reason.BAD_RESPONSE


def said(error: BaseException) -> str:
    """One printable line: a server can put what it likes into a parser's complaint."""
    if isinstance(error, ssl.SSLCertVerificationError):
        text = f"certificate not accepted: {getattr(error, 'verify_message', '') or error.strerror}"
    elif isinstance(error, OSError) and error.strerror:
        text = error.strerror
    else:
        message = getattr(error, "message", None) or str(error) or type(error).__name__
        text = str(message).strip().split("\n", 1)[0].rstrip(":.")
    text = text[:_DETAIL_CHARS]
    if text.isprintable():
        return text
    return "".join(ch if ch.isprintable() else "\N{REPLACEMENT CHARACTER}" for ch in text)
