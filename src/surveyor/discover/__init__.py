"""The discover stage: where domains come from, each with its source, and none of them due by itself.

`seeds` reads lists, and sheets of decisions made before. `sessions` asks search providers:
`adapters` know their formats, `provider` speaks to one, `results` believes or refuses what it
said, `usage` records calls and suspends failing providers. `links` follows what was crawled.
"""
