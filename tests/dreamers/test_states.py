"""What a session says of things that nobody spoke of yet is a fact where it holds, and text where it happened."""

from __future__ import annotations

from pathlib import Path

import pytest

import graphdream
from graphdream.dreamers.reading.states import tells_what_holds
from graphdream.language.present import may_be_present


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "The proxy forwards to port 7443."),
        ("en", "Kafka 3.7 runs on the old box."),
        ("en", "Invoices are numbered from FN-200 on."),
        ("en", "Payroll goes through Wagely."),
        ("en", "Deploys go out on Tuesdays."),
        ("en", "Our hall has 14 tables."),
        ("en", "Our jars come from Ardagh."),  # `come` is a word of grammar in Italian
        ("en", "The side gate must be shut by 22:00."),
        ("en", "We use Wagely for the payroll."),
        ("en", "Use Wagely for the payroll."),
        ("de", "Wir nutzen Lexoffice für die Rechnungen."),
        ("es", "Usamos Holded para las facturas."),
        ("fr", "On utilise Pennylane pour les factures."),
        ("de", "Der Ofen heizt bis 1240 Grad."),
        ("de", "Die Fähre fährt um 7:42."),
        ("de", "Backups starten nachts um 3 Uhr."),
        ("de", "Das Lager hat 12 Regale."),
        ("de", "Die Zuständige bei der Stadt ist Frau Özkan."),
        ("es", "El horno calienta hasta 1240 grados."),
        ("es", "La reunión es los martes a las 10."),
        ("fr", "Le four chauffe à 1240 degrés."),
        ("it", "La stampante usa la porta 9100."),
        ("pt", "O forno usa 1240 watts."),
        ("pt", "A oficina abre às 8h."),
        ("nl", "De oven draait op 1240 graden."),
        ("nl", "De trein vertrekt om 7:42."),
        ("es", "El gato come pienso de Acana."),
        ("sv", "Ugnen värmer till 1240 grader."),
        ("ru", "Печь работает до 22:00."),
        ("de", "Die Miete des Ladens beträgt 1200 Euro."),  # a genitive
        ("de", "Das Kennwort des Druckers lautet Ahorn77."),
        ("de", "Der Schlüssel zur Halle hängt an Haken 12."),
        ("ru", "Код от двери — 4419."),  # a dash is the copula
        ("ru", "Код от двери теперь 8826."),
        ("ru", "Кафе «Самовар» заказывает 20 кружек каждый месяц."),
        ("zh", "仓库的门牌是14号。"),
        ("zh", "湖滨酒店每月订购20斤龙井。"),  # a habit
        ("ja", "倉庫の鍵は3番です。"),
    ],
)
def test_what_holds(language: str, sentence: str) -> None:
    assert tells_what_holds(sentence, language)


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "Ran the proxy on port 7443."),
        ("en", "Wrote notes for Kafka 3.7."),
        ("en", "Fixed 14 invoices."),
        ("en", "The proxy moved to port 7443."),
        ("en", "The proxy was restarted at 7:42."),
        ("en", "The proxy has been restarted 3 times."),
        ("en", "Use of Wagely rose by 4 percent."),
        ("en", "We ate at Wagely."),
        ("en", "There are 14 tables in the hall."),
        ("en", "No news from Wagely."),
        ("en", "In prod the proxy forwards to port 7443."),
        ("en", "It forwards to port 7443."),
        ("en", "Padlocks are cheap."),  # nothing to be found again by
        ("en", "Still waiting for part 77-B."),
        ("de", "Die Fähre fuhr um 7:42 ab."),
        ("de", "Der Ofen wurde um 8 Uhr geheizt."),
        ("de", "Der Verein hat 3 Tische repariert."),
        ("de", "Der Wirt am Markt nahm bestimmt 3 Kisten ab."),
        ("ru", "Код от двери, 4419."),
        ("de", "Die Kisten kosteten 40 Euro."),
        ("es", "La reunión duró 2 horas."),
        ("pt", "Joana comprou uma casa em 2024."),
        ("fr", "La réunion a duré 2 heures."),
        ("ru", "Печь сломалась в 22:00."),
        ("zh", "昨天卖了14张桌子。"),
        ("zh", "昨天每桌卖了14杯茶。"),
        ("zh", "今天修14张桌子。"),
        ("ja", "昨日机を14台運んだ。"),
        ("pl", "Piec grzeje do 1240 stopni."),  # no endings are known
        (None, "The proxy forwards to port 7443."),
        ("en", ""),
        ("en", "7443"),
    ],
)
def test_what_happened_or_says_too_little(language: str | None, sentence: str) -> None:
    assert not tells_what_holds(sentence, language)


@pytest.mark.parametrize(
    ("word", "language", "is_it"),
    [
        ("carries", "en", True), ("goes", "en", True), ("glass", "en", False), ("läuft", "de", True),
        ("lief", "de", False), ("escucha", "es", True), ("escuchó", "es", False), ("écoutent", "fr", True),
        ("ascoltano", "it", True), ("работает", "ru", True), ("работал", "ru", False), ("runs", "pl", False),
        ("Runs", "en", False), ("runs", None, False), ("", "en", False),
    ],
)  # fmt: skip
def test_a_verb_in_the_present_is_told_by_its_ending_and_its_infinitive(word: str, language: str | None, is_it: bool):
    assert may_be_present(word, language) == is_it


def test_sessions_alone_are_consolidated(tmp_path: Path) -> None:
    """Nobody had notes; all of it had stayed text of the sessions, what is over with the rest."""
    told = [
        "The proxy forwards to port 7443. Payroll goes through Wagely. Ran all checks.",
        "The proxy now forwards to port 8443. Switched payroll from Wagely to Lohnix.",
    ]
    with graphdream.open(tmp_path / "memory.db") as graph:
        for month, summary in enumerate(told, 1):
            graph.record_session(f"s{month}", summary=summary, ended_at=f"2026-0{month}-01T18:00:00Z")
            graph.dream()
        rows = graph.store.connection.execute("SELECT content, status FROM attribute ORDER BY id").fetchall()
    assert dict(map(tuple, rows)) == {
        "The proxy forwards to port 7443.": "superseded",
        "Payroll goes through Wagely.": "superseded",
        "The proxy now forwards to port 8443.": "active",
        "Switched payroll from Wagely to Lohnix.": "active",
    }


def test_what_is_said_in_passing_holds_for_the_moment(tmp_path: Path) -> None:
    turns = [
        {"role": "user", "content": "The build fails on port 7443. Please remember that the proxy runs on port 9443."}
    ]
    with graphdream.open(tmp_path / "memory.db") as graph:
        graph.record_session("s1", transcript=turns)
        graph.dream()
        rows = graph.store.connection.execute("SELECT content FROM attribute").fetchall()
    assert [row[0] for row in rows] == ["the proxy runs on port 9443."]


def test_the_folder_is_found_again(tmp_path: Path) -> None:
    """A second session about something else had asked for a second folder, and been refused it."""
    with graphdream.open(tmp_path / "memory.db") as graph:
        for number, told in enumerate(("The proxy runs on port 9443.", "Payroll goes through Wagely.")):
            graph.record_session(f"s{number}", summary=told)
            report = graph.dream()
        assert "not applied" not in str(report)
        assert graph.store.connection.execute("SELECT count(*) FROM entity").fetchone()[0] == 1


@pytest.mark.parametrize(
    ("told", "language", "holds"),
    [
        ("仓库的门禁码改成了8814。", "zh", True),
        ("会费涨到了260元。", "zh", True),
        ("倉庫の暗証番号は8814に変わりました。", "ja", True),
        ("昨天修好了3台机器。", "zh", False),
        ("昨日は3台を直しました。", "ja", False),
    ],
)
def test_what_a_value_has_come_to_holds_in_scripts_without_blanks(told: str, language: str, holds: bool) -> None:
    """Only the older code was a fact, since the newer was taken for what happened."""
    assert tells_what_holds(told, language) == holds
