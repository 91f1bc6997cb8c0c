"""The three questions on lines in other words: what is sure is done, what is not stays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from graphdream.facts import Subject, consolidate
from graphdream.facts.calibration import Calibration, shipped
from graphdream.facts.cuts import Cuts
from graphdream.facts.explain import explain_facts
from graphdream.facts.groups import Says, group
from graphdream.facts.judge import judge
from graphdream.facts.reading import ReadingMemory
from graphdream.facts.says import may_say
from graphdream.facts.signals import SIGNALS
from graphdream.facts.slots import cut_of_told
from graphdream.facts.statements import StatementMaker, copied_notes
from graphdream.language.labels import label_of
from graphdream.language.scripts import spaced, status_marks, units
from support.facts_world import fact

QUAY = Subject(1, ("Quay rota",), "project", False)


def _judged(*told: tuple[str, int], aspect: str = "general", **changes: object):
    facts = [fact(at, 1, text, day, aspect=aspect, **changes) for at, (text, day) in enumerate(told)]
    return consolidate(facts, [QUAY])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("headquarters: Taipei", "Quay rota moved its headquarters from Taipei to Kigali"),
        ("The office of Quay rota is in Taipei", "The office of Quay rota was moved from Taipei to Kigali"),
        ("the deadline is in June 2025", "the deadline is in June 2026"),
    ],
)
def test_a_change_that_is_told_ends_what_was_before(old, new):
    found = _judged((old, 10), (new, 70))
    assert [(a, b) for a, b, _, _ in found.superseded] == [(0, 1)]
    assert not found.duplicates and not found.junk


@pytest.mark.parametrize(
    "text",
    [
        "Run the formatter before each commit; never push on a Friday",
        "#88 — slow upload test, skipped until the bucket is replaced",
        "The gateway reads `deploy/edge`. nginx reloads it on SIGHUP",
        "assistant: immer auf Deutsch antworten",
        "Kontonummer: DE02 1203 0000 0000 2020 51",
        "时间：晚上 9:30",
        "Медпункт закрыт по средам, ключ у вахтёра",
        "Whether one region is fast enough or a second one is needed",
    ],
)
def test_a_line_that_somebody_wrote_is_no_junk(text):
    found = _judged((text, 3), ("the kettle is in the shed", 9))
    assert not found.junk and not found.duplicates and not found.superseded


@pytest.mark.parametrize("title", ["Notes", "Todo", "Label / misc", "items"])
@pytest.mark.parametrize("source", ["file:MEMORY.md", "mcp-memory:memory.jsonl", ""])
def test_what_people_write_is_no_junk_under_any_title(title: str, source: str) -> None:
    """A title that names nothing was taken for the work of a bad extraction, and good sentences under it for junk."""
    texts = ("the kiln is serviced by Pavel Drozd", "Jorun Bakke keeps goats in Voss", "prune the quince before frost")
    facts = [fact(at, 1, text, 2 + at, source=source, session=None) for at, text in enumerate(texts)]
    found = consolidate(facts, [Subject(1, (title,), "concept", False)])
    assert not found.junk and not found.junk_subjects


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Relay: ✅ Mailer: ❌", "Relay: ❌ Mailer: ✅"),
        ("[ ] order new fenders", "[x] order new fenders"),
        ("Audit done on 2026-03-08T06:20:54Z", "Audit done on 2026-03-08T07:49:34Z"),
        ("mooring fee until 2025-04-01", "mooring fee until 2026-04-01"),
        ("Ana berichtet an Bo", "Bo berichtet an Ana"),
        ("run `tide sync a.toml`", "run `tide sync a.toml --force`"),
        ("eats nuts", "never eats nuts"),
    ],
)
def test_what_differs_in_a_mark_a_moment_or_a_denial_is_not_the_same(one, other):
    found = _judged((one, 3), (other, 40))
    assert not found.duplicates


def test_what_was_told_on_one_occasion_is_a_list():
    found = _judged(("berth fee: 20 euro", 5), ("berth fee: 35 euro", 5))
    assert not found.superseded


def test_under_dated_headings_each_line_is_a_record():
    facts = [
        fact(at, 1, f"Copper: {price}", day, aspect=f"Prices / week {week}")
        for at, (week, price, day) in enumerate([(9, "$8412", 60), (10, "$8530", 67), (11, "$8711", 74)])
    ]
    assert not consolidate(facts, [QUAY]).superseded


def test_one_that_breaks_off_speaks_for_none_that_goes_on():
    whole = ("The bilge pump runs for forty seconds every second hour of the night", 3)
    for cut in ("The bilge pump runs for forty seconds every second hour of the nig", "The bilge pump runs for forty"):
        found = _judged(whole, (cut, 20))
        assert not [loser for loser, _, _ in found.duplicates if loser == 0]
        assert not found.superseded


def test_a_line_of_a_file_is_edited_and_a_list_that_grew_is_not():
    lines = [("Mast height: 14 m", 3), ("Mast height: 16 m", 40)]
    found = _judged(*lines, source="file:notes/quay.md", aspect="Quay / Rigging")
    assert [(old, new) for old, new, _, _ in found.superseded] == [(0, 1)]
    grown = [("Crew: Imke, starboard watch", 3), ("Crew: Boje, port watch", 3), ("Crew: Telse, galley", 40)]
    assert not _judged(*grown, source="file:notes/quay.md", aspect="Quay / Crew").superseded


def test_lines_with_two_labels_are_about_two_things():
    found = _judged(("Crew hut: heating on, 19 degrees", 5), ("Boat shed: heating on, 12 degrees", 40))
    assert not found.superseded and not found.duplicates


def test_what_a_person_told_is_taken_away_by_no_pass_and_replaced_by_what_a_person_told():
    before, after = ("headquarters: Taipei", 10), ("Quay rota moved its headquarters from Taipei to Kigali", 70)
    assert not _judged(("and then the", 3), authority="user").junk
    mixed = [fact(0, 1, before[0], before[1], authority="user"), fact(1, 1, after[0], after[1])]
    assert not consolidate(mixed, [QUAY]).superseded
    assert _judged(before, after, authority="user").superseded


def test_of_equal_facts_that_of_the_person_stays():
    facts = [fact(0, 1, "The key hangs behind the door.", 3), fact(1, 1, "the key hangs behind the door", 9)]
    found = consolidate([facts[0], replace(facts[1], authority="user")], [QUAY])
    assert [(loser, survivor) for loser, survivor, _ in found.duplicates] == [(0, 1)]


def test_a_denial_is_a_contradiction_and_both_stay():
    found = _judged(("allergic to hazelnuts", 3), ("not allergic to hazelnuts", 40))
    assert [(a, b) for a, b, _ in found.contradictions] == [(0, 1)]
    assert not found.superseded and not found.duplicates


def test_cuts_are_a_dial():
    facts = [fact(0, 1, "Quay rota sleeps in Oslo", 10), fact(1, 1, "Quay rota sleeps in Bergen", 70)]
    found = [len(judge(facts, [QUAY], shipped(), cuts=Cuts(told=cut)).superseded) for cut in (0.999, 0.5, 0.05)]
    assert found == sorted(found) and found[0] == 0 and found[-1] == 1


def test_what_is_not_sure_is_open():
    found = _judged(("Quay rota sleeps in Oslo", 10), ("Quay rota sleeps in Bergen", 70))
    assert not found.superseded
    assert [(one.question, one.first, one.second) for one in found.open] == [("replaces", 0, 1)]


def test_an_explanation_says_what_was_asked_and_what_told_most():
    facts = [fact(0, 1, "headquarters: Taipei", 10), fact(1, 1, "it moved its headquarters from Taipei to Kigali", 70)]
    explained = explain_facts(facts, [QUAY], 0, 1)
    asked = {answer.question: answer for answer in explained.answers}
    answer = asked["did the second replace the first?"]
    assert explained.compared and 0 <= answer.probability <= 1 and len(answer.signals) >= 3
    assert "did the second replace the first?" in explained.as_text()
    with pytest.raises(KeyError):
        explain_facts(facts, [QUAY], 0, 7)


@pytest.mark.parametrize(
    ("told", "source", "ended"),
    [
        (("headquarters: Taipei", "Quay rota moved its headquarters from Taipei to Kigali"), "", True),
        (("berths open at 07:30, gate 4", "berths open at 08:15, gate 4"), "file:notes/quay.md", True),
        (("berths open at 07:30, gate 4", "berths open at 08:15, gate 4"), "file:diary/2025-06-03.md", False),
    ],
)
def test_an_explanation_holds_of_a_change_what_a_pass_does(told, source, ended):
    facts = [fact(at, 1, text, 10 + 9 * at, source=source) for at, text in enumerate(told)]
    explained = explain_facts(facts, [QUAY], 0, 1)
    answer = next(one for one in explained.answers if one.question == "did the second replace the first?")
    assert (answer.probability >= answer.cut) == ended == bool(consolidate(facts, [QUAY]).superseded)


def test_the_shipped_calibration_survives_a_round_trip_and_names_no_text():
    data = shipped().to_json()
    assert Calibration.from_json(data).to_json() == data
    assert data["command"].startswith("python -m graphdream.facts.train")
    for question in ("same", "replaces"):
        assert set(data[question]["written"]["measured"]) == {"histories"}
        assert len(data[question]["told"]["measured"]) >= 3 and "histories" not in data[question]["told"]["measured"]
    assert len(data["changes"]["measured"]) >= 3
    with pytest.raises(ValueError):
        Calibration.from_json({**data, "format": 0})


def test_whole_copies_of_notes_are_dated_by_their_name_and_notes_of_a_day_are_not():
    backup = [fact(at, 1, f"line {at}", 200, source="file:memory/MEMORY.backup-2025-03-01.md") for at in range(2)]
    slow = [
        replace(fact(at + 3, 1, f"line {at}", 100, source="file:notes/2025-02-01.bak.md"), known_at=known_at)
        for at, known_at in enumerate(("2025-05-02T10:00:00Z", "2025-05-02T10:00:26Z"))
    ]
    diary = [fact(at + 5, 1, f"entry {at}", 60 + at, source="file:memory/2025-03-02.md") for at in range(2)]
    copies = {"file:memory/MEMORY.backup-2025-03-01.md", "file:notes/2025-02-01.bak.md"}
    assert copied_notes([*backup, *slow, *diary]) == copies


def test_scripts_without_spaces_are_read_by_characters():
    assert list(units(tuple(spaced("上限二百次 v2").split()))) == ["上限", "限二", "二百", "百次", "v2"]
    assert status_marks("- [x] Relay: ✅") == ("[x]", "✅")
    assert label_of("- **Default model:** Larch 4") == ("default model", "larch 4")
    assert label_of("no label here") == ("", "")
    assert label_of("**Rundgang 16:05** — Tor zu, Licht aus") == ("rundgang 16:05", "tor zu, licht aus")
    assert label_of("ver https://example.org/valla antes de cortar") == ("", "")


def test_who_does_and_who_is_done_to_are_not_exchanged():
    maya = Subject(1, ("Maya Okafor", "Maya"), "person", False)
    told = [fact(0, 1, "Maya reports to Ada Falk", 1), fact(1, 1, "Ada Falk reports to Maya", 40)]
    assert not consolidate(told, [maya]).duplicates


@pytest.mark.parametrize(
    ("whole", "other", "piece"),
    [
        ("Coverage 58%", "coverage reached 58%", "58%"),
        ("the value of TIDE_MARK is low-7", "TIDE_MARK stands at low-7", "TIDE_MARK=l"),
        ("good for mooring the punt", "the punt moors well with it", "good for mooring"),
        ("Ebbtide rule 255: softer bells at dusk", "wanted softer bells at dusk (rule 255)", "Ebbtide rule 255: s"),
        ("the hull groans during spring tides", "spring tides make the hull groan", "mind that the hull groans"),
    ],
)
def test_a_piece_never_stays_for_what_says_more(whole: str, other: str, piece: str) -> None:
    facts = [fact(0, 1, whole, 1), fact(1, 1, other, 5), fact(2, 1, piece, 9)]
    said = StatementMaker(facts, [Subject(1, ("Ebbtide",), "project", False)], ReadingMemory()).make(facts)
    of = {one.content: one.at for one in said}
    says = [Says(a, b, 0.99) for a in of.values() for b in of.values() if a != b]
    found = group(said, says, {1: ("Ebbtide",)}, ())
    assert {one.survivor.content for one in found}.isdisjoint({piece})


@pytest.mark.parametrize(
    ("whole", "piece"),
    [
        (("the tide log is kept in logs/tide/watch.md",), "the tide log is kept in logs/ti"),
        (("Ebbtide is moored at Ottermole Reach for now",), "Ebbtide is moored at Ottermole, Rea"),
        (
            ("the pilot is Joanna Petrel", "Joanna Petrel pilots Ebbtide", "Joanna Petrel steers it"),
            "the pilot is Joan",
        ),
    ],
)
def test_what_breaks_off_replaces_nothing(whole: tuple[str, ...], piece: str) -> None:
    subjects = [
        Subject(1, ("Ebbtide",), "project", False),
        Subject(2, ("Ottermole Reach", "Ottermole"), "place", False),
        Subject(3, ("Joanna Petrel",), "person", False),
    ]
    facts = [fact(at, 1, line, 1 + at) for at, line in enumerate(whole)]
    facts.append(fact(len(whole), 1, piece, 40))
    dial = Cuts(told=0.0, shown=0.0, listed=0.0, doubtful=0.0)
    found = judge(facts, subjects, shipped(), cuts=dial)
    assert not any(new == len(whole) for _, new, *_ in found.superseded)
    assert not any(one.second == len(whole) for one in found.open if one.question == "replaces")


def test_what_holds_a_value_that_nothing_else_says_is_junk_only_where_that_is_surer():
    facts = [fact(0, 1, "berths 731 stay empty", 10), fact(1, 1, "moorings lie idle", 12)]
    dial = Cuts(empty=0.0, lone=1.01)
    assert [at for at, _ in judge(facts, [QUAY], shipped(), cuts=dial).junk] == [1]
    facts.append(fact(2, 1, "Quay rota has 731 berths", 15, authority="user"))
    assert [at for at, _ in judge(facts, [QUAY], shipped(), cuts=dial).junk] == [0, 1]


def test_what_was_cut_out_of_another_text_is_junk_sooner_whatever_value_it_holds():
    facts = [fact(0, 1, "berths 731 and", 10), fact(1, 1, "berths stay empty", 12)]
    dial = Cuts(cut_out=0.0, empty=1.01, lone=1.01)
    assert [at for at, _ in judge(facts, [QUAY], shipped(), cuts=dial).junk] == [0]


def test_a_line_of_notes_is_junk_only_where_that_is_surer_than_of_what_was_cut_out_of_talk():
    facts = [fact(0, 1, "berths and", 10), fact(1, 1, "rota of", 12, source="file:NOTES.md")]
    dial = Cuts(cut_out=0.0, empty=0.0, lone=1.01)
    assert [at for at, _ in judge(facts, [QUAY], shipped(), cuts=dial).junk] == [0]


def test_what_is_said_of_several_is_junk_only_where_that_is_surest():
    quays = [Subject(at, (name,), "place", False) for at, name in enumerate(("Ottermole", "Pikehythe"), 7)]
    facts = [fact(at, quay.id, "takes barges", 10 + at) for at, quay in enumerate(quays)]
    dial = Cuts(cut_out=0.0, empty=0.0, lone=1.01)
    assert not judge(facts, quays, shipped(), cuts=dial).junk
    assert [at for at, _ in judge(facts[:1], quays, shipped(), cuts=dial).junk] == [0]


def test_other_words_are_no_other_way_of_saying_it_where_they_say_less_than_half_and_the_rest_is_told():
    row = dict.fromkeys(SIGNALS, np.nan) | {"word_a": 3, "word_b": 1, "cover_a": 0.45, "same_reading": 0}
    told, framed, most = {"frame_a": 0.1}, {"frame_a": 0.5}, {"frame_a": 0.1, "cover_a": 0.7}
    table = np.array([list((row | one).values()) for one in (told, framed, most)], dtype=np.float32)
    assert may_say(table).tolist() == [False, True, True]


def test_a_change_is_surer_of_a_question_whose_changes_are_told_than_of_one_that_is_answered_by_a_list():
    row = dict.fromkeys(SIGNALS, np.nan) | {"kind_meets": 1.0}
    seldom = {"relation_told": 0.0, "relation_tests": np.log1p(3)}
    told = {"relation_told": 0.0, "relation_tests": np.log1p(40), "frame_told": 0.02}
    never = {"frame_told": 0.0, "frame_tests": np.log1p(40)}
    words = {"kind_meets": np.nan}
    table = np.array([list((row | one).values()) for one in ({}, seldom, told, never, words)], dtype=np.float32)
    cuts = Cuts()
    assert cut_of_told(table, cuts).tolist() == [cuts.told, cuts.told, cuts.shown, cuts.listed, cuts.worded]


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("fitted with a relay of 16 A", "fitted with a relay of 16 a", False),
        ("they chose option A for the dock", "they chose option a for the dock", False),
        ("Moored by A Tall Stone", "moored by a tall stone", True),
        ("FITTED WITH A RELAY", "fitted with a relay", True),
    ],
)
def test_a_letter_that_stands_for_itself_is_not_the_word_that_it_is_in_small(one: str, other: str, alike: bool) -> None:
    facts = [fact(at, 1, text, 10 + at) for at, text in enumerate((one, other))]
    made = StatementMaker(facts, [QUAY], ReadingMemory())
    first, second = (made.reading(one).words for one in facts)
    assert (first == second) == alike


@pytest.mark.parametrize(
    ("after", "cut"),
    [
        ("rye loaves sell for 4.50", 0.985),
        ("rye loaves now sell for 4.50", 0.95),
        ("rye loaves should now sell for 4.50", 0.985),
        ("rye loaves are not sold by weight now", 0.97),
    ],
)
def test_what_is_told_to_hold_from_now_on_is_cut_sooner(after: str, cut: float):
    facts = [fact(0, 1, "rye loaves sell for 4.20", day=2), fact(1, 1, after, day=42, session="ses_later")]
    answers = explain_facts(facts, [Subject(1, ("Ondrea",), "person", False)], 0, 1).answers
    assert [one.cut for one in answers if one.question == "did the second replace the first?"] == [cut]


@pytest.mark.parametrize("answer", ["no", "none", "never", "all", "无", "keine", "41%"])
def test_what_answers_an_aspect_says_something(answer: str):
    others = [fact(1, 1, "hums when it rains"), fact(2, 1, "keeps old maps")]
    found = consolidate([fact(0, 1, answer, aspect="allergies"), *others], [Subject(1, ("Ondrea",), "person", False)])
    assert not found.junk
