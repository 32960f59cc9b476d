"""Everything that speaks to Redis or Valkey."""
