"""The crawl stage: approved domains that are due become pages, links and a frontier that survives.

`worker` is the process: it claims domains and keeps their leases. `visit` is one domain under one lease,
`session` the way to its site. `commit` writes finished pages of all visits in groups, each group one
transaction under the lease epochs. What reads and judges is pure: `pages`, `sitemaps`, most of `detect`.
"""
