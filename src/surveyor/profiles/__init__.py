"""What a workspace looks for, as one checked value out of a TOML file.

`loader.load("funding")` gives a built-in profile, `loader.load("mine.toml", workspace)` a user's own;
`files.BUILT_IN` names the three. `model.Profile` and its parts are frozen. `Profile.hash` is what a database
remembers, so that two workers never crawl for two purposes. `templates.queries` turns a profile's templates
into searches. A listing needs no more than `head`.
"""
