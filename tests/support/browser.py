"""Tests that show pages in the product's own browser; where there is none, they say so."""

from __future__ import annotations

import importlib.util

import pytest

from tests.web import chromium

needs_browser = pytest.mark.skipif(
    chromium.executable() is None or importlib.util.find_spec("playwright") is None,
    reason="there is no Chromium on this machine: install chromium-headless-shell",
)
