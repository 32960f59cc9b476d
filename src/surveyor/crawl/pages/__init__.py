"""Pages: from an answer to what is kept of it and which URLs it brought."""
