"""How things look: templates, and how times, numbers and foreign texts are written in them.

Every value is escaped on its way into a page. A name that a template uses and nobody gave is an
error, not an empty place. An address from outside becomes a link only if it is one of the web.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from datetime import datetime
from functools import cache
from http import HTTPStatus
from typing import Any
from urllib.parse import quote, unquote, urlencode, urlsplit

from fastapi import Request, Response
from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from surveyor import __version__
from surveyor.judge.values import spoken
from surveyor.names import looks_deceptive, shown_domain
from surveyor.people import Scope
from surveyor.registry.events import EventKind
from surveyor.web import assets
from surveyor.web.access import VISIT, Who
from surveyor.web.menu import menu_of
from surveyor.web.routing import redirect

THEMES = ("light", "dark")
THEME_COOKIE, NOTICE_COOKIE = "surveyor_theme", "surveyor_notice"
_LONGEST_NOTICE = 800  # characters; a cookie holds four kilobytes
# Counting stops here; see the services.
COUNTED = 10_000


@cache
def environment() -> Environment:
    made = Environment(
        loader=PackageLoader("surveyor.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    # A chart shows its series in the order in which they were given.
    made.policies["json.dumps_kwargs"] = {"sort_keys": False}
    made.filters |= {
        "when": when,
        "ago": ago,
        "clock": clock,
        "run": run_name,
        "number": number,
        "upto": upto,
        "size": size,
        "rate": rate,
        "words": words,
        "plain": plain,
        "brief": brief,
        "commands": commands,
        "judge": judge_name,
        "prose": prose,
        "shown": shown_domain,
        "path": lambda text: quote(str(text), safe=""),
    }
    made.tests |= {"web_address": is_web_address, "deceptive": looks_deceptive}
    made.globals |= {"asset": assets.url, "version": __version__, "scopes": Scope}
    return made


def page(request: Request, template: str, /, *, status: int = 200, **context: Any) -> HTMLResponse:
    """A whole page, or a part of one."""
    visitor: Who = getattr(request.state, "who", Who())
    theme = request.cookies.get(THEME_COOKIE)
    notice = "" if is_part(request) else request.cookies.get(NOTICE_COOKIE, "")
    failed = getattr(request.state, "failed", None)
    status = failed.status if failed is not None and status == HTTPStatus.OK else status
    common = {
        "status": status,
        "failed": failed,
        "was": _was(failed),
        "me": visitor,
        "csrf": visitor.form_token,
        "menu": menu_of(visitor, request.url.path),
        "here": _here(request),
        "theme": theme if theme in THEMES else "",
        "notice": _read_notice(notice),
    }
    html = environment().get_template(template).render(common | context)
    answer = HTMLResponse(html, status_code=status)
    answer.headers["vary"] = "HX-Request, Cookie"
    if visitor.user is None and visitor.key and request.cookies.get(VISIT) != visitor.key:
        set_cookie(request, answer, VISIT, visitor.key)
    if notice:
        answer.delete_cookie(NOTICE_COOKIE)
    return answer


def _was(failed: Any) -> Callable[..., str]:
    """What was typed into a form that was refused; else what stands there anyway."""

    def was(action: str, field: str, otherwise: Any = "", /, **same: str) -> str:
        is_this = failed is not None and failed.action == action
        if is_this and all(failed.form.one(name) == value for name, value in same.items()):
            return str(failed.form.one(field))
        return "" if otherwise is None else str(otherwise)

    return was


def is_part(request: Request) -> bool:
    """Whether a script of ours asks, for a part of a page."""
    return request.headers.get("hx-request") == "true"


def set_cookie(request: Request, answer: Any, name: str, value: str, seconds: int | None = None) -> None:
    """Out of reach of scripts, not sent along from other sites, and only encrypted where we are."""
    answer.set_cookie(
        name, value, max_age=seconds, httponly=True, samesite="lax", secure=request.url.scheme == "https"
    )


def leave_notice(request: Request, answer: Any, message: str) -> None:
    """A line that the next page shows."""
    set_cookie(request, answer, NOTICE_COOKIE, quote(message[:_LONGEST_NOTICE]), 60)


def done(request: Request, path: str, message: str) -> Response:
    """After a change: another page, with a line that says what came of it."""
    answer = redirect(path)
    leave_notice(request, answer, message)
    return answer


def _read_notice(text: str) -> str:
    return unquote(text)[:_LONGEST_NOTICE]


def _here(request: Request) -> str:
    return request.url.path + (f"?{request.url.query}" if request.url.query else "")


def address(path: str, **values: Any) -> str:
    """A path with those values that say something."""
    given = {name: str(value) for name, value in values.items() if value not in (None, "", False)}
    return f"{path}?{urlencode(given)}" if given else path


# --- filters


def when(moment: datetime | None) -> Markup:
    """A time to the minute, in UTC; the exact one for machines."""
    if moment is None:
        return Markup("–")
    return Markup('<time datetime="{0:%Y-%m-%dT%H:%M:%S}Z">{0:%Y-%m-%d %H:%M}</time>').format(moment)


def clock(moment: datetime) -> Markup:
    """A time of today, to the second."""
    return Markup('<time datetime="{0:%Y-%m-%dT%H:%M:%S}Z">{0:%H:%M:%S}</time>').format(moment)


def run_name(run: Any) -> str:
    """A run by one name on every page: its day if it has one, else the end of its number."""
    return str(run.day or str(run.id)[-12:])


def ago(moment: datetime | None, now: datetime) -> str:
    if moment is None:
        return "–"
    seconds = int((now - moment).total_seconds())
    ahead, seconds = seconds < 0, abs(seconds)
    for length, name in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= length:
            span = f"{seconds // length} {name}"
            break
    else:
        span = f"{seconds} s"
    return f"in {span}" if ahead else f"{span} ago"


def number(value: float | None) -> str:
    return "–" if value is None else f"{value:,}"


def upto(value: int, most: int = COUNTED) -> str:
    """A count that stopped at its limit says so."""
    return f"{most:,}+" if value >= most else f"{value:,}"


def size(count: int | None) -> str:
    if count is None:
        return "–"
    value = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1_000:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1_000
    return f"{value:.1f} TB"


def rate(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def words(state: Any) -> str:
    """A state or a kind of event as people read it."""
    if isinstance(state, EventKind):
        return _WORD.sub(" ", state).capitalize()
    return str(state or "–").replace("_", " ")


def plain(text: Any, longest: int = 300) -> str:
    """A text from outside: nothing that turns the direction of writing or hides, and not too long."""
    if text is None:
        return "–"
    kept = str(text)[: longest + 1]
    # Most lines have nothing to hide, and looking at every sign of a long text takes a while.
    clean = "\n".join(line if line.isprintable() else _without_signs(line) for line in kept.split("\n"))
    return clean if len(clean) <= longest else clean[:longest] + "…"


# Where the admin has what a command shows or does: whoever has no terminal goes there.
_PAGES = {
    **{name: f"/{name}" for name in ("candidates", "records", "review", "sessions", "submit", "why")},
    **dict.fromkeys(("crawl", "extract", "ingest-seeds", "judge", "search"), "/jobs"),
    "list-runs": "/runs",
    "providers": "/settings",
    "token": "/account",
    "user": "/users",
}


def commands(text: str) -> Markup:
    """A message for a terminal: what stands between backticks is shown as something to type, or to open."""
    return Markup(_TYPED.sub(_command, str(escape(text))))  # noqa: S704 - escaped before


def _command(typed: re.Match[str]) -> str:
    shown = f"<code>{typed[1]}</code>"
    name = typed[1].removeprefix("surveyor ").partition(" ")[0]
    return f'<a href="{_PAGES[name]}">{shown}</a>' if name in _PAGES else shown


def brief(text: Any, most: int = 3) -> str:
    """The first words of a text from outside."""
    found = plain(text).replace(";", ",").split()
    return " ".join(found[:most]).rstrip(",:(") + ("…" if len(found) > most else "")


_TYPED = re.compile(r"`([^`]+)`")
_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])")


def judge_name(name: Any) -> str:
    """A judge as people read it."""
    return spoken(plain(name, 40))


def _without_signs(line: str) -> str:
    return "".join(ch if unicodedata.category(ch)[0] != "C" else "�" for ch in line)


def prose(text: str) -> str:
    """A long text from outside, as `plain`, with its lines and without an end."""
    return plain(text.replace("\t", " ").replace("\r\n", "\n"), len(text))


def is_web_address(text: Any) -> bool:
    """Whether a browser would take it for a page of the web, whatever it is made to look like."""
    if not isinstance(text, str) or any(ch.isspace() or not ch.isprintable() for ch in text):
        return False
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc)
