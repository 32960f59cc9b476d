"""Whether a site still answers where what it is asked for fails: one request for a page that it gave before.

Pages for members, a broken search, one program that fails: they fail in a row, because they stand side by
side in the frontier. Before their domain is blocked, a page is asked for that answered.
"""

from __future__ import annotations

from collections.abc import Sequence

from surveyor.crawl import failures
from surveyor.crawl.pages.response import is_login
from surveyor.crawl.results import START
from surveyor.crawl.session import SiteSession
from surveyor.errors import NetError
from surveyor.frontier.changes import RANK_NORMAL, Taken
from surveyor.names import url_key
from surveyor.net.reasons import OUR_FAULT
from surveyor.registry.cooldowns import Obstacle

_REFUSALS = frozenset({Obstacle.FORBIDDEN, Obstacle.LOGIN_REQUIRED})


class Recheck:
    def __init__(self, session: SiteSession) -> None:
        self._session = session
        self._target: str | None = None
        self._was_asked = False

    def begin(self, fetched: Sequence[str], *, had_start: bool) -> None:
        """What earlier visits were given."""
        self._target = next((one for one in fetched if one != START), START if had_start else None)

    def remember(self, target: str) -> None:
        """The site gave this page just now."""
        if target != START or self._target is None:
            self._target = target

    @property
    def gave_more_than_start(self) -> bool:
        return self._target not in (None, START)

    async def still_answers(self, obstacle: Obstacle) -> bool:
        """Whether the site answers, so that what failed fails alone; its errors are then forgotten.

        A site that asks to come later is not asked at once. One that has shown its front page and goes on
        refusing everything behind it is a login wall.
        """
        is_wall = self._was_asked and self._target == START and obstacle in _REFUSALS
        self._was_asked = True
        return obstacle is not Obstacle.RATE_LIMITED and not is_wall and await self._answers()

    async def _answers(self) -> bool:
        session, target = self._session, self._target
        robots = session.site.robots
        if target is None or robots is None or not robots.allows(target):
            return False
        await session.turn()
        try:
            response = await session.fetch(Taken(url_key(target), target, 0, RANK_NORMAL, 0, 0, None, None))
        except NetError as error:
            return error.code in OUR_FAULT
        session.outbox.extra_bytes += response.wire_bytes
        if failures.of_status(response.status) is not None or _leads_to_login(target, response.location):
            return False
        session.failures.relax()
        session.pace.trust()
        session.outcomes.successes += 1
        return True


def _leads_to_login(target: str, location: str | None) -> bool:
    return bool(location) and is_login(str(location)) and not is_login(target)
