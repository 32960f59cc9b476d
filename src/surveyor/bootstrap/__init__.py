"""From settings to working parts. Alone in knowing every concrete class.

`workspace` has what every command needs. Parts that few need are made by `workers` and `delivery`, which are
imported where they are used: a list of domains should not wait for the client, the judges and Redis.
"""
