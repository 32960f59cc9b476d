"""Statements of the review stage."""
