"""What tests stand on: real servers to start, sites and hostile answers to fetch, values made in one line.

Nothing here is a test. A helper that one folder of tests needs stays in that folder.
"""
