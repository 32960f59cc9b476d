"""The registry: the authoritative state of all domains.

`lifecycle` says which states there are and which arrows; `store.changes` is the one
way to move along them, always with an event; `leases` gives domains to workers and
`store.release` takes them back. Everything here takes a `Database` or an open
transaction, returns values and raises Surveyor errors.
"""
