"""Which obstacle an exception of Scrapy's or Twisted's amounts to; by name, as they move between versions."""

from __future__ import annotations

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


def obstacle_of(error: BaseException) -> Obstacle | None:
    """None where the site is not to blame."""
    for cause in _with_causes(error):
        for kind in type(cause).__mro__:
            if kind.__name__ == "Error" and not kind.__module__.startswith("OpenSSL"):
                continue
            if kind.__name__ in _BY_NAME:
                return _BY_NAME[kind.__name__]
    return None


def _with_causes(error: BaseException) -> list[BaseException]:
    """The error, and what Twisted lists as its reasons: the innermost says most."""
    reasons = getattr(error, "reasons", None) or []
    inner = [one.value for one in reasons if isinstance(getattr(one, "value", None), BaseException)]
    return [*inner, error]
