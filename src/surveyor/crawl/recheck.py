"""Whether a site still answers where what it is asked for fails: one request for a page that it gave before.

Pages for members, a broken search, one program that fails: they fail in a row, because they stand side by
side in the frontier. Before their domain is blocked, a page is asked for that answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

from surveyor.crawl import failures
from surveyor.crawl.pages.response import is_login
from surveyor.crawl.results import START
from surveyor.crawl.session import SiteSession, Stopped
from surveyor.errors import NetError
from surveyor.frontier.changes import RANK_NORMAL, Taken
from surveyor.names import url_key
from surveyor.net.reasons import OUR_FAULT
from surveyor.registry.cooldowns import Obstacle

# Pages of earlier visits to choose from.
_MOST = 20
_REFUSALS = frozenset({Obstacle.FORBIDDEN, Obstacle.LOGIN_REQUIRED})


@dataclass(eq=False)
class Recheck:
    _session: SiteSession
    _given: list[str] = field(default_factory=list)  # pages to choose from
    _was_asked: bool = False

    def begin(self, fetched: Sequence[str], *, had_start: bool) -> None:
        """What earlier visits were given."""
        others = islice((one for one in fetched if one != START), _MOST)
        self._given = [*others, *([START] if had_start else [])]

    def remember(self, target: str) -> None:
        """The site gave this page just now."""
        if target != START or not self._given:
            self._given = [target]

    @property
    def gave_more_than_start(self) -> bool:
        return self._given[:1] not in ([], [START])

    @property
    def _target(self) -> str | None:
        """What is asked for: robots.txt may forbid by now what was given once."""
        robots = self._session.site.robots
        return None if robots is None else next(filter(robots.allows, self._given), None)

    async def still_answers(self, obstacle: Obstacle) -> bool:
        """Whether the site answers, so that what failed fails alone; its errors are then forgotten.

        A site that asks to come later is not asked at once. One that has shown its front page and goes on
        refusing everything behind it is a login wall; one that keeps us waiting is asked once.
        """
        target = self._target
        is_wall = target == START and obstacle in _REFUSALS
        is_enough = self._was_asked and (is_wall or obstacle is Obstacle.TIMEOUT)
        self._was_asked = True
        if target is None or is_enough or obstacle is Obstacle.RATE_LIMITED:
            return False
        return await self._answers(target)

    async def _answers(self, target: str) -> bool:
        session = self._session
        await session.turn()
        try:
            response = await session.fetch(Taken(url_key(target), target, 0, RANK_NORMAL, 0, 0, None, None))
        except NetError as error:
            if error.code in OUR_FAULT:  # nobody knows: the visit ends, and nothing is held against the site
                raise Stopped(session.outcomes.unreachable(error)) from error
            return False
        session.outbox.extra_bytes += response.wire_bytes
        if failures.of_answer(response) is not None or _leads_to_login(target, response.location):
            return False
        session.failures.relax()
        session.pace.trust()
        session.outcomes.successes += 1
        return True


def _leads_to_login(target: str, location: str | None) -> bool:
    return bool(location) and is_login(str(location)) and not is_login(target)
