"""Opening hours are given in the words a reader sees; events, prices and ages are none."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surveyor.extract.fields import hours

FOUND = {
    "en label": (
        "Opening hours: Monday to Thursday 8 to 5, Friday 8 to noon",
        "Monday to Thursday 8 to 5, Friday 8 to noon",
    ),
    "en and sign": ("Second Sunday, between 10am & 1pm", "Second Sunday, between 10am & 1pm"),
    "pt": ("Quintas-feiras 14h-18h", "Quintas-feiras 14h-18h"),
    "pt abbreviated": ("Seg. a Sex. 08h-17h", "Seg. a Sex. 08h-17h"),
    "pt several days": ("Segundas e quartas 14h às 17h", "Segundas e quartas 14h às 17h"),
    "pt working days": ("Dias úteis: 9h-17h", "Dias úteis: 9h-17h"),
    "bg working day": ("всеки делничен ден от 8.00 до 17.00 ч.", "всеки делничен ден от 8.00 до 17.00 ч"),
    "el with": ("Σάββατο 10:00 με 14:00", "Σάββατο 10:00 με 14:00"),
    "pl abbreviated": ("Pon.-pt. 8:00-16:00", "Pon.-pt. 8:00-16:00"),
    "pt numbers": ("2ª a 6ª feira, 9h00 - 17h00", "2ª a 6ª feira, 9h00 - 17h00"),
    "pt another accent": ("Sábado das 9h ás 11h30", "Sábado das 9h ás 11h30"),
    "en short": ("Tue-Fri 9-6, Sat 8-2", "Tue-Fri 9-6, Sat 8-2"),
    "en month": (
        "Second and fourth Tuesday of the month, 5:30 to 8 pm",
        "Second and fourth Tuesday of the month, 5:30 to 8 pm",
    ),
    "en always": ("It is open 24 hours, 365 days a year. You can stay.", "open 24 hours, 365 days a year"),
    "en prose": (
        "We are open every day but Tuesday, from eleven to six, later if the conversation is good.",
        "every day but Tuesday, from eleven to six",
    ),
    "en goes on": (
        "We have decided to stay open from 6 to 8 pm on Tuesdays only for the whole winter.",
        "6 to 8 pm on Tuesdays only",
    ),
    "en short line": ("Tuesdays 9–12 at the side door please", "Tuesdays 9–12"),
    "en always, and more": ("Help is available 24/7 from people who listen", "24/7"),
    "de": ("Montag und Mittwoch 10–16 Uhr", "Montag und Mittwoch 10–16 Uhr"),
    "de label": ("Öffnungszeiten: Mo–Fr 9–17 Uhr, Sa 10–14 Uhr", "Mo–Fr 9–17 Uhr, Sa 10–14 Uhr"),
    "fr": ("Horaires : le mardi de 17 h à 19 h 30", "le mardi de 17 h à 19 h 30"),
    "fr minutes": ("Le jeudi de 9 h à 11 h 45 et sur place", "Le jeudi de 9 h à 11 h 45"),
    "bg": ("Работно време: понеделник – петък, 9:00 – 17:30 ч.", "понеделник – петък, 9:00 – 17:30 ч"),
    "bg always": ("Работим денонощно, без почивен ден. Адресът е таен", "денонощно, без почивен ден"),
    "ro": (
        "Program cu publicul: luni–joi 8.00–16.30, vineri 8.00–14.00",
        "luni–joi 8.00–16.30, vineri 8.00–14.00",
    ),
    "el": ("Ανοιχτά κάθε μέρα 12:00–23:30 (τον χειμώνα μόνο Σαββατοκύριακα)", "κάθε μέρα 12:00–23:30"),
    "es": ("Horario: de lunes a viernes de 9:00 a 14:00", "de lunes a viernes de 9:00 a 14:00"),
    "fr twice a day": ("Lundi 10h00 - 14h00 • 15h00 - 19h00", "Lundi 10h00 - 14h00, 15h00 - 19h00"),
    "ro between": ("luni și joi, între orele 9:00 şi 14:00", "luni și joi, între orele 9:00 şi 14:00"),
}


@pytest.mark.parametrize(("line", "value"), FOUND.values(), ids=FOUND.keys())
def test_hours_are_read(line: str, value: str) -> None:
    assert [one.value for one in hours.find([line])] == [value]


def test_rules_of_a_table_are_joined_over_closed_days() -> None:
    lines = [
        "Mon 9:30 AM - 11:30 AM",
        "Tue closed",
        "Wed 5:00 PM - 7:00 PM",
        "Thu closed",
        "Fri by appointment",
    ]
    (found,) = hours.find(lines)
    assert found.value == "Mon 9:30 AM - 11:30 AM; Wed 5:00 PM - 7:00 PM; Fri by appointment"
    assert (found.first_line, found.last_line) == (0, 4)


@pytest.mark.parametrize(
    ("lines", "value"),
    [
        (["Monday - Thursday", "9:30 am - 9:00 pm"], "Monday - Thursday 9:30 am - 9:00 pm"),
        (["Работно време:", "9.30-18.00 ч."], "9.30-18.00 ч"),
        (["Monday through Thursday", "9:00-17:00"], "Monday through Thursday 9:00-17:00"),
        (["Friday mornings", "9-12"], "Friday mornings 9-12"),
        (["Montag bis Freitag", "9-12 Uhr"], "Montag bis Freitag 9-12 Uhr"),
        (
            ["Tuesday and Friday", "10am-1pm", "Saturday", "9-12"],
            "Tuesday and Friday 10am-1pm; Saturday 9-12",
        ),
    ],
)
def test_times_below_their_days_are_hours(lines: list[str], value: str) -> None:
    assert "; ".join(found.value for found in hours.find(lines)) == value


@pytest.mark.parametrize(
    "lines",
    [
        ["Our next concert", "9:30 am - 9:00 pm"],
        ["Closed Monday", "10:00 - 17:00"],
        ["Open to children", "3-5"],
        ["Sunday school", "10:00-11:00"],
        ["Opening scores", "2-1"],
    ],
)
def test_times_below_anything_else_are_none(lines: list[str]) -> None:
    assert hours.find(lines) == []


@pytest.mark.parametrize(
    "line",
    [
        "28.11.2026, 14 Uhr",
        "Wartung am Freitag 27.12.2026 von 6 bis 9 Uhr",
        "Grants from EUR 3,000 to EUR 18,000",
        "4 to 10 months",
        "young people aged 16 to 23",
        "once every seven days",
        "Mass: Sun 8 and 10:30 AM.",
        "Open house, Saturday January 9, 2027, 10 am to 2 pm",
        "вторник и четвъртък следобед",
    ],
)
def test_what_is_no_opening_time_is_left(line: str) -> None:
    assert hours.find([line]) == []


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        (
            "On Thursday mornings from 8:00 AM – 12:00 PM, our parish feeds close to 100 families a week.",
            "Thursday mornings from 8:00 AM – 12:00 PM",
        ),
        (
            "Whoever wants to help in our kitchen, open from 7pm to 9pm on Mondays, can write to Ann now.",
            "from 7pm to 9pm on Mondays",
        ),
    ],
)
def test_a_rule_ends_where_the_sentence_goes_on(line: str, rule: str) -> None:
    assert [found.value for found in hours.find([line])] == [rule]


def test_a_time_far_from_its_day_is_no_rule() -> None:
    line = (
        "On Thursdays our volunteers hand out bags of food with limited fresh produce and meat products,"
        " when available, from 8:00 AM to 12:00 PM."
    )
    assert hours.find([line]) == []


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(alphabet="Mon Fri 9-5:30 amopen24/7 до ч.,;()", max_size=80), max_size=5))
def test_no_lines_are_too_odd(lines: list[str]) -> None:
    for found in hours.find(lines):
        assert found.value


TABLES = {
    "day and time in turns": (
        ["Monday", "9:00 AM – 5:00 PM", "Tuesday", "Closed"],
        "Monday 9:00 AM – 5:00 PM",
    ),
    "label between": (["Jours", "Mardi et jeudi", "Horaires", "14h-17h30"], "Mardi et jeudi 14h-17h30"),
    "two times a day": (["Lundi", "9h-12h", "14h-18h"], "Lundi 9h-12h, 14h-18h"),
    "parts of a day": (
        ["Lunedi", "Mattina: 07:30 - 12:50", "Pomeriggio: 16:00 - 19:30"],
        "Lunedi Mattina: 07:30 - 12:50, Pomeriggio: 16:00 - 19:30",
    ),
    "days with dots": (["Tues. & Thurs. 1-4 p.m."], "Tues. & Thurs. 1-4 p.m"),
    "week in letters": (["M-F 9-5"], "M-F 9-5"),
    "nl": (["Maandag t/m vrijdag: 09.00 - 17.00 uur"], "Maandag t/m vrijdag: 09.00 - 17.00 uur"),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_in_lines_of_its_own_is_read_as_rules(name: str) -> None:
    lines, value = TABLES[name]
    assert [one.value for one in hours.find(lines)] == [value]


def test_times_below_a_line_of_something_else_are_no_hours() -> None:
    assert hours.find(["Monday quiz results", "9 - 5"]) == []


@pytest.mark.parametrize(
    ("lines", "value"),
    [
        (
            ["OPEN:", "1:00pm - 5:00pm", "Tuesdays and Thursdays only"],
            "Tuesdays and Thursdays only 1:00pm - 5:00pm",
        ),
        (["Books and films.", "Работно време:", "9.30-18.00 ч."], "9.30-18.00 ч"),
    ],
)
def test_times_are_joined_with_the_days_below_and_the_label_above(lines: list[str], value: str) -> None:
    assert value in [one.value for one in hours.find(lines)]


def test_days_below_the_times_of_other_days_have_none() -> None:
    (found,) = hours.find(["Monday", "9:00 - 12:00", "14:00 - 18:00", "Tuesday", "by arrangement with us"])
    assert "Tuesday" not in found.value
