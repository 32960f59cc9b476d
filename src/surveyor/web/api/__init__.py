"""The API for programs, `/api/v1`: the same verbs as the commands, each a thin layer over one function.

common        where routes hang, how values are written, how lists are paged
shapes        what answers look like, for the description
description   OpenAPI, made from the routes
domains, decisions, forgetting, submissions, review, records, events, operating   the routes
"""

from surveyor.web.api import decisions, domains, events, forgetting, operating, records, review, submissions
from surveyor.web.api.description import routes_for

_GROUPS = (
    domains.routes,
    decisions.routes,
    forgetting.routes,
    submissions.public,
    submissions.routes,
    review.routes,
    records.routes,
    events.routes,
    operating.routes,
)
API = (*_GROUPS, routes_for(_GROUPS))
