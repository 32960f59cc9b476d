"""Names made up below one domain: a server that answers for every subdomain can link to any number."""

from __future__ import annotations

from surveyor.names import parent_domain

TRAP_WILDCARD = "trap_wildcard"

# Subdomains of one registrable domain that the pages of one site may report. The largest honest
# patterns, encyclopaedias by language and hosts of blogs, lose little: other sites name the rest.
MOST_SUBDOMAINS = 200
# Registrable domains that are counted; a site that links to more is a directory.
_MOST_PARENTS = 5_000


class Subdomains:
    __slots__ = ("_seen", "cuts")

    def __init__(self) -> None:
        self._seen: dict[str, set[str]] = {}
        self.cuts: dict[str, int] = {}

    def judge(self, domain: str) -> str | None:
        """The reason if this domain is one of too many below the same registrable one."""
        parent = parent_domain(domain)
        if parent == domain:
            return None
        seen = self._seen.get(parent)
        if seen is None:
            if len(self._seen) >= _MOST_PARENTS:
                return None
            seen = self._seen[parent] = set()
        if domain in seen:
            return None
        if len(seen) >= MOST_SUBDOMAINS:
            self.cuts[parent] = self.cuts.get(parent, 0) + 1
            return TRAP_WILDCARD
        seen.add(domain)
        return None
