"""Surveyor for programs of others: each folder stands for one, and needs its extra."""
