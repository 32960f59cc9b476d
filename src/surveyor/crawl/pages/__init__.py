"""Pages: what is stored of an answer, and which URLs were found in it."""
