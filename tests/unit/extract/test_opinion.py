"""The second opinion on what is content: asked where a choice looks wrong, heard where it is sure."""

from __future__ import annotations

import pytest

from surveyor.extract.layout import opinion
from surveyor.extract.layout.units import Unit, units_of
from surveyor.extract.parsing import laid_out, tree_of
from tests.unit.extract.conftest import Parse
from tests.unit.extract.test_parsing import main_text

TOLD = "The fund gives money to villages that plant orchards, hedges and rows of old trees along their paths."
SAID = "I planted one of these trees, and it stands there to this day."
ARTICLE = f"<h1>Orchards</h1><div>{f'<p>{TOLD}</p>' * 12}</div>"
REMARKS = f'<div class="comments">{f"<div><p>{SAID}</p></div>" * 40}</div>'
SCATTERED = f"<body>{ARTICLE}{REMARKS}</body>"
WHOLE = f'<body>{ARTICLE}<div class="comments"><p>{SAID}</p></div></body>'


def _say(monkeypatch: pytest.MonkeyPatch, value: float) -> None:
    monkeypatch.setattr(opinion, "forest", lambda: [value])


@pytest.mark.parametrize(("value", "is_kept"), [(5.0, True), (1.0, False), (-1.0, False)])
def test_only_a_sure_opinion_brings_back_what_the_rules_leave_out(
    value: float, is_kept: bool, parsed: Parse, monkeypatch: pytest.MonkeyPatch
) -> None:
    _say(monkeypatch, value)
    assert (SAID in main_text(parsed(SCATTERED))) is is_kept
    assert TOLD in main_text(parsed(SCATTERED))


def test_only_a_sure_opinion_takes_away_and_never_the_headline(
    parsed: Parse, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = [-5.0, 0.0]  # of units that are told in sentences, and of others
    tree: opinion.Tree = (2, 0.5, own[0], own[1])
    monkeypatch.setattr(opinion, "forest", lambda: [tree])
    page = parsed(f"<body>{ARTICLE}<p>{TOLD}</p><p>Trees</p>{REMARKS}</body>")
    assert "Trees" not in main_text(page)
    assert main_text(page).startswith(f"Orchards\n{TOLD}")


def test_an_opinion_that_leaves_nothing_is_not_heard(parsed: Parse, monkeypatch: pytest.MonkeyPatch) -> None:
    _say(monkeypatch, -5.0)
    assert main_text(parsed(SCATTERED)).count(TOLD) == 12


def test_nothing_is_asked_where_the_rules_keep_what_stands_together(
    parsed: Parse, monkeypatch: pytest.MonkeyPatch
) -> None:
    _say(monkeypatch, -5.0)
    assert main_text(parsed(WHOLE)).count(TOLD) == 12


def test_a_short_page_is_left_to_the_rules(parsed: Parse, monkeypatch: pytest.MonkeyPatch) -> None:
    _say(monkeypatch, 5.0)
    remarks = f'<div class="comments">{f"<div><p>{SAID}</p></div>" * 5}</div>'
    assert SAID not in main_text(parsed(f"<body><h1>Orchards</h1><p>{TOLD}</p>{remarks}</body>"))


def test_a_tree_is_walked_by_its_limits() -> None:
    tree: opinion.Tree = (0, 1.0, (1, 5.0, -9.0, 0.0), 9.0)
    units = [Unit(0, 1, facts) for facts in ([1.0, 5.0], [1.0, 6.0], [2.0, 0.0])]
    chances = [opinion.chance_of(unit, [tree]) for unit in units]
    assert chances == pytest.approx([0.0001, 0.5, 0.9999], abs=1e-4)


def test_the_trees_ask_for_facts_that_there_are(parsed: Parse) -> None:
    layout = laid_out(tree_of(parsed(SCATTERED).page))
    facts = len(units_of(layout, None)[0].facts)
    assert facts * 2 // 3 < max(map(_last_fact, opinion.forest())) < facts


def _last_fact(tree: opinion.Tree) -> int:
    return max(tree[0], _last_fact(tree[2]), _last_fact(tree[3])) if isinstance(tree, tuple) else -1
