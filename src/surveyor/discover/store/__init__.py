"""SQL of the discover stage."""
