"""Puts in plain what a page hides from machines and shows to people: addresses of mail, above all.

    unveil    changes the tree before it is read as text; bounded, and never an error

Only what a visitor would see, or get by a click, is put in: an address that stands in a script as a setting
stays there.
"""

from __future__ import annotations

from surveyor.extract.unveil.elements import unveil

__all__ = ["unveil"]
