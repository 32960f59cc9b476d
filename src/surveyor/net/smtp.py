"""Mail to one SMTP server that an admin configured; the only way out for mail.

The standard library's client speaks in a thread: a mail is a handful of round trips, and there are few.
"""

from __future__ import annotations

import asyncio
import contextlib
import smtplib
import ssl
from dataclasses import dataclass, field
from email.message import EmailMessage
from typing import Final, Literal

from surveyor.errors import NetError
from surveyor.net.transport import verifying_tls

# SMTP: from here on the answer is for good.
_FOR_GOOD: Final = 500
_LONGEST_ERROR = 200


class Undeliverable(NetError):
    """The server refused this mail or its recipient for good; trying again would not help."""


@dataclass(frozen=True, slots=True)
class SmtpServer:
    host: str
    port: int
    security: Literal["starttls", "tls", "none"] = "starttls"
    user: str = ""
    password: str = field(default="", repr=False)
    seconds: float = 30.0
    tls: ssl.SSLContext | None = field(default=None, repr=False)


async def deliver(server: SmtpServer, mail: EmailMessage) -> None:
    """Returns when the server has taken it; Undeliverable or another NetError says why not."""
    await asyncio.to_thread(_deliver, server, mail)


def _deliver(server: SmtpServer, mail: EmailMessage) -> None:
    try:
        client = _connect(server)
    except (OSError, smtplib.SMTPException) as error:
        raise NetError("mail_server", _said(server, error)) from None
    try:
        client.send_message(mail)
    except smtplib.SMTPRecipientsRefused as error:
        code, text = next(iter(error.recipients.values()))
        kind = Undeliverable if code >= _FOR_GOOD else NetError
        raise kind("mail_refused", f"the recipient was refused: {code} {_text(text)}") from None
    except smtplib.SMTPDataError as error:
        kind = Undeliverable if error.smtp_code >= _FOR_GOOD else NetError
        raise kind("mail_refused", f"the mail was refused: {_said(server, error)}") from None
    except (OSError, smtplib.SMTPException) as error:  # also a sender it does not know: that is ours to mend
        raise NetError("mail_server", _said(server, error)) from None
    finally:
        # Whatever happens now, what was taken was taken.
        with contextlib.suppress(OSError, smtplib.SMTPException):
            client.quit()
        client.close()


def _connect(server: SmtpServer) -> smtplib.SMTP:
    tls = None if server.security == "none" else server.tls or verifying_tls()
    if server.security == "tls":
        client: smtplib.SMTP = smtplib.SMTP_SSL(server.host, server.port, timeout=server.seconds, context=tls)
    else:
        client = smtplib.SMTP(server.host, server.port, timeout=server.seconds)
    try:
        if server.security == "starttls":
            client.starttls(context=tls)
        if server.user:
            client.login(server.user, server.password)
    except BaseException:
        client.close()
        raise
    return client


def _said(server: SmtpServer, error: Exception) -> str:
    """What went wrong, without what was sent to log in."""
    if isinstance(error, smtplib.SMTPResponseException):
        said = f"{error.smtp_code} {_text(error.smtp_error)}"
    else:
        said = f"{type(error).__name__}: {error}"
    said = said.replace(server.password, "…") if server.password else said
    return f"{server.host}:{server.port}: {said}"[:_LONGEST_ERROR]


def _text(answer: bytes | str) -> str:
    text = answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer
    return "".join(ch if ch.isprintable() else " " for ch in text)[:_LONGEST_ERROR]
