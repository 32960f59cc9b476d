"""SQL of the judge stage."""
