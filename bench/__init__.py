"""The figures: each module here is one benchmark with `main(argv) -> int`."""
