"""What real results taught: who writes about a trade, or lists what is on, is not who sells it."""

from __future__ import annotations

import pytest

from surveyor.discover.spam import verdict

HONEST = {
    "a programme of events": (
        "https://townlibrary.org/events",
        "Events - Town Library",
        "Toddler Songs, East Branch, 10:15am. Chess Club, Main Hall. Story Hour, Harbour Branch. "
        "Language Tables, River Room, registration.",
    ),
    "a broadcaster about an association": (
        "https://regions.canaltvinfo.fr/ville/colis-solidaires-12.html",
        "Une chaîne solidaire pour livrer les plus démunis",
        "L'association prépare des colis alimentaires pour les personnes âgées, explique sa directrice.",
    ),
    "a fellowship for dissertations": (
        "https://dissertationfellowship.org/",
        "Dissertation Completion Fellowship",
        "Fellowships of $30,000. Applications are read by committee members; plagiarism leads to exclusion.",
    ),
    "a founder on a host where anybody writes": (
        "https://annakolarova.medium.com/seed-money-the-ultimate-guide-4f2a",
        "Seed Funding: The Ultimate Guide for Small Firms",
        "12 min read. What a first grant round is, who gives the money and how to write to them.",
    ),
    "a prize for essays": (
        "https://essayprize.org/rules",
        "Essay Prize - rules",
        "Plagiarism leads to exclusion. Committee members read every essay.",
    ),
    "a page that says click here": (
        "https://rights-net.org/resources/small-grants",
        "Small grants for defenders at risk",
        "Emergency fund: direct small grants of up to 10.000 euro. To access the resource click here.",
    ),
    "a newspaper about loans": (
        "https://city24.bg/novini/krediti",
        "Какви са условията за бързи кредити - Град24",
        "Валидна лична карта и вярно попълнена документация: особеностите при заявяване на бързи кредити.",
    ),
    "a faculty about theses": (
        "https://facultatea-mea.ro/ghid-licenta",
        "Ghid de elaborare a lucrării de licență și disertație",
        "Alegerea temei, structura, reguli de redactare, prezentare și evaluare a lucrării de licență.",
    ),
    "what others said of casinos": (
        "https://sayings.com/quotes/4918",
        "John Warren quotes",
        "Gambling is a bad deal for taxpayers. For every slot machine a town loses one job per year.",
    ),
    "a lender that checks": (
        "http://www.pearlbayfinance.co.za/faq",
        "Frequently asked questions - Pearl Bay Finance",
        "You must be employed. A credit check is compulsory. We offer loans from R 400, same day service.",
    ),
    "a portal that compares lenders": (
        "https://www.sidebyside.com/za/payday-loans",
        "Short term loans in South Africa compared",
        "Payday loans are dear and mend no budget. Two lenders with approval in minutes, one the same day.",
    ),
    "a page on the law of advertising": (
        "https://jugarlimpio.com/es/guia/leyes",
        "Leyes de publicidad de los juegos de azar",
        "No se puede prometer ganancia garantizada ni sin riesgo. Bonos: depósito mínimo y plazo.",
    ),
    "an article of a local paper about bonuses": (
        "https://barrioalegre.com/2021/05/09/los-bonos-que-ofrecen-los-casinos",
        "Los bonos que ofrecen los casinos online",
        "Giros gratis, bono sin depósito, dinero real: te explicamos qué piden a cambio del primer depósito.",
    ),
    "a paper about who sells theses": (
        "https://www.laplazaelnacional.com.mx/primera/40112.html",
        "Crece el mercado de tesis por encargo",
        "Hacemos tu tesis, dicen los anuncios: sin plagio, con asesoría hasta titularte y pago por capítulo.",
    ),
    "a portal about loans at home": (
        "https://www.vergleichen-hilft.de/kredit-ohne-schufa",
        "Kredit ohne Schufa: was dahinter steckt",
        "Sofortkredit ohne Schufa mit Sofortzusage: welche Anbieter es gibt und was sie kosten.",
    ),
    "a script that is cut into letters": (
        "https://samayam.com/news/lottery",
        "లాటరీ గెలిచి పర్యావరణానికి విరాళం",
        "రూ.1647 కోట్ల లాటరీ గెలిచిన గై ఎక్కువ మొత్తాన్ని ఫౌండేషన్‌కు ఇచ్చాడు. లాటరీ గెలిచిన తర్వాత ప్రకృతికి విరాళం.",
    ),
}


@pytest.mark.parametrize("what", HONEST)
def test_honest_neighbours_of_spam_are_not_turned_away(what: str) -> None:
    found = verdict(*HONEST[what])
    assert not found.is_spam, found.reasons


SOLD = {
    "a lender that pushes": (
        "https://cash-now.example",
        "Fast cash loans, no credit check",
        "Apply now and get your payday loan in 5 minutes. Bad credit accepted, instant approval guaranteed!",
    ),
    "a host that is named for play": (
        "https://www.luckycasinolist.net/guides/welcome",
        "How welcome offers work",
        "Your first deposit is doubled: how to claim it and what to play.",
    ),
    "a host of another trade that offers play": (
        "https://grandmas-curtains.com/?p=4410",
        "No deposit bonus explained",
        "Claim your free spins, no deposit needed, and win real money at the slots.",
    ),
    "a top level domain of the trade": (
        "https://silverfox.casino/terms",
        "Terms of the Silver Fox",
        "Casino slots and roulette: bets are settled when the wheel stops.",
    ),
    "a host named for nothing that offers again and again": (
        "https://quiet-harbour-desk.com/prices",
        "Buy an essay from our expert writers",
        "We write your essay, plagiarism free, with unlimited revisions or your money back.",
    ),
    "an essay mill": (
        "https://best-essay-writers.com/scholarship",
        "Buy scholarship essays online",
        "Our expert writers write your essay for you from $9 per page. Order now, 100% plagiarism free.",
    ),
}


@pytest.mark.parametrize("what", SOLD)
def test_who_sells_it_is_turned_away(what: str) -> None:
    assert verdict(*SOLD[what]).is_spam
