"""Buttons that show more of a list: which of them are pressed, and how often."""

from __future__ import annotations

import json
from typing import Final

from surveyor import wordlists

# Times that one page's buttons are pressed, at most: each brings a further part of a list.
MOST = 5
# Links that lead somewhere are links: the crawl follows them.
PRESS: Final = """(() => {
  const says = SAYS;
  const kinds = 'button, [role=button], input[type=button], a:not([href]), a[href="#"]';
  for (const each of [...document.querySelectorAll(kinds)].slice(0, 2000)) {
    const text = (each.innerText || each.value || '').trim().toLowerCase().slice(0, 40);
    if (each.disabled || !each.getClientRects().length || !says.some((one) => text.startsWith(one))) continue;
    each.click();
    return true;
  }
  return false;
})()""".replace("SAYS", json.dumps(wordlists.words("render/buttons", "more")))
