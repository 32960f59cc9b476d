"""Hosts with pages of many owners: a list that names a page there does not mean the whole host; pure."""

from __future__ import annotations

from typing import Final

_NAMES = """
    facebook.com fb.com fb.me instagram.com twitter.com x.com threads.net linkedin.com tiktok.com
    pinterest.com youtube.com youtu.be vimeo.com flickr.com reddit.com medium.com vk.com ok.ru t.me
    wa.me whatsapp.com telegram.me xing.com meetup.com nextdoor.com linktr.ee eventbrite.com
    gofundme.com betterplace.org change.org patreon.com yelp.com tripadvisor.com google.com goo.gl
    bit.ly tinyurl.com t.co ow.ly wikipedia.org wikidata.org archive.org dropbox.com issuu.com
    scribd.com academia.edu researchgate.net github.com gitlab.com amazon.com ebay.com etsy.com
"""
SHARED_HOSTS: Final = frozenset(_NAMES.split())


def is_shared(domain: str) -> bool:
    """The domain or what it belongs to is such a host."""
    labels = domain.split(".")
    return any(".".join(labels[at:]) in SHARED_HOSTS for at in range(len(labels) - 1))
