"""What a workspace looks for, as one checked value out of a TOML file.

`load("funding")` gives a built-in profile, `load("mine.toml", workspace)` a user's own;
`BUILT_IN` names the three. `Profile` and its parts are frozen. `Profile.hash` is what a
database remembers, so that two workers never crawl for two purposes. `queries` turns a
profile's templates into searches.

The names below are loaded when they are first asked for: a listing needs no more than `head`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from surveyor.profiles.files import BUILT_IN
    from surveyor.profiles.loader import load
    from surveyor.profiles.model import (
        AutoApprove,
        Credibility,
        Effect,
        Geography,
        JudgeName,
        KeywordGroup,
        Limits,
        Place,
        Policies,
        Profile,
        QueryPlan,
        Relevance,
        SessionType,
        SiteClass,
        Suspicious,
        WordGroup,
    )
    from surveyor.profiles.templates import Query, queries
    from surveyor.profiles.values import normal_word

__all__ = [
    "BUILT_IN",
    "AutoApprove",
    "Credibility",
    "Effect",
    "Geography",
    "JudgeName",
    "KeywordGroup",
    "Limits",
    "Place",
    "Policies",
    "Profile",
    "Query",
    "QueryPlan",
    "Relevance",
    "SessionType",
    "SiteClass",
    "Suspicious",
    "WordGroup",
    "load",
    "normal_word",
    "queries",
]


# Where those are that are not parts of the model.
_ELSEWHERE = {
    "BUILT_IN": "files",
    "Query": "templates",
    "load": "loader",
    "normal_word": "values",
    "queries": "templates",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_ELSEWHERE.get(name, 'model')}"), name)
