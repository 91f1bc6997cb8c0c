"""The one time that a sentence speaks of, told on Thursday, the first of January 2026; in doubt none."""

from __future__ import annotations

import pytest

from graphdream.language.calendar import time_meant

TOLD = "2026-01-01T09:00:00Z"


@pytest.mark.parametrize(
    ("language", "sentence", "first", "precision"),
    [
        ("en", "Orla sold the boat three days ago.", "2025-12-29", "day"),
        ("en", "Orla moved in with Sam two weeks ago.", "2025-12-18", "day"),
        ("en", "The audit starts in two weeks.", "2026-01-15", "day"),
        ("en", "Tobiah left last month.", "2025-12-01", "month"),
        ("en", "Orla's lease ends next month.", "2026-02-01", "month"),
        ("en", "Tobiah retires next year.", "2027-01-01", "year"),
        ("en", "Orla opened the shop three years ago.", "2023-01-01", "year"),
        ("en", "Orla moved the deadline to Friday.", "2026-01-02", "day"),
        ("en", "Orla moved the call to Sunday because of rain.", "2026-01-04", "day"),
        ("en", "Orla moved the call to Thursday.", "2026-01-08", "day"),
        ("en", "The launch is on May 3.", "2026-05-03", "day"),
        ("en", "Orla was born on May 3, 1990.", "1990-05-03", "day"),
        ("de", "Jorinde ist vor zwei Wochen umgezogen.", "2025-12-18", "day"),
        ("de", "Jorinde streicht in drei Tagen das Haus.", "2026-01-04", "day"),
        ("de", "Der Termin wurde auf Montag verlegt, weil Jorinde krank war.", "2026-01-05", "day"),
        ("de", "Jorinde streicht morgen das Haus.", "2026-01-02", "day"),
        ("de", "Morgen streicht Jorinde das Haus.", "2026-01-02", "day"),
        ("es", "Ximena llega mañana por la mañana.", "2026-01-02", "day"),
        ("es", "Ximena llega pasado mañana.", "2026-01-03", "day"),
        ("pt", "Iracema chega depois de amanhã.", "2026-01-03", "day"),
        ("de", "Jorinde hat letzten Monat gekündigt.", "2025-12-01", "month"),
        ("es", "Ximena llegó hace dos semanas.", "2025-12-18", "day"),
        ("es", "Movieron la entrega al viernes.", "2026-01-02", "day"),
        ("es", "Ximena renunció el mes pasado.", "2025-12-01", "month"),
        ("fr", "Solveig est arrivée il y a deux semaines.", "2025-12-18", "day"),
        ("fr", "Solveig arrive dans trois jours.", "2026-01-04", "day"),
        ("fr", "Solveig a démissionné le mois dernier.", "2025-12-01", "month"),
        ("pt", "Iracema chegou há duas semanas.", "2025-12-18", "day"),
        ("pt", "Iracema saiu no ano passado.", "2025-01-01", "year"),
        ("it", "Fiorenza si è dimessa il mese scorso.", "2025-12-01", "month"),
        ("it", "Fiorenza parte il mese prossimo.", "2026-02-01", "month"),
        ("it", "L’anno scorso Fiorenza si è dimessa.", "2025-01-01", "year"),
        ("fr", "Solveig a démissionné l’année dernière.", "2025-01-01", "year"),
        ("ru", "Ратмир приехал две недели назад.", "2025-12-18", "day"),
        ("ru", "Ратмир приехал пять недель назад.", "2025-11-27", "day"),
        ("ru", "Встречу перенесли на пятницу.", "2026-01-02", "day"),
        ("ja", "三浦は三日前に着いた。", "2025-12-29", "day"),
        ("ja", "三浦は先月退職した。", "2025-12-01", "month"),
        ("zh", "王芳两周前到了。", "2025-12-18", "day"),
        ("zh", "截止日期改到周五。", "2026-01-02", "day"),
    ],
)  # fmt: skip
def test_a_time_told_by_its_distance(language: str, sentence: str, first: str, precision: str) -> None:
    meant = time_meant(sentence, TOLD, language)
    assert meant is not None and (meant.first.isoformat(), meant.precision) == (first, precision)


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        # how long something took, or was
        ("en", "She wrote all the tests in two weeks."),
        ("en", "Orla painted the hall in three days."),
        ("en", "Rewrote Lantern tests in two weeks."),
        ("en", "Tobiah has been there for the last year."),
        ("en", "It took two weeks to fix."),
        ("de", "Jorinde hat das Haus in drei Tagen gestrichen."),
        ("de", "Jorinde arbeitet seit zwei Wochen in Kassel."),
        ("it", "Fiorenza ha lavorato per il mese scorso."),
        ("ru", "Через две недели он уехал."),
        # in the morning, which is no tomorrow
        ("de", "Jorinde kam am Morgen."),
        ("es", "Ximena llegó por la mañana."),
        ("es", "Ximena trabaja toda la mañana."),
        # until then, or about then
        ("en", "Tobiah worked in Leeds until last month."),
        ("en", "About two years ago Orla sold the boat."),
        ("en", "Orla sold the boat more than two weeks ago."),
        ("de", "Vor etwa zwei Jahren kam Jorinde nach Kassel."),
        # part of a name, or of what something is of
        ("en", "Tobiah rewrote last year's report."),
        ("en", "Orla fixed the friday build."),
        ("en", "Orla moved to Friday Harbor."),
        ("en", "The store moved to Sunday opening hours."),
        ("en", "May sat in the second row in the sun."),
        ("en", "Second Sun Ltd hired Mar in 2020."),
        # again and again
        ("en", "They moved the weekly sync to Monday."),
        ("en", "Orla now works from Monday to Friday."),
        ("en", "Orla meets everybody on Friday."),
        ("en", "Orla was born on May 3."),
        ("en", "Orla's birthday is May 3."),
        ("de", "Jorindes Geburtstag ist am 3. Mai."),
        ("es", "Ximena nació el 3 de mayo."),
        # two times
        ("en", "Orla moved the launch from last month to next month."),
        ("en", "Orla moved the launch from Tuesday to Friday."),
    ],
)
def test_what_tells_no_time_or_not_for_sure_has_none(language: str, sentence: str) -> None:
    """A birthday had been given the nearest year, and three days of work were read as a day to come."""
    assert time_meant(sentence, TOLD, language) is None


@pytest.mark.parametrize("told", ["0001-01-01T00:00:00Z", "9999-12-31T00:00:00Z"])
@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "The meeting was yesterday."), ("en", "The meeting is tomorrow."), ("en", "It is next Friday."),
        ("en", "It was last Friday."), ("en", "They moved the call to Sunday."), ("en", "It was last month."),
        ("en", "It is next year."), ("en", "It is on January 2."), ("en", "It is in 99999999 days."),
        ("de", "Das Treffen war gestern."), ("de", "Das Treffen ist morgen."), ("de", "Verlegt auf Montag."),
        ("zh", "截止日期改到周五。"), ("zh", "会议在下周五。"), ("zh", "会议在上周一。"), ("ja", "会議は明日です。"),
        ("ja", "締め切りは来週の金曜日に変更された。"), ("ru", "Встреча завтра."), ("ru", "Встреча была вчера."),
    ],
)  # fmt: skip
def test_a_sentence_of_the_ends_of_the_calendar_is_read_like_any_other(told: str, language: str, sentence: str) -> None:
    found = time_meant(sentence, told, language)
    assert found is None or 1 <= found.first.year <= 9999


@pytest.mark.parametrize(
    ("language", "sentence", "first"),
    [
        ("de", "Der Zahnarzt hat am 17. Februar um 8 Uhr Zeit.", "2026-02-17"),
        ("es", "La cita es el 17 de febrero a las 8.", "2026-02-17"),
        ("es", "La cita es el 17 de febrero de 2027 a las 8.", "2027-02-17"),
        ("it", "La visita è il 17 febbraio alle 8.", "2026-02-17"),
        ("pt", "A visita é no dia 17 de fevereiro às 8.", "2026-02-17"),
        ("pt", "A visita é no dia 17 de fevereiro às 8h30.", "2026-02-17"),
        ("pt", "A visita é no dia 17 de fevereiro.", "2026-02-17"),
        ("es", "La visita es el día 17 de febrero.", "2026-02-17"),
        ("nl", "De tandarts komt op 17 februari om 8 uur.", "2026-02-17"),
        ("ru", "Приём 17 февраля в 8 часов.", "2026-02-17"),
        ("en", "The dentist comes on 17 February at 8.", "2026-02-17"),
        ("en", "The dentist comes on February 17 at 8.", "2026-02-17"),
        ("de", "Am 17. Februar kommen 8 Gäste.", "2026-02-17"),
        ("de", "Der Kurs geht vom 17. Februar bis 8. März.", None),  # two days
        ("en", "The fair is from 17 February to 8 March.", None),
    ],
)
def test_the_hour_of_a_day_is_not_the_day(language: str, sentence: str, first: str | None) -> None:
    """`am 17. Februar um 8 Uhr` had been the eighth of February."""
    found = time_meant(sentence, TOLD, language)
    assert (found.first.isoformat() if found is not None else None) == first
