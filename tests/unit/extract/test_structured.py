"""Marks for programs as pages of the world write them: right, nested, referring to each other, broken."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from surveyor.extract.structured import address_text, hours_text
from surveyor.extract.structured.marks import MICRODATA, RDFA, linked_data, marked_items, meta_elements
from surveyor.extract.structured.values import Item
from surveyor.extract.values import Source


def items_of(script: str) -> list[Item]:
    return linked_data(LexborHTMLParser(f'<script type="application/ld+json">{script}</script>'))


def test_a_graph_gives_its_items_and_references_are_put_in_place() -> None:
    page, owner = items_of(
        '{"@context": "https://schema.org", "@graph": [{"@type": "WebPage", "publisher": {"@id": "#us"}},'
        '{"@id": "#us", "@type": ["NGO", "schema:Organization"], "name": "Reed Trust"}]}'
    )
    assert page.items("publisher") == [owner]
    assert owner.types == ("NGO", "Organization")
    assert page.text("publisher") == "Reed Trust"


def test_every_script_of_a_page_is_read() -> None:
    both = linked_data(
        LexborHTMLParser(
            '<script type="application/ld+json">{"@type":"NGO","name":"A"}</script>'
            '<SCRIPT TYPE="Application/LD+JSON">[{"@type":"Person","name":"B"}]</SCRIPT>'
        )
    )
    assert [one.text("name") for one in both] == ["A", "B"]


BROKEN = {
    "a comma too many": '{"@type": "NGO", "name": "Reed Trust",}',
    "a comma forgotten": '{"@type": "NGO"\n "name": "Reed Trust"}',
    "comments": '/* ours */ {"@type": "NGO", // kind\n "name": "Reed Trust"}',
    "a comment for old browsers": '<!--\n{"@type": "NGO", "name": "Reed Trust"}\n-->',
    "entities": "{&quot;@type&quot;: &quot;NGO&quot;, &quot;name&quot;: &quot;Reed Trust&quot;}",
    "a line break in a text": '{"@type": "NGO", "name": "Reed\nTrust"}',
    "no end": '{"@type": "NGO", "name": "Reed Trust", "sameAs": ["https://a.example"',
    "a semicolon": '{"@type": "NGO", "name": "Reed Trust"};',
    "two values": '{"@type": "NGO", "name": "Reed Trust"}{"@type": "WebSite"}',
    "a bracket too many": '{"@type": "NGO", "name": "Reed Trust"}}',
    "CDATA": '//<![CDATA[\n{"@type": "NGO", "name": "Reed Trust"}\n//]]>',
    "a bare word": '{"@type": NGO, "name": "Reed Trust"}',
}


@pytest.mark.parametrize("script", BROKEN.values(), ids=BROKEN.keys())
def test_what_is_slightly_broken_is_read_as_it_was_meant(script: str) -> None:
    first = items_of(script)[0]
    assert (first.types, first.text("name")) == (("NGO",), "Reed Trust")


def test_quotes_within_a_text_do_not_end_it() -> None:
    assert (
        items_of('{"@type": "NGO", "name": "The "Reed" Trust", "x": 1}')[0].text("name") == 'The "Reed" Trust'
    )


def test_microdata_nests_and_takes_in_what_it_refers_to() -> None:
    trust, _address = marked_items(
        LexborHTMLParser(
            """<div itemscope itemtype="https://schema.org/NGO" itemref="tel">
            <a itemprop="name url" href="/">Reed</a>
            <p itemprop="address" itemscope itemtype="http://schema.org/PostalAddress">
            <span itemprop="streetAddress">1 Quay<br>Shed 2</span>
            <span itemprop="addressLocality">Wells</span></p>
            <meta itemprop="email" content="a@reed.example"></div>
            <p id="tel">Call <a itemprop="telephone" href="tel:+4412">us</a></p>"""
        ),
        MICRODATA,
    )
    assert (trust.text("name"), trust.text("url"), trust.text("email")) == ("Reed", "/", "a@reed.example")
    assert trust.text("telephone") == "+4412"
    assert address_text(trust.items("address")[0]) == "1 Quay Shed 2, Wells"


def test_rdfa_is_read_like_microdata() -> None:
    (item,) = marked_items(
        LexborHTMLParser(
            '<div vocab="https://schema.org/" typeof="Library">'
            '<b property="schema:name">Old Reading Room</b></div>'
        ),
        RDFA,
    )
    assert (item.types, item.text("name")) == (("Library",), "Old Reading Room")


def test_the_first_meta_element_of_a_name_counts() -> None:
    tree = LexborHTMLParser(
        '<meta property="OG:Title" content=" One ">'
        '<meta name="og:title" content="Two"><meta name=x content="">'
    )
    assert meta_elements(tree) == {"og:title": "One"}


ADDRESSES = {
    "DE": (
        "Am Markt 3, 10115 Berlin",
        {"postalCode": "10115", "addressLocality": "Berlin", "addressCountry": "DE"},
    ),
    "US": (
        "Am Markt 3, Reno, NV 89501",
        {"postalCode": "89501", "addressLocality": "Reno", "addressRegion": "NV", "addressCountry": "US"},
    ),
    "spelled out": (
        "Am Markt 3, 1000 Sofia, Bulgaria",
        {
            "postalCode": "1000",
            "addressLocality": "Sofia",
            "addressCountry": {"@type": "Country", "name": "Bulgaria"},
        },
    ),
}


@pytest.mark.parametrize(("written", "parts"), ADDRESSES.values(), ids=ADDRESSES.keys())
def test_an_address_is_joined_as_its_country_writes_it(written: str, parts: dict[str, object]) -> None:
    (item, *_) = items_of(
        json.dumps({"address": {"@type": "PostalAddress", "streetAddress": "Am Markt 3"} | parts})
    )
    assert address_text(item.items("address")[0]) == written


def test_opening_hours_are_written_out() -> None:
    (item, *_) = items_of(
        json.dumps(
            {
                "openingHours": ["Mo-Fr 09:00-17:00"],
                "openingHoursSpecification": [
                    {"dayOfWeek": ["https://schema.org/Saturday"], "opens": "10:00:00", "closes": "T12:30"},
                    {"dayOfWeek": "Sunday", "opens": "00:00", "closes": "00:00"},
                    {"dayOfWeek": ["Mo", "Tu", "We"], "opens": "18:00", "closes": "20:00"},
                    {"opens": "18:00", "closes": "20:00"},
                ],
            }
        )
    )
    assert hours_text(item) == (
        "Monday-Friday 09:00-17:00; Saturday 10:00-12:30; Sunday closed; Monday-Wednesday 18:00-20:00"
    )


def test_depth_and_number_are_bounded() -> None:
    assert len(items_of('{"a":' * 5_000 + "1" + "}" * 5_000)) <= 41
    assert len(items_of("[" + '{"name":"x"},' * 5_000 + "1]")) <= 2_000
    assert items_of('{"a":[[' * 100_000) is not None


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["@type", "@id", "@graph", "@value", "name", "address"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@settings(max_examples=60, deadline=None)
@given(value=_JSON, cut=st.integers(0, 200))
def test_any_value_whole_or_cut_gives_items_or_nothing(value: object, cut: int) -> None:
    text = json.dumps(value)
    for script in (text, text[:cut], text[cut:]):
        for item in items_of(script):
            assert item.source is Source.JSON_LD
            item.texts("name")
            hours_text(item)
            [address_text(one) for one in item.values.get("address", [])]


@settings(max_examples=60, deadline=None)
@given(
    names=st.dictionaries(
        st.sampled_from(["name", "email", "url"]), st.text(alphabet='ab "\\{}[],:', max_size=12)
    )
)
def test_a_trailing_comma_changes_nothing(names: dict[str, str]) -> None:
    plain = json.dumps({"@type": "NGO"} | names)
    assert items_of(plain[:-1] + ",}")[0].values == items_of(plain)[0].values


def test_an_element_that_two_items_refer_to_belongs_to_both() -> None:
    found = marked_items(
        LexborHTMLParser(
            '<div itemscope itemtype="https://schema.org/NGO" itemref="a"><b itemprop="name">Reed</b></div>'
            '<div itemscope itemtype="https://schema.org/School" itemref="a"><b itemprop="name">Ash</b></div>'
            '<p id="a"><span itemprop="telephone">303 555 0171</span></p>'
        ),
        MICRODATA,
    )
    assert [(one.text("name"), one.text("telephone")) for one in found] == [
        ("Reed", "303 555 0171"),
        ("Ash", "303 555 0171"),
    ]


def test_an_object_tells_its_address() -> None:
    found = marked_items(
        LexborHTMLParser(
            '<div itemscope itemtype="https://schema.org/NGO"><object itemprop="logo" data="/l.svg"></object>'
        ),
        MICRODATA,
    )
    assert [one.text("logo") for one in found] == ["/l.svg"]


def test_more_than_forty_scripts_are_read() -> None:
    scripts = "".join(
        f'<script type="application/ld+json">{{"@type": "Event", "name": "{number}"}}</script>'
        for number in range(60)
    )
    assert [one.text("name") for one in linked_data(LexborHTMLParser(scripts))][-1:] == ["59"]
