"""What a page hides from machines and shows to people stands in its text, and nothing else does."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from surveyor.extract.fields import emails
from surveyor.extract.unveil import unveil
from surveyor.extract.unveil.script import shown_texts

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
    "a click": "<a href=# onclick=\"this.href='mailto:'+['ana','willow.example'].join('@')\">write</a>",
    "a dataset": '<span data-n="ana" data-d="willow.example" '
    "onclick=\"location.href='mailto:'+this.dataset.n+'@'+this.dataset.d\"></span>",
    "document.write": "<script>var a=new Array('ana','willow','example');"
    "document.write('<a href=\"mailto:'+a[0]+'@'+a[1]+'.'+a[2]+'\">x</a>')</script>",
    "innerHTML": "<script>var p='an'+'a&#64;';p=p+'willow'+'&#46;example';"
    "document.getElementById('c').innerHTML+='<a>'+p+'<\\/a>';</script>",
    "codes": "<script>document.write(String.fromCharCode(97,110,97,64)+'willow.example')</script>",
    "turned": "<script>document.write('elpmaxe.wolliw@ana'.split('').reverse().join(''))</script>",
    "atob": "<script>el.textContent = atob('YW5hQHdpbGxvdy5leGFtcGxl')</script>",
    "replaced": "<script>document.write('ana#willow.example'.replace(/#/g, '@'))</script>",
}


def addresses_of(html: str) -> list[str]:
    tree = LexborHTMLParser(f"<body><p>{html}</p></body>")
    unveil(tree)
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


def test_an_unknown_part_makes_the_whole_unknown() -> None:
    assert shown_texts("document.write('ana' + sign() + 'willow.example')") == []


@settings(max_examples=80, deadline=None)
@given(st.text(alphabet="abc'\"+()[].,;=/\\ @write document.innerHTML join", max_size=120))
def test_no_script_is_too_odd(script: str) -> None:
    shown_texts(script, {"a": "b"})
    shown_texts(f"document.write({script})")


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="<>/=\"' adivscriptmgonclckhref@.data-mail", max_size=200))
def test_no_markup_is_too_odd(html: str) -> None:
    unveil(LexborHTMLParser(html))
