"""Community in seven languages, by the rules alone, and with other places under the same words."""

from __future__ import annotations

import pytest

from surveyor.judge.panel import Panel
from surveyor.judge.values import SearchHit
from surveyor.profiles import loader
from surveyor.profiles.model import Geography, Place

PANEL = Panel(loader.load("community"))
OFFERS = {
    "en": (
        "Food pantry of St. Mark",
        "We help families in our community. Opening hours 9 to 5, free of charge.",
    ),
    "es": ("Despensa de alimentos San Marcos", "Ayudamos a familias. Horario de atención, gratuito."),
    "bg": ("Социална трапезария „Свети Марко“", "Помагаме на хора и на семейства. Работно време от 9 до 17."),
    "de": ("Tafel Neustadt e.V.", "Wir helfen Familien. Öffnungszeiten montags bis freitags, kostenlos."),
    "ro": ("Cantină socială Sfântul Marcu", "Oferim o masă caldă pentru familii. Program de lucru, gratuit."),
    "el": ("Κοινωνικό παντοπωλείο Δήμου", "Στηρίζουμε οικογένειες. Ώρες λειτουργίας 9 έως 17, δωρεάν."),
    "fr": ("Épicerie solidaire Saint-Marc", "Nous aidons les familles. Horaires d'ouverture, gratuit."),
}
NEWS = {
    "en": ("Mayor race heats up", "Police said a man was arrested. Breaking news and opinion."),
    "es": ("Elecciones a la alcaldía", "Según la policía un hombre fue detenido. Últimas noticias."),
    "bg": ("Избори: кандидат за кмет", "Според полицията мъж беше задържан. Последни новини."),
    "de": (
        "Bürgermeisterwahl im Landkreis",
        "Laut Polizei gab es gestern Streit. Lesen Sie auch: Interview.",
    ),
    "ro": ("Alegeri: candidat la primărie", "Potrivit poliției un bărbat a fost reținut. Ultimele știri."),
    "el": ("Εκλογές: υποψήφιος δήμαρχος", "Σύμφωνα με την αστυνομία συνελήφθη άνδρας. Τελευταία νέα."),
    "fr": (
        "Élections municipales au village",
        "Selon la police un homme est en fuite. Lire aussi: fait divers.",
    ),
}


@pytest.mark.parametrize("language", OFFERS)
def test_a_service_is_told_from_news_in_every_language(language: str) -> None:
    offer = PANEL.judge(SearchHit("https://markus.example/", *OFFERS[language]))
    news = PANEL.judge(SearchHit("https://kurier.example/news/1", *NEWS[language]))
    assert offer.language == language
    assert offer.confidence > news.confidence + PANEL.threshold / 4
    assert offer.should_crawl and not news.should_crawl


def test_places_change_without_touching_a_word() -> None:
    """Somebody who looks in Bulgaria changes the places and nothing else."""
    community = loader.load("community")
    sofia = Place(names=dict.fromkeys(community.languages, ("софия",)), suffixes=("bg",))
    moved = community.model_copy(
        update={"geography": Geography(places={"BG": sofia}, default=community.geography.default)}
    )
    hit = SearchHit("https://markus.bg/", *OFFERS["bg"])
    there, here = Panel(moved).judge(hit), PANEL.judge(hit)
    by_name = {score.judge: score.score for score in there.scores}
    assert (
        by_name["GeographicRelevanceJudge"]
        > {s.judge: s.score for s in here.scores}["GeographicRelevanceJudge"]
    )
    keyword = "FundingKeywordJudge"
    assert by_name[keyword] == {s.judge: s.score for s in here.scores}[keyword], "the words say the same"
