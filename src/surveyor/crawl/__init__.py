"""The crawl stage: turns approved domains that are due into stored pages, links and a durable frontier.

`worker` is the process: it claims domains and keeps their leases. `visit` is one domain under one lease,
`session` the way to its site. `commit` writes finished pages of all visits in groups, each group one
transaction under the lease epochs. `pages`, `sitemaps` and most of `detect` are pure: bytes in, values out.
"""
