"""Keeps everything at work: the parts of `up`, what restarts them, and what is tidied up beside them.

- `supervisor`: starts each part as a process of its own, starts it again when it died, and says so.
- `schedule`: when a search is due.
- `housekeeping`: closes what dead processes left open, and removes what is too old.
"""
