"""Messages to people: submitters who want to know what became of a domain, and staff.

A message is put into the outbox in the transaction that makes it true and stays there until it was delivered,
so that neither a restart nor a server that does not answer loses one. Who is notified of a decision follows
from the feed of events, wherever it was made. No address is written to before its owner opened the link in
the first mail.
"""
