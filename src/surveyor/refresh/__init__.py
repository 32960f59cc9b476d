"""The refresh stage: when a page is worth another visit, learned from what past visits showed.

`history` keeps what visits showed in a few bytes, `policy` makes a date of it; both are pure. `due`
is what people and other stages see and say of it. The visits themselves are those of a crawl.
"""
