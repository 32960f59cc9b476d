"""The long fault runs: each module is one lab with `main(argv) -> int`, which ends with 1 on a violation."""
