"""Programs for this repository: the demo, and the generator of the reference."""
