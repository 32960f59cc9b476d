"""Start URLs for a spider, out of whatever `ingest-seeds` reads."""

from __future__ import annotations

from surveyor.discover import seeds
from surveyor.errors import NotADomain, NotAUrl
from surveyor.frontier.redis.seeds import sorted_set
from surveyor.names import NameRules, parse_url

# What a seed names is for the spider to ask; hosts of an intranet too.
_RULES = NameRules(allow_hosts=True)


def read_seeds(where: str) -> list[str]:
    """URLs in the order of the list; a bare name gets https://."""
    if where.startswith(("redis://", "rediss://", "unix://")):
        lines = list(seeds.read_scored(sorted_set(where)))
    else:
        lines = list(_of_file(where))
    texts = [line.text for line in lines if not isinstance(line, seeds.BadLine)]
    return [text if "://" in text else f"https://{text}" for text in texts]


def domains_of(urls: list[str]) -> list[str]:
    """The domains of these URLs; URLs without one are left to the caller."""
    found: dict[str, None] = {}
    for url in urls:
        try:
            found[parse_url(url, rules=_RULES).domain] = None
        except (NotADomain, NotAUrl):
            continue
    return list(found)


def _of_file(where: str) -> list[seeds.SeedLine | seeds.BadLine]:
    opened = seeds.open_list(where, _RULES)
    try:
        found, raw = seeds.with_format(opened.lines(), seeds.SeedFormat.AUTO, _RULES)
        if found is seeds.SeedFormat.TABLE:
            return list(seeds.open_table(raw, _RULES, seeds.TableOptions()).lines)
        return list(seeds.read_lines(raw, found))
    finally:
        opened.close()
