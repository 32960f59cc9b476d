"""Search providers, one module each and all of the same shape.

A module says how a query becomes a request (`ask`), how the provider's JSON becomes hits
(`read`), and what its errors mean (`trouble_of`). None of it does I/O; `provider` sends.
"""

from surveyor.discover.adapters import brave, browserbase, perplexity, searxng, serper, tavily
from surveyor.discover.adapters.base import Adapter, Answer, Ask, Hit, SearchQuery

ADAPTERS: dict[str, Adapter] = {
    module.ADAPTER.name: module.ADAPTER
    for module in (brave, searxng, serper, tavily, perplexity, browserbase)
}

__all__ = ["ADAPTERS", "Adapter", "Answer", "Ask", "Hit", "SearchQuery"]
