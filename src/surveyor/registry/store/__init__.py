"""The registry's statements, one module per noun. Functions run in the caller's transaction."""
