"""Surveyor keeps a register of web domains.

Six stages read domains in one condition and write to the registry:
discover, judge, review, crawl, extract, refresh. They never call each other.
"""

__version__ = "0.1.0"
