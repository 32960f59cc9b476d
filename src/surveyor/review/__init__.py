"""Review: people name domains, other people decide. Everything a person does here leaves an event.

submissions   what becomes of a domain or URL that somebody names
queue         what waits for a decision
decisions     approve, reject, suspend and the rest, alone or in bulk
candidates    take one, decide on it, give it back
policies      what a profile lets the program decide by itself
forgetting    erasing a domain or a contact
"""
