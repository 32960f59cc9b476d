"""The crawl stage: approved domains that are due become pages, links and a frontier that survives.

`worker` is the process: it claims domains and keeps their leases. `visit` is one domain
under one lease. `commit` writes finished pages of all visits in groups, each group one
transaction under the lease epochs. `page`, `links`, `scope`, `traps` and `sitemaps` are pure.
"""
