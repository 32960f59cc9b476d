"""What a workspace looks for, as one checked value out of a TOML file.

`load("funding")` gives a built-in profile, `load("mine.toml", workspace)` a user's own;
`BUILT_IN` names the three. `Profile` and its parts are frozen. `Profile.hash` is what a
database remembers, so that two workers never crawl for two purposes. `queries` turns a
profile's templates into searches.
"""

from surveyor.profiles.loader import BUILT_IN, load
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
