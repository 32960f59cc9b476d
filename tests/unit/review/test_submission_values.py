"""What people may write for a domain or a URL, before anything is asked of the database."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surveyor.errors import BadInput, NotADomain, NotAUrl, SurveyorError
from surveyor.names import DEFAULT_RULES
from surveyor.review.submission_values import Submission, Submitter, read

PUBLIC = Submitter.public("192.0.2.1")


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", BadInput),
        ("   ", BadInput),
        ("x" * 3_000, BadInput),
        ("javascript:alert(1)", SurveyorError),
        ("file:///etc/passwd", NotAUrl),
        ("ftp://example.org/x", NotAUrl),
        ("gopher://example.org/x", NotAUrl),
        ("data:text/html,x", SurveyorError),
        ("view-source:https://example.org/x", SurveyorError),
        ("http://127.0.0.1/x", NotADomain),
        ("http://169.254.169.254/latest", NotADomain),
        ("localhost", NotADomain),
        ("http://[::1]/", NotADomain),
        ("co.uk", NotADomain),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else "",
)
def test_what_is_no_domain_of_the_public_web_is_refused_in_one_line(
    text: str, error: type[Exception]
) -> None:
    with pytest.raises(error) as refused:
        read(Submission(text), PUBLIC, DEFAULT_RULES)
    assert "\n" not in str(refused.value)


def test_a_password_in_a_url_goes_no_further() -> None:
    named = read(Submission("https://user:canary@example.org/x"), PUBLIC, DEFAULT_RULES)
    assert (named.domain, named.url) == ("example.org", "https://example.org/x")


@given(st.text(max_size=200) | st.from_regex(r"[a-z]{1,8}:(//)?[ -~]{0,40}", fullmatch=True))
@settings(max_examples=300)
def test_any_text_names_a_domain_or_is_refused_by_one_of_our_errors(text: str) -> None:
    try:
        named = read(Submission(text), PUBLIC, DEFAULT_RULES)
    except SurveyorError as error:
        assert "\n" not in str(error)
        return
    assert named.domain and named.target.startswith("/")
    assert named.url is None or named.url.startswith(("http://", "https://"))
