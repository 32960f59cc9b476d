"""The API for programs, `/api/v1`: the same verbs as the commands, each a thin layer over one function.

ground        where routes hang, how values are written, how lists are paged
shapes        what answers look like, for the description
description   OpenAPI, made from the routes
domains, decisions, forgetting, submissions, review, records, events, operating   the routes
"""

from surveyor.web.api import decisions, domains, events, forgetting, operating, records, review, submissions
from surveyor.web.api.description import desk_for

_DESKS = (
    domains.desk,
    decisions.desk,
    forgetting.desk,
    submissions.public,
    submissions.desk,
    review.desk,
    records.desk,
    events.desk,
    operating.desk,
)
API = (*_DESKS, desk_for(_DESKS))
