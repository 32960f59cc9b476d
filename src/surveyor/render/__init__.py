"""Pages that are empty without scripts, shown by a browser that has no network of its own.

- `embedded`: the page's data is in its own markup as JSON: read it, no browser needed.
- `Renderer`: one browser per worker, started when a page first needs it, replaced when it hangs or dies.
- `policy`: what a page may ask for while it is shown.

Every request of a page is taken out of the browser and answered by the caller, who keeps the guard,
robots.txt, the delay and the budgets. What is not taken out meets `refusing_proxy`.

The browser is the Chromium of the machine; we talk to it in its debugging protocol (`devtools`).
"""

from surveyor.render.values import Ask, Browsed, NoBrowser, PageToRender, Rendered, RenderFailed

__all__ = ["Ask", "Browsed", "NoBrowser", "PageToRender", "RenderFailed", "Rendered"]
