"""What a page hides from machines and shows to people stands in its text, and nothing else does."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from surveyor.extract.fields import emails
from surveyor.extract.parsing import deobfuscate

ADDRESS = "ana@willow.example"
_PROXY = "42" + "".join(f"{byte ^ 0x42:02x}" for byte in ADDRESS.encode())
HIDDEN = {
    "a proxy": f'<a href="/cdn-cgi/l/email-protection" data-cfemail="{_PROXY}">[email&#160;protected]</a>',
    "a proxy's link": f'<a href="/cdn-cgi/l/email-protection#{_PROXY}">write</a>',
    "a picture": 'ana<img src="at.gif" alt="(at)">willow.example',
    "a picture without words": 'ana<img src="/img/klammeraffe.png" alt="">willow.example',
    "backwards by style": '<b style="unicode-bidi:bidi-override; direction: rtl">elpmaxe.wolliw@ana</b>',
    "backwards by class": "<style>.r{direction:rtl;unicode-bidi:bidi-override}</style>"
    '<b class="r">elpmaxe.wolliw@ana</b>',
    "base64": '<span data-mail="YW5hQHdpbGxvdy5leGFtcGxl"></span>',
    "parts": '<span data-user="ana" data-domain="willow" data-tld="example"></span>',
    "a click": "<a href=# onclick=\"this.href='mailto:'+'ana'+'@'+'willow.example'\">write</a>",
    "document.write": "<script>document.write('<b>' + 'ana' + '@' + 'willow' + '.example' + '</b>')</script>",
    "signs as numbers": "<script>el.innerHTML = 'ana&#64;willow\\x2eexample'</script>",
    "a system's shift": "<a href=\"javascript:linkTo_UnCryptMailto('nbjmup+bobAxjmmpx/fybnqmf');\">write</a>",
}


def addresses_of(html: str) -> list[str]:
    tree = LexborHTMLParser(f"<body><p>{html}</p></body>")
    deobfuscate(tree, html.encode())
    links = [link for node in tree.css("a[href]") for link in emails.of_link(node.attributes["href"] or "")]
    for node in tree.css("script,style"):
        node.decompose()
    text = tree.body.text() if tree.body is not None else ""
    return [*(one.value for one in emails.find(emails.unmasked(text))), *links]


@pytest.mark.parametrize("html", HIDDEN.values(), ids=HIDDEN.keys())
def test_a_hidden_address_is_put_in_plain(html: str) -> None:
    assert set(addresses_of(html)) == {ADDRESS}


@pytest.mark.parametrize(
    "html",
    [
        '<script>var settings = {"support": "ana@willow.example"};</script>',
        '<script type="application/json">{"href": "ana@willow.example"}</script>',
        '<input data-mail="YW5hQHdpbGxvdy5leGFtcGxl">',
        '<img src="a.png" alt="at the lake">',
        '<p style="direction:rtl">no address here</p>',
    ],
)
def test_what_nobody_would_see_stays_hidden(html: str) -> None:
    assert addresses_of(html) == []


def test_a_picture_whose_text_is_nothing_but_spaces_costs_nothing() -> None:
    begun = process_time()
    assert addresses_of(f'<img src="a.png" alt="{" " * 20_000}">') == []
    assert addresses_of(f'<img src="a.png" alt="at{" " * 20_000}the lake">') == []
    assert process_time() - begun < 1


def test_a_script_is_not_worked_out() -> None:
    assert addresses_of("<script>document.write('ana' + sign() + 'willow.example')</script>") == []


@settings(max_examples=80, deadline=None)
@given(st.text(alphabet="abc'\"+()[].,;=/\\ @write document.innerHTML join", max_size=120))
def test_no_script_is_too_odd(script: str) -> None:
    addresses_of(f"<script>document.write({script})</script>")


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="<>/=\"' adivscriptmgonclckhref@.data-mail", max_size=200))
def test_no_markup_is_too_odd(html: str) -> None:
    deobfuscate(LexborHTMLParser(html), html.encode())
