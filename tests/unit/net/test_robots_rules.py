"""What the rules say besides yes and no, what they do with hostile files, and what always holds."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surveyor.net.robots_rules import MAX_BYTES, RobotsRules, cut, product_token

AGENT = "Surveyor/0.1 (+https://example.org/bot)"


def rules(text: str | bytes, agent: str = AGENT) -> RobotsRules:
    return RobotsRules.parse(text if isinstance(text, bytes) else text.encode(), agent)


def everybody(*lines: str) -> str:
    return "\n".join(("User-agent: *", *lines))


@pytest.mark.parametrize(
    ("agent", "token"),
    [
        ("Surveyor/0.1", "surveyor"),
        ("surveyor", "surveyor"),
        ("My_Own-Bot (+mailto:a@b.org)", "my_own-bot"),
        ("Mozilla/5.0 (compatible; Surveyor/1.0; +https://x.org)", "surveyor"),
        ("Mozilla/5.0 (X11)", "mozilla"),
        ("(nobody)", ""),
    ],
)
def test_the_product_token_is_the_name_in_the_user_agent(agent: str, token: str) -> None:
    assert product_token(agent) == token


def test_an_agent_without_a_name_follows_what_is_asked_of_everybody() -> None:
    assert not rules("User-agent: ()\nAllow: /\n" + everybody("Disallow: /"), "(nobody)").allows("/a")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_a_file_saved_as_utf_16_is_read(encoding: str) -> None:
    assert not rules("User-agent: *\r\nDisallow: /a\r\n".encode(encoding)).allows("/a")


def test_octets_that_are_no_utf_8_are_matched_as_they_are() -> None:
    found = rules(b"User-agent: *\nDisallow: /caf\xe9")
    assert not found.allows("/caf%E9")
    assert found.allows("/café")


# Delays


@pytest.mark.parametrize(
    ("text", "delay"),
    [
        (everybody("Crawl-delay: 10"), 10.0),
        (everybody("Crawl-delay: 0.5"), 0.5),
        (everybody("Crawl-delay: .5"), 0.5),
        (everybody("Crawl-delay: 2,5"), 2.5),
        (everybody("crawl-delay:7 # seconds"), 7.0),
        (everybody("Crawl-delay: 10s"), 10.0),
        (everybody("Crawl-delay: 3", "Crawl-delay: 8", "Crawl-delay: 5"), 8.0),
        (everybody("Crawl-delay: -3"), None),
        (everybody("Crawl-delay: soon"), None),
        (everybody("Crawl-delay: nan"), None),
        (everybody("Crawl-delay:"), None),
        ("Crawl-delay: 5", None),
        ("User-agent: other\nCrawl-delay: 5", None),
        (everybody("Crawl-delay: 5") + "\nUser-agent: surveyor\nDisallow: /a", None),
        (everybody("Crawl-delay: 5") + "\nUser-agent: surveyor\nCrawl-delay: 2", 2.0),
        ("User-agent: other\nCrawl-delay: 5\n" + everybody("Disallow: /a"), None),
        (everybody("Disallow: /a", "User-agent: other", "Crawl-delay: 5"), None),
        (everybody("Crawl-delay: 1", "User-agent: other", "Crawl-delay: 5"), 1.0),
        ("User-agent: other\n" + everybody("Disallow: /a", "Crawl-delay: 5"), 5.0),
    ],
)
def test_crawl_delay_is_read_for_those_it_is_meant_for(text: str, delay: float | None) -> None:
    assert rules(text).crawl_delay == delay


@pytest.mark.parametrize(
    ("rate", "delay"),
    [
        ("1/5", 5.0),
        ("1/5s", 5.0),
        ("30/1m", 2.0),
        ("1/2H", 7200.0),
        ("1/10 0600-0845", 10.0),
        ("0/5", None),
        ("x", None),
        ("5", None),
    ],
)
def test_request_rate_becomes_a_delay(rate: str, delay: float | None) -> None:
    assert rules(everybody(f"Request-rate: {rate}")).request_delay == delay


def test_the_delay_is_the_larger_of_both() -> None:
    assert rules(everybody("Crawl-delay: 3", "Request-rate: 1/9")).delay == 9.0
    assert rules(everybody("Crawl-delay: 3")).delay == 3.0
    assert rules(everybody("Disallow: /")).delay is None


def test_sitemaps_are_kept_once_each_wherever_they_stand() -> None:
    text = "Sitemap: https://x.org/1.xml\nUser-agent: other\nDisallow: /\nsite-map: /2.xml\nSitemap: https://x.org/1.xml\nSitemap:\n"
    assert rules(text).sitemaps == ("https://x.org/1.xml", "/2.xml")


# What people are told


@pytest.mark.parametrize(
    ("lines", "denies"),
    [
        (["Disallow: /"], True),
        (["Disallow: *"], True),
        (["Disallow: /*"], True),
        (["Disallow: /*$"], True),
        (["Disallow: *$"], True),
        (["Disallow: /", "Disallow: /a", "Crawl-delay: 3"], True),
        (["Disallow: /*", "Allow: /"], True),  # the star outweighs it everywhere
        (["Disallow: /", "Allow: /"], False),
        (["Disallow: /", "Allow: /a"], False),
        (["Disallow: /", "Allow: /$"], False),
        (["Disallow: /", "Allow: *.html"], False),
        (["Disallow: /$"], False),
        (["Disallow: /a"], False),
        (["Disallow:"], False),
        (["Allow: /"], False),
    ],
)
def test_a_site_that_denies_everything_is_known_as_such(lines: list[str], denies: bool) -> None:
    assert rules(everybody(*lines)).denies_all is denies


def test_the_deciding_line_is_named() -> None:
    found = rules(everybody("# a comment", "Disallow: /Käse*", "Allow: /Käse/gut$"))
    assert found.rule_for("/K%C3%A4se/alt") == "Disallow: /Käse* (line 3)"
    assert found.rule_for("/Käse/gut") == "Allow: /Käse/gut$ (line 4)"
    assert found.rule_for("/brot") is None
    assert rules("").rule_for("/") is None


def test_the_deciding_line_is_safe_and_short_on_a_terminal() -> None:
    told = rules("User-agent: *\nDisallow: /\x1b[31m" + "a" * 500).rule_for("/%1B%5B31m" + "a" * 500)
    assert told is None  # `[` and its code differ, as reserved characters do
    told = rules("User-agent: *\nDisallow: /\x1b" + "a" * 500).rule_for("/%1B" + "a" * 500)
    assert told is not None and told.isprintable() and len(told) < 240


# Size


def padded(size: int) -> bytes:
    """A file of `size` octets whose last line is `Disallow: /last`, without a line end."""
    first, last = b"User-agent: *\nDisallow: /first\n#", b"\nDisallow: /last"
    return first + b"x" * (size - len(first) - len(last)) + last


@pytest.mark.parametrize(
    ("size", "obeyed"),
    [
        (MAX_BYTES - 1, True),
        (MAX_BYTES, True),
        (MAX_BYTES + 1, False),
        (511 * 1024, False),
        (512 * 1024, False),
        (513 * 1024, False),
    ],
)
def test_lines_past_the_limit_are_not_read(size: int, obeyed: bool) -> None:
    found = rules(padded(size))
    assert found.allows("/last") is not obeyed
    assert not found.allows("/first")


def test_a_line_that_the_limit_cuts_is_dropped_whole() -> None:
    body = padded(MAX_BYTES + 3)
    assert cut(body).endswith(b"x")
    assert rules(body).allows("/la")


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_a_line_that_ends_just_at_the_limit_is_read(end: bytes) -> None:
    body = padded(MAX_BYTES) + end + b"Disallow: /after\n"
    assert cut(body) == padded(MAX_BYTES)
    assert cut(cut(body)) == cut(body)


def test_one_line_of_fifty_megabytes_is_nothing() -> None:
    assert cut(b"x" * 50_000_000) == b""


# Hostile patterns. Each takes milliseconds; a matcher that goes back over its steps would not end at all.


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(["Disallow: /" + "*a" * 40 + "*b"], id="one pattern of many stars"),
        pytest.param(["Disallow: /" + "*a" * 40 + "*b$"] * 200, id="many patterns of many stars"),
        pytest.param(["Disallow: /" + "*" * 100_000 + "b"], id="stars beside each other"),
        pytest.param(
            [f"Disallow: /*{'a' * 25}b{'a' * 24}{n}" for n in range(500)], id="pieces that nearly match"
        ),
        pytest.param([f"Disallow: /*{n}b" for n in range(22_000)], id="as many patterns as fit"),
    ],
)
def test_no_pattern_burns_time(lines: list[str]) -> None:
    assert not rules(everybody(*lines, "Disallow: /*$")).allows("/" + "a" * 300)


def test_where_trying_would_take_too_long_the_answer_is_no() -> None:
    found = rules(everybody(*(f"Disallow: /*{n}x" for n in range(30_000))))
    assert found.allows("/short")
    assert not found.allows("/" + "a" * 10_000)
    assert found.rule_for("/" + "a" * 10_000) == "too many wildcards for so long an address"


# Properties

PATHS = st.text("ab/.", max_size=8).map(lambda text: f"/{text}")
PATTERNS = st.tuples(st.sampled_from("/*"), st.text("ab/.*", max_size=7), st.sampled_from(["", "$"])).map(
    "".join
)
RULES = st.lists(st.tuples(st.booleans(), PATTERNS), max_size=6)


def written(group: list[tuple[bool, str]]) -> str:
    return everybody(*(f"{'Allow' if allow else 'Disallow'}: {pattern}" for allow, pattern in group))


def slow_verdict(group: list[tuple[bool, str]], target: str) -> bool:
    """The RFC's words as regular expressions."""
    matching = [
        (len(pattern), allow)
        for allow, pattern in group
        if re.match(re.escape(pattern).replace(r"\*", ".*").replace(r"\$", r"\Z"), target)
    ]
    return max(matching, default=(0, True))[1]


@settings(max_examples=500)
@given(RULES, PATHS)
def test_the_matcher_agrees_with_a_slow_one(group: list[tuple[bool, str]], target: str) -> None:
    assert rules(written(group)).allows(target) is slow_verdict(group, target)


@given(RULES, st.lists(PATHS, min_size=1, max_size=5))
def test_where_all_is_denied_nothing_is_allowed(group: list[tuple[bool, str]], targets: list[str]) -> None:
    found = rules(written(group))
    assert not found.denies_all or not any(map(found.allows, targets))


@given(st.lists(PATHS), PATHS)
def test_allowing_just_this_address_allows_it(denied: list[str], target: str) -> None:
    assert rules(everybody(*(f"Disallow: {path}" for path in denied), f"Allow: {target}$")).allows(target)


@given(RULES, PATHS, st.data())
def test_codes_that_are_not_needed_change_nothing(
    group: list[tuple[bool, str]], target: str, data: st.DataObject
) -> None:
    spelt = "".join(
        data.draw(st.sampled_from([ch, f"%{ord(ch):02x}", f"%{ord(ch):02X}"])) if ch != "/" else ch
        for ch in target
    )
    found = rules(written(group))
    assert found.allows(spelt) is found.allows(target)


@given(st.binary(max_size=400), st.text(max_size=30))
def test_parsing_takes_anything(body: bytes, target: str) -> None:
    for text in (body, b"User-agent: *\nDisallow: /" + body + b"\nAllow: *" + body[::-1]):
        found = rules(text)
        assert found.allows(target) in (True, False)
        assert found.rule_for(target) is None or found.rule_for(target)


def test_a_no_break_space_of_an_older_encoding_is_a_blank_too() -> None:
    found = rules(b"User-agent:\xa0*\nDisallow:\xa0/caf\xe9\xa0\nCrawl-delay:\xa07\nSitemap:\xa0/s.xml\xa0\n")
    assert not found.allows("/caf%E9") and found.allows("/caf")
    assert (found.delay, found.sitemaps) == (7.0, ("/s.xml",))


def test_comments_without_end_cost_no_more_than_their_length() -> None:
    assert rules(b"<!--" * 100_000 + b"\nUser-agent: *\nDisallow: /a").allows("/b")
    assert rules(b"<!---->" * 60_000 + b"\nUser-agent: *\nDisallow: /a").allows("/b")


@given(RULES)
def test_line_ends_change_nothing(group: list[tuple[bool, str]]) -> None:
    text = written(group)
    for end in ("\r", "\r\n"):
        found = rules(text.replace("\n", end))
        assert [found.rule_for(t) for t in ("/", "/a", "/b/a")] == [
            rules(text).rule_for(t) for t in ("/", "/a", "/b/a")
        ]
