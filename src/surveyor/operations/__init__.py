"""Keeps everything at work: the parts of `up`, the processes of a run, and what is tidied up beside them.

- `up`: which parts there are, when they run, what is written about them.
- `crawl_processes`, `extract_process`: the workers of one run, and the extraction beside it.
- `schedule`: when a search is due.
- `housekeeping`: closes what dead processes left open, and removes what is too old.
"""
