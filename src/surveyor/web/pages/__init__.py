"""Pages, one file per group: each parses what was asked, calls one service function, and shows."""

from surveyor.web.pages import (
    blacklist,
    candidates,
    decisions,
    domain,
    domains,
    door,
    events,
    overview,
    quality,
    records,
    review,
    runs,
    sessions,
    static,
    submissions,
    users,
)

PAGES = (
    static.desk,
    door.desk,
    overview.desk,
    review.desk,
    decisions.desk,
    candidates.desk,
    domains.desk,
    domain.desk,
    blacklist.desk,
    quality.desk,
    records.desk,
    sessions.desk,
    runs.desk,
    events.desk,
    submissions.desk,
    users.desk,
)
