"""Listeners: who receives events, in this process or behind a webhook.

Each has a name and a cursor in the database. Events are delivered in the order of the feed, a batch
at a time; the cursor moves when the listener has accepted the batch. So each event is delivered at
least once, none is skipped, and a batch is repeated only where nobody knows whether it arrived.

    async def on_events(events: Sequence[FeedEntry]) -> None: ...
    await listen(db, "my-program", on_events)
"""

from surveyor.listeners.dispatcher import Dispatcher, dispatch_all, listen
from surveyor.listeners.webhooks import Webhook

__all__ = ["Dispatcher", "Webhook", "dispatch_all", "listen"]
