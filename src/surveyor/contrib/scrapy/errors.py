"""Which obstacle an exception of Scrapy's or Twisted's amounts to; by name, as they move between versions."""

from __future__ import annotations

import re
import socket

from surveyor.net.reasons import Reason, translate
from surveyor.registry.cooldowns import Obstacle

_BY_NAME = {
    "CannotResolveHostError": Obstacle.DNS_FAILURE,
    "DNSLookupError": Obstacle.DNS_FAILURE,
    "gaierror": Obstacle.DNS_FAILURE,
    "DownloadConnectionRefusedError": Obstacle.CONNECTION_REFUSED,
    "ConnectionRefusedError": Obstacle.CONNECTION_REFUSED,
    "DownloadTimeoutError": Obstacle.TIMEOUT,
    "TCPTimedOutError": Obstacle.TIMEOUT,
    "TimeoutError": Obstacle.TIMEOUT,
    "SSLError": Obstacle.TLS_ERROR,
    "Error": Obstacle.TLS_ERROR,  # OpenSSL.SSL.Error
    "DownloadFailedError": Obstacle.CONNECTION_RESET,
    "ResponseNeverReceived": Obstacle.CONNECTION_RESET,
    "ResponseFailed": Obstacle.CONNECTION_RESET,
    "ConnectionLost": Obstacle.CONNECTION_RESET,
    "ConnectionDone": Obstacle.CONNECTION_RESET,
    "ConnectError": Obstacle.CONNECTION_REFUSED,
}


# What a resolver says that could ask nobody; Twisted keeps of its error the text alone.
_UNASKED = re.compile(rf"\[Errno ({socket.EAI_AGAIN}|{socket.EAI_FAIL})\]")
_OF_NAMES = frozenset({"CannotResolveHostError", "DNSLookupError", "gaierror"})


def is_no_network(error: BaseException) -> bool:
    """Whether no name can be looked up, or no way leads out of this machine."""
    return any(map(_leads_nowhere, _with_causes(error)))


def _leads_nowhere(cause: BaseException) -> bool:
    names = {kind.__name__ for kind in type(cause).__mro__}
    if not names.isdisjoint(_OF_NAMES):
        return _UNASKED.search(str(cause)) is not None
    is_known = isinstance(cause, OSError) and translate(cause, "").code == Reason.NO_NETWORK
    return is_known or "NoRouteError" in names


def obstacle_of(error: BaseException) -> Obstacle | None:
    """None where the site is not to blame."""
    if is_no_network(error):
        return None
    for cause in _with_causes(error):
        for kind in type(cause).__mro__:
            if kind.__name__ == "Error" and not kind.__module__.startswith("OpenSSL"):
                continue
            if kind.__name__ in _BY_NAME:
                return _BY_NAME[kind.__name__]
    return None


def _with_causes(error: BaseException) -> list[BaseException]:
    """The error, what Twisted lists as its reasons, and what it was raised from: the innermost says most."""
    reasons = getattr(error, "reasons", None) or []
    inner = [one.value for one in reasons if isinstance(getattr(one, "value", None), BaseException)]
    raised_from = [error.__cause__] if error.__cause__ is not None else []
    return [*inner, *raised_from, error]
