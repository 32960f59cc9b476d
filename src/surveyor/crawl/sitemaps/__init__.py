"""Sitemaps and feeds: lists of pages, read and never trusted."""
