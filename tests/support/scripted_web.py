"""Three sites that are empty without scripts, and hostile ones, on loopback; every request is remembered.

`routed.example` draws its pages by the path (client-side routing) out of one script, `fetched.example` asks
for its data, `embedded.example` carries it.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SHELL = (
    '<!doctype html><html lang="en"><head><title>{title}</title>{head}</head>'
    '<body><div id="app"></div>{body}</body></html>'
)
# What a curator would find: the pages of each site, and words that stand on them once scripts ran.
TRUTH: dict[str, dict[str, str]] = {
    "routed.example": {
        "/": "Grants for village libraries",
        "/programmes": "Up to 4,000 EUR for each library",
        "/contact": "Write to office@routed.example",
    },
    "fetched.example": {
        "/": "Scholarships of the fetched foundation",
        "/calls/1": "The first call closes on 3 March 2027",
        "/calls/2": "The second call closes on 4 April 2027",
        "/calls/3": "The third call stands behind a button and closes on 5 May 2027",
        "/sitemap": "All pages of the fetched foundation",
        "/calls/4": "The fourth call is named in a list of pages only, which a script writes",
    },
    "embedded.example": {
        "/": "The embedded fund supports schools",
        "/grants/small": "Small grants of 900 EUR for one school year",
    },
}
# On /calls/2 of fetched.example, one below the other; a script sets their addresses when they are in sight.
LATE_IMAGES = [f"/images/{number}.jpg" for number in range(4)]
FILLING = "We are a foundation in a small town and give money to people who teach children to read. " * 4


def routed() -> dict[str, tuple[str, str]]:
    links = "".join(f'<a href="{path}">{path}</a> ' for path in TRUTH["routed.example"])
    script = (
        f"const pages = {json.dumps(TRUTH['routed.example'])};"
        f"const text = pages[location.pathname] || 'nothing here';"
        f"document.getElementById('app').innerHTML = "
        f"'<nav>{links}</nav><main><h1>' + text + '</h1><p>{FILLING}</p></main>';"
    )
    page = SHELL.format(title="Routed", head="", body='<script src="/app.js"></script>')
    answers = dict.fromkeys(TRUTH["routed.example"], ("text/html", page))
    return answers | {"/app.js": ("text/javascript", script)}


def fetched() -> dict[str, tuple[str, str]]:
    script = """
    const show = (data) => {
      const links = data.links.map((to) => `<a href="${to}">${to}</a>`).join(' ');
      const main = `<main><h1>${data.title}</h1><p>${data.text}</p>${links}</main>`;
      document.getElementById('app').innerHTML = main;
      const button = '<button onclick="more()">Load more</button>';
      if (location.pathname === '/calls/2') gallery();
      if (data.more) document.getElementById('app').innerHTML += button;
    };
    const gallery = () => {
      const seen = new IntersectionObserver((all) => all.forEach((each) => {
        if (each.isIntersecting) each.target.src = each.target.title;
      }));
      for (const name of LATE) {
        const image = document.createElement('img');
        image.title = name;
        image.style = 'display: block; height: 5000px';
        document.querySelector('main').append(image);
        seen.observe(image);
      }
    };
    const more = () => fetch('/api/more.json').then((answer) => answer.json()).then((found) =>
      document.querySelector('main').insertAdjacentHTML('beforeend', `<a href="${found}">the third</a>`));
    fetch('/api' + location.pathname + '.json').then((answer) => answer.json()).then(show);
    """.replace("LATE", json.dumps(LATE_IMAGES))
    page = SHELL.format(
        title="Fetched", head='<link rel="stylesheet" href="/style.css">', body=f"<script>{script}</script>"
    )
    answers: dict[str, tuple[str, str]] = {}
    for path, text in TRUTH["fetched.example"].items():
        hidden = ("/calls/3",) if path == "/sitemap" else ("/calls/3", "/calls/4")
        links = [each for each in TRUTH["fetched.example"] if each not in hidden]
        data = {"title": text, "text": FILLING, "links": links, "more": path == "/"}
        answers[path] = ("text/html", page)
        answers[f"/api{path}.json"] = ("application/json", json.dumps(data))
    answers["/sitemap.xml"] = ("text/html", page)  # as front ends answer that send one page for every address
    return answers | {"/api/more.json": ("application/json", '"/calls/3"')}


def embedded() -> dict[str, tuple[str, str]]:
    answers = {}
    for path, text in TRUTH["embedded.example"].items():
        more = [{"href": to} for to in TRUTH["embedded.example"]]
        state = {"props": {"title": text, "body": f"<p>{FILLING}</p>", "more": more}, "buildId": "a b c"}
        data = f'<script id="__NEXT_DATA__" type="application/json">{json.dumps(state)}</script>'
        body = data + '<script src="/app.js"></script>'
        answers[path] = ("text/html", SHELL.format(title="Embedded", head="", body=body))
    return answers


SITES = {"routed.example": routed, "fetched.example": fetched, "embedded.example": embedded}


@dataclass
class ScriptedWeb:
    port: int
    asked: list[tuple[str, str]] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str]:
        hosts = {name: f"127.0.0.1:{self.port}" for site in self.names for name in (site, f"www.{site}")}
        return {"SURVEYOR_NET__HOSTS": json.dumps(hosts), "SURVEYOR_NET__ALLOW": '["127.0.0.0/8"]'}

    names: tuple[str, ...] = ()

    def targets(self, host: str) -> list[str]:
        return [target for name, target in self.asked if name == host]


@contextmanager
def scripted_web(more: Mapping[str, Mapping[str, tuple[str, str]]] | None = None) -> Iterator[ScriptedWeb]:
    answers = {name: make() for name, make in SITES.items()} | dict(more or {})
    web = ScriptedWeb(0, names=tuple(answers))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            host = (self.headers.get("Host") or "").split(":")[0].removeprefix("www.")
            web.asked.append((host, self.path))
            kind, text = answers.get(host, {}).get(self.path, ("", ""))
            body = text.encode()
            self.send_response(200 if kind else 404)
            self.send_header("Content-Type", kind or "text/plain")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            """Tests look at `asked`."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    web.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield web
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
