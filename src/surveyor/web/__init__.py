"""The web shell: pages for people, rendered on the server, each a thin layer over one service function.

`create_app` makes the application. A route exists only as an entry of a `Routes`, and an entry says
what a visitor must be allowed to do.
"""

from surveyor.web.app import create_app

__all__ = ["create_app"]
