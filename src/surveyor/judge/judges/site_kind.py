"""SiteKindJudge: an organisation's own site, or somebody who writes about others?

A small model over signs alone, so that it needs no word of any profile: it was trained on real results of all
profiles and languages, which tell the kind of site they led to.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from surveyor.judge.learned.model import in_hundredths, shipped
from surveyor.judge.reading import Reading
from surveyor.judge.sign_words import in_one, in_words, is_shown
from surveyor.judge.values import Why

_OWN: Final = 50  # hundredths from which on it is more likely than not
_REASONS: Final = 3
# What somebody who writes about others most likely is, by the strongest sign for it.
_KINDS: Final = (
    (
        "news or a blog",
        ("reports", "title_reports", "path_story", "host_media", "dated_path", "starts_with_date"),
    ),
    ("a list of what others offer", ("collects", "title_collects", "path_listing", "host_finder")),
    ("a guide", ("guides", "title_guides", "path_guide", "question", "numbered_title")),
    ("a document or a place where anybody writes", ("file", "path_document", "host_platform")),
    ("somebody who sells", ("sells", "title_sells", "path_shop")),
)  # fmt: skip


class SiteKindJudge:
    name = "SiteKindJudge"

    def __init__(self) -> None:
        found = shipped("site_kind")
        assert found is not None, "the package was built without its weights"
        self._model = found

    def __call__(self, reading: Reading) -> tuple[int, Why]:
        total = self._model.bias + self._model.of_signs(reading.signs)
        score = in_hundredths(self._model.logit(total))
        return score, partial(self._why, reading.signs, score)

    def _why(self, signs: Mapping[str, float], score: int) -> str:
        is_own = score >= _OWN
        reasons = in_one(
            each.name
            for each in self._model.reasons(signs)
            if (each.weight > 0) == is_own and is_shown(each.name, speaks_for=is_own)
        )
        kind = "an organisation's own site" if is_own else self._kind(reasons)
        nothing = "nothing speaks against it" if is_own else "nothing shows that it speaks for itself"
        return f"seems to be {kind}: {'; '.join(map(in_words, reasons[:_REASONS])) or nothing}"

    @staticmethod
    def _kind(against: list[str]) -> str:
        for name in against:
            for kind, signs in _KINDS:
                if name in signs:
                    return kind
        return "somebody who writes about others"
