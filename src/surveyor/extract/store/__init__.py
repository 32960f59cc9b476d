"""Statements of the extract stage."""
