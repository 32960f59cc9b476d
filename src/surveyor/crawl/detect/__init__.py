"""Traps of one domain, recognised by what they do, and cut with a reason.

A trap is whatever makes a site endless without making it larger. The detector is pure and of bounded
memory; nothing is cut for being large. A target is judged twice, when it is found and before it is
fetched, because by then the detector knows more:

    detector.judge(target)                                 before a page is fetched
    read_page(..., want_text=detector.wants_text(target))
    detector.learn(target, facts)                          if it could be read
    detector.judge(link, found_on=target)                  for each of its links that is new

    path_pattern    what a target shows by itself: trap_length, trap_repeat, trap_entities
    url_aliases     one page under many names: trap_session, trap_facets, trap_entities, trap_repeat
    url_patterns    endless pages of a kind without news: trap_calendar, trap_facets, trap_pattern
    detector        one answer for everything: trap_soft404; names made up below one domain: trap_wildcard;
                    pages that give nothing, such as those behind a log-in: closed_pattern
"""

from __future__ import annotations

from surveyor.crawl.detect.detector import Detector

__all__ = ["Detector"]
