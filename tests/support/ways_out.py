"""A page that tries every way a browser knows to reach an address."""

from __future__ import annotations

# Elements that load something; `AT` is the address, with its port.
_MARKUP = (
    '<link rel="dns-prefetch" href="http://AT/1">',
    '<link rel="preconnect" href="http://AT/2">',
    '<link rel="prefetch" href="http://AT/3">',
    '<link rel="preload" as="font" crossorigin href="http://AT/4">',
    '<link rel="modulepreload" href="http://AT/5">',
    '<link rel="icon" href="http://AT/6">',
    '<link rel="manifest" href="http://AT/7">',
    '<link rel="stylesheet" href="http://AT/8">',
    '<script type="speculationrules">{"prefetch":[{"urls":["http://AT/9"]}],'
    '"prerender":[{"urls":["http://AT/10"]}]}</script>',
    '<img src="http://AT/img" srcset="http://AT/11 2x">',
    '<picture><source srcset="http://AT/12"><img></picture>',
    '<iframe src="http://AT/frame"></iframe>',
    '<object data="http://AT/13"></object>',
    '<embed src="http://AT/14">',
    '<video src="http://AT/15" poster="http://AT/16"><track default src="http://AT/17"></video>',
    '<audio src="http://AT/18" autoplay></audio>',
    "<iframe srcdoc=\"&lt;img src='http://AT/19'&gt;\"></iframe>",
    '<iframe src="file:///etc/passwd"></iframe>',
    '<iframe src="chrome://version"></iframe>',
    '<iframe src="view-source:http://AT/20"></iframe>',
    '<iframe src="data:text/html,<img src=http://AT/21>"></iframe>',
    '<iframe src="blob:http://AT/22"></iframe>',
    "<iframe src=\"javascript:fetch('http://AT/23')\"></iframe>",
    '<input type="image" src="http://AT/24">',
    '<svg><image href="http://AT/25"/><use href="http://AT/26#x"/></svg>',
    '<div style="background:url(http://AT/27);list-style:url(http://AT/28);cursor:url(http://AT/29),auto"></div>',
    '<style>@import "http://AT/30";@font-face{font-family:q;src:url(http://AT/31)}p{font-family:q}</style>',
    '<form id="f" action="http://AT/post" method="post" target="_blank"></form>',
    '<a id="ping" ping="http://AT/32" href="#x">x</a>',
    '<meta http-equiv="refresh" content="1;url=http://AT/33">',
    '<math><mtext href="http://AT/34">x</mtext></math>',
    '<script src="http://AT/35"></script>',
    '<script type="module">import "http://AT/36"</script>',
)
_WORKER = "fetch('http://AT/W');new WebSocket('ws://AT/W');importScripts('http://AT/W')"
_SCRIPTS = (
    'fetch("http://AT/fetch")',
    'fetch("http://AT/41", {mode: "no-cors"})',
    'fetch("http://AT/post", {method: "POST", body: "x", keepalive: true})',
    'fetch("http://127.1:PORT/")',
    'fetch("http://2130706433:PORT/")',
    'fetch("http://0x7f.1:PORT/")',
    'fetch("http://localhost:PORT/")',
    'fetch("http://name.localhost:PORT/")',
    'fetch("http://[::ffff:127.0.0.1]:PORT/")',
    'fetch("http://0.0.0.0:PORT/")',
    'fetch("file:///etc/passwd")',
    'fetch("https://AT/42")',
    '(() => { const x = new XMLHttpRequest(); x.open("GET", "http://AT/43"); x.send(); })()',
    '(() => { const x = new XMLHttpRequest(); x.open("GET", "http://AT/44", false); x.send(); })()',
    'navigator.sendBeacon("http://AT/45", "x")',
    'new WebSocket("ws://AT/46")',
    'new WebSocket("wss://AT/47")',
    'new EventSource("http://AT/48")',
    'new WebTransport("https://AT/49")',
    f'new Worker(URL.createObjectURL(new Blob(["{_WORKER}"])))',
    f'new SharedWorker(URL.createObjectURL(new Blob(["{_WORKER}"])))',
    'navigator.serviceWorker.register("/sw.js")',
    'import("http://AT/50")',
    'window.open("http://AT/51")',
    'document.getElementById("f").submit()',
    'document.getElementById("ping").click()',
    '(() => { const i = new Image(); i.src = "http://AT/52"; })()',
    'new FontFace("x", "url(http://AT/53)").load()',
    '(() => { const p = new RTCPeerConnection({iceServers: [{urls: "stun:AT"}, {urls: "turn:AT", '
    'username: "u", credential: "c"}, {urls: "turn:AT?transport=tcp", username: "u", credential: "c"}]}); '
    'p.createDataChannel("x"); p.createOffer().then((o) => p.setLocalDescription(o)); })()',
    'CSS.paintWorklet.addModule("http://AT/54")',
    'new Audio("http://AT/55").play()',
    'caches.open("x").then((c) => c.add("http://AT/56"))',
    'navigator.credentials.get({identity: {providers: [{configURL: "http://AT/57", clientId: "x"}]}})',
    'new Notification("x", {icon: "http://AT/58"})',
    'history.pushState({}, "", "/elsewhere")',
    'location.assign("http://AT/59")',
    'location.replace("chrome://settings")',
    '(() => { location.href = "http://AT/60"; })()',
)
COUNT = len(_MARKUP) + len(_SCRIPTS)


def ways_out(at: str) -> str:
    """The page; `at` is an address with its port."""
    tried = "".join(
        f"<script>try {{ const r = {one}; if (r && r.catch) r.catch(() => 0); }} catch (e) {{}}</script>"
        for one in _SCRIPTS
    )
    page = f"<!doctype html><html><body><p>text</p>{''.join(_MARKUP)}{tried}</body></html>"
    return page.replace("AT", at).replace("PORT", at.rpartition(":")[2])
