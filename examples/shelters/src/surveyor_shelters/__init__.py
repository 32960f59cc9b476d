"""Shelters for Surveyor: an example of every kind of plugin, a module each."""
