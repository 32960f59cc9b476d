"""The frontier: the URLs of a domain that are known and not yet fetched.

`protocol` says what one can do; `sql` keeps it in the database, `redis` in Redis or
Valkey. Changes are values (`changes`) that a visit collects and a group commit applies.
"""
