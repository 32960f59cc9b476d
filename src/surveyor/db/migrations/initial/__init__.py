"""The first schema, an area in each module: its tables, then its indexes, then what guards them.

All of an area is said twice, here and in `db.tables`, which may go on changing; a test proves that the
two agree. `versions/0001_initial.py` puts the areas together.
"""
