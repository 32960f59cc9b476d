"""The crawl stage's statements. Functions run in the caller's transaction."""
