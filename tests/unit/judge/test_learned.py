"""The learned judge: what it learns, that it is the same every time, and what it says of itself."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.errors import BadInput
from surveyor.judge.judges.learned import LearnedJudge
from surveyor.judge.judges.site_kind import SiteKindJudge
from surveyor.judge.learned import quality
from surveyor.judge.learned.features import TEXT, Features, bucket, named, of_reading, pair, site_of
from surveyor.judge.learned.model import Model, in_hundredths, probability, shipped
from surveyor.judge.learned.training import Example, Scored, fitted, left_out, train
from surveyor.judge.panel import Panel
from surveyor.judge.reading import Reader, Reading
from surveyor.judge.signs import BELIEVED
from surveyor.judge.values import SearchHit
from surveyor.profiles import loader
from tools import judge_train, ranking
from tools.local_set import Line


def examples(count: int = 120) -> list[Example]:
    """Wanted ones speak of themselves; the bucket 7 is their word; every group has both kinds."""
    made = []
    for number in range(count):
        wanted = number % 3 == 0
        signs = {"we": 1.0} if wanted or number % 10 == 1 else {"reports": 1.0}
        made.append(Example(Features({7 if wanted else 8: 1.0}, signs), wanted, f"query {number // 6}"))
    return made


def test_what_separates_is_learned_and_unseen_examples_are_ranked_by_it() -> None:
    trained = train(examples())
    assert trained.model.signs["we"] > 0 > trained.model.signs["reports"]
    assert trained.model.hashed[7] > 0 > trained.model.hashed[8]
    assert quality.auc([(each.total, each.wanted) for each in trained.unseen]) > 0.9
    assert len(trained.unseen) == 120


def test_training_twice_gives_one_model_and_it_survives_being_kept() -> None:
    one, two = train(examples()).model, train(examples()).model
    assert one.to_bytes() == two.to_bytes()
    assert Model.from_bytes(one.to_bytes()) == one and one.bend < 1
    assert one.fingerprint == two.fingerprint


def test_a_model_kept_before_its_logit_bent_says_what_it_said() -> None:
    kept = json.loads(Model(0.5, {"we": 1.5}, {}).to_bytes())
    del kept["bend"]
    model = Model.from_bytes(json.dumps(kept).encode())
    assert model.total(Features({}, {"we": 1.0})) == 2.0


def test_what_speaks_for_a_result_adds_less_above_one_half_and_the_order_stays() -> None:
    straight, bent = (Model(0.5, {"we": 1.5, "sells": -2.5}, {}, bend=bend) for bend in (1.0, 0.5))
    low, high = Features({}, {"sells": 1.0}), Features({}, {"we": 1.0})
    assert bent.total(low) == straight.total(low) == -2.0
    assert bent.total(high) == straight.total(high) / 2 == 1.0


def test_slope_and_shift_are_those_under_which_as_many_are_expected_as_are_wanted() -> None:
    # Of sums of -2 one in ten is wanted, of 0 half, of 2 three in four: on one line only if the logit bends.
    shares = {-2.0: 10, 0.0: 50, 2.0: 75}
    scored = [Scored(total, number < of) for total, of in shares.items() for number in range(100)]
    slope, shift = fitted(scored)
    model = Model(shift, {"we": slope}, {}, bend=0.5)
    for total, of in shares.items():
        assert in_hundredths(model.total(Features({}, {"we": total}))) == pytest.approx(of, abs=1)


def test_spam_is_learned_from_as_wanted_by_nobody_and_measured_with_nothing() -> None:
    hit = SearchHit("https://order-essays.example/", "How it works", "We write, you order, around the clock.")
    lines = [
        Line(profile, "essays", "en", "own_site", True, hit, "order-essays.example")
        for profile in (judge_train.SPAM, "community")
    ]
    spam = judge_train.spam_of("community", lines)
    assert [(each.wanted, each.weight) for each in spam] == [(False, 1.0)]
    weights = [train(examples(), contrast=contrast) for contrast in ([], [*spam] * 4)]
    assert [len(each.unseen) for each in weights] == [120, 120]
    before, after = (each.model.total(spam[0].features) for each in weights)
    assert after < before


def test_a_model_that_is_taught_further_begins_where_it_was() -> None:
    begin = Model(0.0, {"root": 2.0}, {})
    taught = train(examples(24), begin).model
    assert taught.signs["root"] > 0, "nothing spoke against it"


def test_two_signs_that_mean_something_only_together_are_learned() -> None:
    made = []
    for number in range(120):
        met = {name: 1.0 for name, there in (("we", number & 1), ("apply", number & 2)) if there}
        made.append(Example(Features({}, met), len(met) == 2, f"query {number // 6}"))
    model = train(made).model
    assert model.signs[pair("apply", "we")] > 0
    both, one = ({"we": 1.0, "apply": 1.0}, {"we": 1.0})
    chances = [in_hundredths(model.total(Features({}, met))) for met in (both, one)]
    assert chances[0] > 80 > 20 > chances[1]


@given(
    st.dictionaries(st.sampled_from("abcdef"), st.floats(-1, 1), max_size=6),
    st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")), max_size=12),
)
def test_a_total_is_the_sum_over_all_that_training_names(
    signs: dict[str, float], pairs: list[tuple[str, str]]
) -> None:
    weights = dict.fromkeys("ace", 0.5) | {pair(*sorted(each)): 1.5 for each in pairs}
    model, features = Model(0.25, weights, {}), Features({}, signs)
    expected = 0.25 + sum(weights.get(name, 0.0) * value for name, value in named(features).items())
    assert model.total(features) == pytest.approx(expected)
    told = sum(each.weight for each in model.reasons(features.signs))
    assert told == pytest.approx(expected - 0.25), "reasons leave nothing out"


def test_weights_are_drawn_back_to_where_a_model_began_and_in_its_measure() -> None:
    begin = train(examples()).model
    again = train(examples(), begin).model
    assert again.signs["we"] > 0 > again.signs["reports"]
    opposite = [each._replace(wanted=not each.wanted) for each in examples()]
    taught = train(opposite, begin)
    assert quality.auc([(each.total, each.wanted) for each in taught.unseen]) > 0.9


def test_a_model_that_is_held_more_strongly_learns_less_of_a_new_word() -> None:
    begin = train(examples()).model
    more = [
        each._replace(features=Features({11: 1.0}, each.features.signs)) if each.wanted else each
        for each in examples()
    ]
    eager, firm = (train(more, begin, held=held).model.hashed[11] for held in (1.0, 30.0))
    assert eager > firm > 0


@pytest.mark.parametrize(
    ("domain", "site"),
    [
        ("news.bnr.bg", {"bnr.bg"}),
        ("bnr.bg", {"bnr.bg"}),
        ("bnr.bg:8080", {"bnr.bg"}),
        ("x", {"x"}),
        ("", set()),
    ],
)
def test_hosts_of_one_owner_are_one_site(domain: str, site: set[str]) -> None:
    assert site_of(domain) == site


def test_how_far_a_profile_believes_a_host_is_a_sign() -> None:
    def believed(url: str) -> float | None:
        return _READER.read(SearchHit(url, "Grants", "")).signs.get(BELIEVED)

    assert (believed("https://mc.government.bg/") or 0) > 0
    assert (believed("https://somebody.blogspot.com/") or 0) < 0
    assert believed("https://nobody-knows-this.bg/") is None


def test_contrast_is_learned_from_and_not_measured() -> None:
    bakery = Example(Features({9: 1.0}, {"we": 1.0}), False, "bakery")
    trained = train(examples(), contrast=[bakery] * 20)
    assert len(trained.unseen) == 120, "only results of the subject's own searches are measured"
    assert trained.model.hashed[9] < 0


def test_a_written_example_counts_as_the_part_of_a_found_one_that_it_is() -> None:
    def learned(weight: float) -> float:
        written = Example(Features({9: 1.0}, {"we": 1.0}), True, "written", weight)
        return train(examples(), contrast=[written] * 20).model.hashed.get(9, 0.0)

    assert 0 < learned(0.01) < learned(0.1) < learned(1.0)
    assert learned(0.0) == 0.0


@pytest.mark.parametrize("raw", [b"", b"{}", b"[]", b'{"version":0,"buckets":1}', b"\xff"])
def test_anything_else_is_no_model(raw: bytes) -> None:
    with pytest.raises(BadInput, match="judge --train"):
        Model.from_bytes(raw)


def test_auc_is_the_share_of_pairs_in_order() -> None:
    assert quality.auc([(0.1, False), (0.9, True)]) == 1.0
    assert quality.auc([(0.9, False), (0.1, True)]) == 0.0
    assert quality.auc([(0.5, False), (0.5, True)]) == 0.5
    assert quality.auc([(0.5, True)]) == 0.5


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), max_size=30))
def test_auc_is_what_counting_pairs_gives(scored: list[tuple[int, bool]]) -> None:
    yes = [score for score, wanted in scored if wanted]
    no = [score for score, wanted in scored if not wanted]
    pairs = [(a > b) + 0.5 * (a == b) for a in yes for b in no]
    expected = sum(pairs) / len(pairs) if pairs else 0.5
    assert quality.auc([(float(score), wanted) for score, wanted in scored]) == pytest.approx(expected)


def test_precision_is_taken_where_enough_is_found() -> None:
    scored = [(0.9, True), (0.8, False), (0.7, True), (0.1, False)]
    assert ranking.precision_at_recall(scored, 0.5) == (1.0, 0.9)
    assert ranking.precision_at_recall(scored, 1.0) == (2 / 3, 0.7)
    assert quality.at_threshold(scored, 0.8) == (0.5, 0.5)


def test_the_panel_with_a_model_gives_its_probability_and_shows_the_others_without_weight() -> None:
    model = shipped("funding")
    assert model is not None
    profile = loader.load("funding")
    hit = SearchHit("https://ncf.bg/programs", "National Culture Fund: grants", "We support artists. Apply.")
    with_model, rules = Panel(profile, model=model).judge(hit), Panel(profile).judge(hit)
    assert with_model.scores[0].judge == "LearnedJudge"
    assert with_model.confidence == with_model.scores[0].score
    others = with_model.scores[1:]
    assert {each.weight for each in others} == {Decimal("0.00")}
    assert [each.score for each in others[:-1]] == [each.score for each in rules.scores]
    assert others[-1].judge == "SiteKindJudge"
    assert with_model.judge_version == f"{rules.judge_version}+{model.fingerprint}"


def test_shipped_models_say_what_they_were_made_from_and_hold_no_word_of_it() -> None:
    for name in ("funding", "community", "site_kind"):
        model = shipped(name)
        assert model is not None
        assert model.manifest["results"] > 0 and model.manifest["digest"]
        assert all(isinstance(number, int) for number in model.hashed)
    assert shipped("images") is None


@pytest.mark.parametrize(
    ("own", "other"),
    [
        (
            SearchHit(
                "https://tulipfoundation.net/", "Tulip Foundation", "We support our partners; contact us"
            ),
            SearchHit(
                "https://dailyherald.com/2024/05/03/minister-opens-new-grant-scheme-for-towns-849201",
                "Minister opens new grant scheme for towns",
                "3 May 2024. The minister said yesterday that 40 million were announced",
            ),
        ),
        (
            SearchHit(
                "https://fondatsialale.bg/", "Фондация Лале", "Ние подкрепяме нашите партньори; контакти"
            ),
            SearchHit(
                "https://novinidnes.bg/novini/2024/05/03/ministarat-obyavi-nova-shema-za-obshtinite-849201",
                "Министърът обяви нова схема за общините",
                "3 май 2024. Министърът заяви вчера, че млн. лева са обявени",
            ),
        ),
        (
            SearchHit("https://stiftung-nord.de/", "Stiftung Nord", "Wir fördern unsere Partner; Kontakt"),
            SearchHit(
                "https://nordzeitung.de/nachrichten/2024/05/03/minister-startet-neues-programm-fuer-orte-849201",
                "Minister startet neues Programm für Orte",
                "03.05.2024. Der Minister sagte gestern laut Bericht, Millionen",
            ),
        ),
    ],
)
def test_an_own_site_is_told_from_news_in_every_language(own: SearchHit, other: SearchHit) -> None:
    reader, judge = Reader(loader.load("funding"), with_signs=True), SiteKindJudge()
    (high, why_high), (low, why_low) = judge(reader.read(own)), judge(reader.read(other))
    assert high > 60 > 30 > low
    assert callable(why_high) and "own site" in why_high()
    assert callable(why_low) and "news" in why_low()


def test_a_verdict_says_what_decided_first_and_the_profiles_words_once() -> None:
    def why(bias: float) -> str:
        model = Model(bias, {"says offer": 1.0, "says amount": 0.9, "we": 0.8, "sells": -0.7}, {})
        reading = _READER.read(SearchHit("https://example.org/", "", ""))
        reading.signs = {"says offer": 1.0, "we": 1.0, "says amount": 1.0, "sells": 1.0}
        told = LearnedJudge(model)(reading)[1]
        return told if isinstance(told, str) else told()

    assert why(-1.0) == (
        "about 73 of 100 such results are wanted; for it: it uses the profile's words for offer and amount, "
        "it speaks of itself (we, our); against it: it sells something"
    )
    assert why(-30.0).startswith("hardly any such result is wanted; against it: it sells something")
    assert why(30.0).startswith("nearly every such result is wanted; for it")


def test_a_probability_is_bounded() -> None:
    assert 0 < probability(-1e9) < 1e-9 and probability(0) == 0.5 and 1 - 1e-9 < probability(1e9) < 1


@pytest.mark.parametrize(
    ("url", "title", "description"),
    [
        ("https://rila-trust.org/", "Rila Trust", "We support NGOs with grants up to EUR 3,500."),
        ("https://black-sea.example/", "Coastal grants", "We support NGOs in Bulgaria with up to €3,500."),
        ("https://fond-luch.bg/", "Фонд Лъч", "Подкрепяме НПО с грантове до 3500 евро."),
        ("https://fondul-mures.ro/despre", "Despre fond", "Un fond mic. Ajutăm școli și biblioteci cu bani."),
        ("https://tameio-volos.gr/", "Ταμείο Βόλου", "Δίνουμε μικρές υποτροφίες σε άξιους μαθητές."),
        ("https://donau-fonds.de/", "Donaufonds", "Wir helfen Schulen an der Donau mit kleinen Beträgen."),
        ("https://fonds-rhodope.org/", "Notre aide", "Nous donnons des bourses à des élèves de Bulgarie."),
        (
            "https://gal-vallees.fr/leader",
            "Le programme LEADER",
            "Notre GAL soutient des projets en milieu rural : subvention, contact de l'équipe.",
        ),
    ],
    ids=["en", "reserved", "bg", "ro", "el", "de", "fr", "local"],
)
def test_a_small_funder_in_plain_words_passes(url: str, title: str, description: str) -> None:
    assert _FUNDING.judge(SearchHit(url, title, description)).should_crawl


@pytest.mark.parametrize(
    ("url", "title", "description"),
    [
        ("https://rila-news.com/2023/05/trust", "Trust gives money", "It gave NGOs 3,500 euro, he said."),
        ("https://grantfinder.com/list", "Grants for NGOs", "Browse 400 grants up to EUR 3,500 by country."),
        ("https://proposal-help.com/", "We write your proposal", "Our consultants help NGOs win grants."),
    ],
    ids=["news", "list", "consultant"],
)
def test_who_only_speaks_of_grants_does_not_pass(url: str, title: str, description: str) -> None:
    assert not _FUNDING.judge(SearchHit(url, title, description)).should_crawl


def test_the_rules_are_asked_only_when_somebody_wants_to_see_what_they_say(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []
    seen_in = Reader.seen_in

    def counted(self: Reader, reading: Reading) -> object:
        read.append(reading.domain)
        return seen_in(self, reading)

    monkeypatch.setattr(Reader, "seen_in", counted)
    judgment = Panel(loader.load("funding"), model=shipped("funding")).judge(
        SearchHit("https://ncf.bg/programs", "National Culture Fund: grants", "We support artists.")
    )
    assert judgment.confidence and not read
    assert len(judgment.scores) > 3 and read == ["ncf.bg"], "once for all of them"


@given(
    path=st.text(max_size=60),
    title=st.text(max_size=120),
    description=st.text(max_size=200),
)
def test_the_quick_sum_is_the_sum_over_the_features(path: str, title: str, description: str) -> None:
    hit = SearchHit(f"https://example.org/{path}", title, description)
    reading = _READER.read(hit)
    score, _ = _JUDGE(reading)
    assert score == in_hundredths(_MODEL.total(of_reading(reading)))


_MODEL = shipped("funding") or Model(0.0, {}, {})
_FUNDING = Panel(loader.load("funding"), model=_MODEL)
_READER, _JUDGE = Reader(loader.load("funding"), with_signs=True), LearnedJudge(_MODEL)


def test_what_is_left_out_is_scored_by_a_model_that_never_met_it() -> None:
    made = examples()
    is_left = [number < 30 for number in range(len(made))]
    scored = left_out(made, is_left)
    assert len(scored) == 30
    assert quality.auc([(each.total, each.wanted) for each in scored]) > 0.9
    alone = left_out([made[0], *made[30:]], [True, *[False] * 90], [])
    assert alone[0].wanted


def test_features_stand_in_one_order_so_that_sums_are_the_same_in_every_process() -> None:
    """Words come out of sets, whose order is another in each process."""
    forwards, backwards = {1: 0.5, 22: 0.25, 3: 0.125}, {3: 0.125, 22: 0.25, 1: 0.5}
    first = named(Features(forwards, {"is_own": 1.0, "has_offer": 1.0}))
    second = named(Features(backwards, {"has_offer": 1.0, "is_own": 1.0}))
    assert list(first.items()) == list(second.items())


def test_the_words_that_count_are_quoted_and_each_thing_is_said_once() -> None:
    weights = {
        bucket(TEXT, "grants"): 3.0,
        bucket(TEXT, "schools"): 2.0,
        bucket(TEXT, "with"): 9.0,
        bucket(TEXT, "weather"): -4.0,
    }
    judge = LearnedJudge(Model(0.0, {"root": 1.0, "shallow": 1.0}, weights))
    said = "With 5000 EUR for schooling, and the weather"
    hit = SearchHit("https://somebody.bg/", "Grants for schools", said)
    why = str(judge(_READER.read(hit))[1]())
    assert "wanted results use such words (“grants”, “schools”)" in why
    assert "“with”" not in why and "qz" not in why
    assert "home page" in why and "close to the home page" not in why
