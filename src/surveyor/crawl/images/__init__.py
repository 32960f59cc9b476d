"""Images: which pages show them, fetching them, and what a commit writes of them."""
