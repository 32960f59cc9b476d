"""Buttons that show more of a list: which of them are pressed, and how often."""

from __future__ import annotations

import json
from typing import Final

# Times that one page's buttons are pressed, at most: each brings a further part of a list.
MOST = 5
# What such buttons say, in lower case, from its beginning on.
_SAY: Final = (
    "load more",
    "show more",
    "view more",
    "see more",
    "more results",
    "mehr laden",
    "mehr anzeigen",
    "weitere laden",
    "weitere anzeigen",
    "weitere ergebnisse",
    "charger plus",
    "afficher plus",
    "voir plus",
    "cargar más",
    "ver más",
    "mostrar más",
    "carregar mais",
    "ver mais",
    "mostrar mais",
    "carica altri",
    "mostra altri",
    "mostra altro",
    "meer laden",
    "meer tonen",
    "pokaż więcej",
    "załaduj więcej",
    "načíst další",
    "zobrazit další",
    "покажи още",
    "зареди още",
    "показать ещё",
    "прикажи повеќе",
    "вчитај повеќе",
)
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
})()""".replace("SAYS", json.dumps(_SAY))
