"""Cross-category spam: gambling, essay mills, loans, pills and the like, also under a borrowed name.

A page of such a kind is known by what it offers, not by what it speaks of: museums, helplines, regulators
and newspapers speak of the same things. So the offers weigh most, the topic and the host add to them, and
what speaks of help, warning, law, memory, contests or members takes weight away. Words alone only lower: a
seller must show otherwise too, by its name or by where and how it offers.
"""

from __future__ import annotations

from itertools import accumulate

from surveyor.discover.spam.features import Features, Finding
from surveyor.discover.spam.hosts import CATEGORIES
from surveyor.discover.spam.wordlists import EntriesByGroup

NAME = "category"
_NAMES = {
    "gambling": "gambling",
    "essays": "texts written for pay",
    "loans": "doubtful loans",
    "pharma": "doubtful medicine",
    "adult": "adult contacts",
    "diplomas": "titles for sale",
    "crypto": "promised yields",
    "bait": "money promised to everyone",
    "goods": "counterfeits and links",
}
# Points of the first, second, third distinct find of a kind; more add nothing.
_TOPIC = (30, 15, 10)
_NEAR = (18, 14, 10, 8)
_OFFER = (45, 40, 35)
_HOST = (35, 10)
_PUSH = 8
_CHEAP = 10
_PUBLIC = -60
# A country's own top level domain costs an address and a name; most spam saves both.
_HOME = -12
# Phrases such as “in 24 hours” belong to many trades; without the topic they say little.
_OFF_TOPIC = -35
# The topic of bait is aid itself, which is what honest pages are about.
_BAIT_TOPIC = (10,)
# The most that words alone come to, which is below a verdict.
_WORDS_ALONE = 60
# Offers of who is not named for the trade: of play for money, which nobody else offers, and of other things.
_SEVERAL = 2
_MANY = 4
# Who reports or warns names the offers of others.
_REPORTS = frozenset(("shields.warning", "shields.news"))
_SHIELDS = {
    "warning": (60, 45, 30),
    "news": (45, 25),
    "help": (45, 25, 15),
    "official": (35, 30, 20),
    "memory": (40, 30),
    "contest": (50, 30, 20),
    "member": (35, 20),
    "dispense": (45, 35, 20),
    "bank": (45, 35, 25),
    "business": (35, 25),
}
# Who speaks of a category without selling it. Spam dresses up as charities, schools and ministries,
# so being one protects only where such a body plausibly has the topic.
_SHIELDED_BY = {
    "gambling": ("warning", "news", "help", "official", "memory", "bank", "business"),
    "essays": ("warning", "news", "contest", "memory"),
    "loans": ("warning", "news", "help", "official", "memory", "member", "bank"),
    "pharma": ("warning", "news", "help", "official", "memory", "dispense", "business"),
    "adult": ("warning", "news", "help", "memory", "dispense"),
    "diplomas": ("warning", "news", "official", "memory", "contest"),
    "crypto": ("warning", "news", "official", "memory", "bank"),
    "bait": ("warning", "news", "contest"),
    "goods": ("warning", "news", "memory"),
}
# The names of groups, made once: they are asked for with every result.
_KEYS = {name: (f"{name}.offer", f"{name}.topic", f"{name}.host", f"near.{name}") for name in CATEGORIES}
# The category that a group accuses of; most results show none of them.
_ACCUSES = {group: category for category, (*groups, _) in _KEYS.items() for group in groups}
_SHIELD_STEPS = {
    category: tuple((f"shields.{shield}", _SHIELDS[shield]) for shield in shields)
    for category, shields in _SHIELDED_BY.items()
}
_ALL_SHIELDS = frozenset(f"shields.{shield}" for shield in _SHIELDS)
_PUSHES = frozenset(("push.speed", "push.hidden", "push.sell", "push.prepay", "push.you"))
# What so many finds add up to, by the points of each.
_SUMS = {
    steps: (0, *accumulate(steps))
    for steps in (_TOPIC, _NEAR, _OFFER, _OFFER[:1], _HOST, _BAIT_TOPIC, *_SHIELDS.values())
}
# Points below which an accusation is not worth telling.
_LEAST = 40
# Finds that an accusation quotes.
_QUOTED = 5


def detect(features: Features) -> Finding | None:
    """Accuses of the category that shows most."""
    best, weight = "", 0
    found = (*features.found, *features.host.found)
    shown = {_ACCUSES[group] for group in found if group in _ACCUSES}
    if not shown:
        return None
    host = features.host
    # What the top level domain says about whoever stands behind it.
    standing = _CHEAP * host.is_cheap + _PUBLIC * host.is_public + _HOME * features.is_home
    for category in filter(shown.__contains__, CATEGORIES):
        points = _points(features, category, standing)
        if points > weight:
            best, weight = category, points
    if weight < _LEAST:
        return None
    finds = [
        *features.found.get(f"{best}.offer", ()),
        *features.found.get(f"{best}.topic", ()),
        *features.host.found.get(f"{best}.host", ()),
    ]
    examples = ", ".join(f"“{find}”" for find in finds[:_QUOTED])
    return Finding(NAME, weight, f"{_NAMES[best]}: {examples}")


def _points(features: Features, category: str, standing: int) -> int:
    found = features.found
    offer, topic, host, near = _KEYS[category]
    offers, topics, hosts = found.get(offer), found.get(topic), features.host.found.get(host)
    shield, is_firm = _shield(found, category)
    # Who warns quotes the offer, and who watches over a trade has it in the name.
    points = _sum(_OFFER[:1] if is_firm else _OFFER, offers)
    points += 0 if is_firm else _sum(_HOST, hosts)
    points += _sum(_BAIT_TOPIC if category == "bait" else _TOPIC, topics)
    points += _sum(_NEAR, found.get(near)) if topics or hosts else _OFF_TOPIC
    points += _PUSH * len(_PUSHES & found.keys()) + standing - shield
    return points if points <= _WORDS_ALONE or _is_seller(features, category) else _WORDS_ALONE


def _is_seller(features: Features, category: str) -> bool:
    """Whether more than the words of a trade says that it is sold here.

    Newspapers, guides, lawyers and honest lenders use the same words. A seller is also named for the trade or
    hides behind a cheap name, or presses its offers on somebody, far from home, and not in an article.
    """
    found, host = features.found, features.host
    offer, _, name, _ = _KEYS[category]
    names = host.found.get(name, ())
    is_loan = category == "loans"
    if f".{host.suffix}" in names and not is_loan:
        return True  # who registers under .casino runs one
    offers = len(found.get(offer, ()))
    reports = sum(len(found.get(shield, ())) for shield in _REPORTS)
    if not offers or reports > (offers > _SEVERAL):
        return False
    if is_loan and (offers < _SEVERAL or features.is_article or features.is_home):
        return False  # banks and licensed lenders are named for it too
    if names or (host.is_cheap and offers >= _SEVERAL):
        return True
    if features.is_home or features.is_article or "trade.press" in host.found:
        return False
    if category != "gambling":
        return offers >= _MANY
    return offers > _SEVERAL or (offers == _SEVERAL and not _PUSHES.isdisjoint(found))


def _shield(found: EntriesByGroup, category: str) -> tuple[int, bool]:
    """The points that protect, and whether one kind of protection shows more than once."""
    points, is_firm = 0, False
    if _ALL_SHIELDS.isdisjoint(found):
        return points, is_firm
    for group, steps in _SHIELD_STEPS[category]:
        finds = found.get(group)
        if finds:
            points += _sum(steps, finds)
            is_firm = is_firm or len(finds) > 1
    return points, is_firm


def _sum(steps: tuple[int, ...], finds: list[str] | None) -> int:
    return _SUMS[steps][min(len(finds), len(steps))] if finds else 0
