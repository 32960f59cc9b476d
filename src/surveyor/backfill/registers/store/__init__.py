"""Statements of an import, a module per table; each writes one batch in its caller's transaction."""
