"""Lines of notes that somebody wrote anew where they stood: ticked, struck out, under a label that was renamed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graphdream.facts import FactFindings, Subject, consolidate
from graphdream.facts.calibration import shipped
from graphdream.facts.cuts import Cuts
from graphdream.facts.judge import judge
from graphdream.graph.names import canonical_text
from graphdream.language.scripts import status_marks, struck_out
from support.facts_world import fact

SHED = Subject(1, ("Shed",), "project", False)


def _judged(*told: tuple[str, int], aspect: str = "Shed / Plans") -> FactFindings:
    facts = [
        fact(at, 1, text, day, aspect=aspect, source="file:notes/shed.md", session=None)
        for at, (text, day) in enumerate(told)
    ]
    return consolidate(facts, [SHED])


def _ended(found: FactFindings) -> list[tuple[int, int]]:
    return [(old, new) for old, new, _, _ in found.superseded]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("order forty bricks from Hadley", "~~order forty bricks from Hadley~~"),
        ("repaint the door green", "~~repaint the door green~~ done"),
        ("Werkbank: Schraubstock ölen", "~~Schraubstock ölen~~"),
        ("pump pressure: 3 bar", "pump pressure: ~~3 bar~~ 2.5 bar"),
        ("сдать отчёт по теплице", "~~сдать отчёт по теплице~~"),
        ("棚にペンキを塗る", "~~棚にペンキを塗る~~"),
    ],
)
def test_what_is_struck_out_is_over(old: str, new: str) -> None:
    found = _judged((old, 3), (new, 40))
    assert _ended(found) == [(0, 1)]
    assert not found.duplicates and not found.junk


def test_a_stroke_ends_only_what_it_goes_through() -> None:
    assert not _judged(("mend the trellis by the gate", 3), ("~~mend the roof by the gate~~", 40)).superseded
    assert not _judged(("~~mend the trellis~~", 3), ("~~mend the trellis~~ and the gate", 3)).superseded


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[ ] mend the trellis by the gate", "[x] mend the trellis by the gate"),
        ("Mutterboden: ❌ noch nicht bestellt", "Mutterboden: ✅ noch nicht bestellt"),
        ("[ ] регулярно смазывать петли на воротах", "[x] регулярно смазывать петли на воротах"),
    ],
)
def test_a_mark_that_changed_ends_the_one_before(old: str, new: str) -> None:
    assert _ended(_judged((old, 3), (new, 40))) == [(0, 1)]


def test_lines_whose_label_was_renamed_are_the_lines_of_before() -> None:
    before = [("Improve the roof: lay new felt", 3), ("Improve the roof: clear both gutters", 3)]
    after = [("Repair the roof: lay new felt", 40), ("Repair the roof: clear both gutters", 40)]
    assert _ended(_judged(*before, *after)) == [(0, 2), (1, 3)]


def test_one_line_under_another_label_is_another_line() -> None:
    assert not _judged(("Ana Reis: keeps bees", 3), ("Ana Lund: keeps bees", 40)).superseded
    two = [("Crew hut: heating on", 3), ("Crew hut: lamp lit", 3), ("Boat: heating on", 40), ("Boat: lamp lit", 40)]
    assert not _judged(*two).superseded


BESIDE = [
    ("Sow the broad beans in rows", 3), ("Compost: turned on Sunday", 3), ("Keep the hens off the leek bed", 3),
    ("Water butt: filled to the brim", 3), ("The gate is latched at dusk", 3),
]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Seedlings (on the sill): 40 leeks, 12 celery", "Seedlings (in the frame): 40 leeks, 12 celery"),
        (
            "Read the almanac before sowing: it is on the shelf in the hall",
            "Read the almanac before sowing anything: it is on the shelf in the hall",
        ),
        (
            "The far bed by the wall, where the beans stood last year — garlic, 40 cloves, mulched with straw",
            "The far bed by the wall, where the beans stood last summer — garlic, 60 cloves, mulched with straw",
        ),
    ],
)
def test_a_line_that_was_edited_before_its_mark_is_over(old: str, new: str) -> None:
    assert _ended(_judged(*BESIDE, (old, 3), (new, 40))) == [(5, 6)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Ana Reis: keeps bees and two goats", "Ana Lund: keeps bees and three goats"),
        ("Bed 4: garlic, mulched with straw", "Bed 5: garlic, mulched with bark"),
        ("Boden links: zweimal gehackt", "Boden rechts: dreimal gehackt"),
    ],
)
def test_a_line_about_something_else_ends_none(old: str, new: str) -> None:
    assert not _judged(*BESIDE, (old, 3), (new, 40)).superseded


def test_lines_of_two_moments_are_two_lines() -> None:
    log = [f"[2026-05-02 16:04:{second}] ✅ Regenmesser geleert" for second in (39, 42, 45, 48)]
    found = _judged(*((line, 5) for line in log))
    assert not found.duplicates and not found.superseded


@pytest.mark.parametrize(("source", "ended"), [("file:notes/shed.md", [(0, 1)]), ("", [])])
def test_a_line_of_notes_may_have_been_shortened_and_a_piece_of_talk_ends_nothing(source, ended) -> None:
    long = "the compressor is drained each Friday evening before somebody locks up, also in winter"
    short = "the compressor is drained each Friday evening before somebody locks up"
    facts = [
        fact(at, 1, text, day, aspect="Shed / Plans", source=source, session=None)
        for at, (text, day) in enumerate([(long, 3), (short, 40)])
    ]
    found = judge(facts, [SHED], shipped(), cuts=Cuts(edited=0.5, told=0.5, doubtful=0.5, same=1.0, copied=1.0))
    assert _ended(found) == ended


def test_what_goes_on_with_a_list_ends_nothing() -> None:
    """`build 3` and `build 4` stood there at once; `build 5` and `build 6` came one by one."""
    builds = [(f"packed for Hadley: build {number}", day) for number, day in ((3, 3), (4, 3), (5, 9), (6, 21))]
    assert not _judged(*builds).superseded
    assert _ended(_judged(("packed for Hadley: build 5", 9), ("packed for Hadley: build 6", 21))) == [(0, 1)]


def test_a_stroke_is_a_mark_and_makes_another_text() -> None:
    assert status_marks("~~- [x] Relay~~") == ("~~", "[x]")
    assert struck_out("port: ~~8080~~ 8443") == "8080" and not struck_out("a ~~ b") and not struck_out("~/notes ~/old")
    assert canonical_text("~~Order bricks.~~") != canonical_text("Order bricks.")
    assert canonical_text("- ~~Order bricks~~") == canonical_text("~~order bricks~~.")
    assert canonical_text("~~Order~~ bricks") == canonical_text("~~order~~ bricks") == "order~~ bricks"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("**Rundgang 16:05** — Tor zu, Ofen 61 Grad, 3 Gäste", "**Rundgang 16:50** — Tor zu, Ofen 64 Grad, 3 Gäste"),
        ("Ronda 07:10: dos bombas en marcha, nivel 40", "Ronda 07:40: dos bombas en marcha, nivel 44"),
        ("巡回 10:05：水位正常、ポンプ三台", "巡回 10:35：水位正常、ポンプ二台"),
    ],
)
def test_a_line_with_its_time_of_day_is_a_record_of_it(old: str, new: str) -> None:
    assert not _judged((old, 3), (new, 4)).superseded


def test_lines_of_one_day_under_a_heading_with_a_time_of_day_are_records() -> None:
    def ended(heading: str) -> list[tuple[int, int]]:
        told = [
            replace(
                fact(at, 1, text, 3, aspect=heading, source="file:notes/shed.md", session=None),
                known_at=f"2025-03-03T{hour}:00:00Z",
                last_at=f"2025-03-03T{hour}:00:00Z",
            )
            for at, (text, hour) in enumerate(
                (("Water in the tank: 40 litres", "09"), ("Water in the tank: 52 litres", "11"))
            )
        ]
        return _ended(consolidate(told, [SHED]))

    assert ended("Shed / Tank") == [(0, 1)]
    assert not ended("Round at 08:30 / Tank")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("last swept 2025-02-24", "last swept 2025-03-10"),
        (
            "the shed door sticks when it rains, so lift it by the handle",
            "the shed door jams when it rains, so lift it by the handle",
        ),
        (
            "Torben streicht im Mai die Bretter der Laube und ölt danach die Scharniere",
            "Torben strich im Mai die Bretter der Laube und ölte danach die Scharniere",
        ),
    ],
)
def test_a_line_in_nearly_the_same_words_is_the_line_of_before(old: str, new: str) -> None:
    assert _ended(_judged((old, 3), (new, 40))) == [(0, 1)]
    assert not _ended(_judged((old, 3), (new, 3)))


SHORTENED = [
    ("hinges: oil them twice a year (linseed, 20 ml)", "hinges: oil them twice a year"),
    ("Torschloss: neuer Zylinder ist bestellt (Firma Odenthal)", "Torschloss: neuer Zylinder ist bestellt"),
    ("cobertizo: pintar la puerta de verde (dos capas)", "cobertizo: pintar la puerta de verde"),
    ("物置の扉は緑に塗る。ちょうつがいも直す。", "物置の扉は緑に塗る。"),
]


@pytest.mark.parametrize(("old", "new"), SHORTENED)
def test_a_line_that_was_shortened_where_it_stood_is_over(old: str, new: str) -> None:
    """The shorter one went into the longer, as one that says all of it, and the file had it no more."""
    found = _judged((old, 3), (new, 40))
    assert _ended(found) == [(0, 1)] and not found.duplicates


def test_a_piece_that_was_cut_out_of_a_line_ends_it_not() -> None:
    whole = "Torben keeps the key of the shed at Odenthal Brothers, by the gate"
    for piece in ("Torben keeps the key of the shed at Odenthal", "key of the shed at Odenthal Brothers, by the gate"):
        assert not _ended(_judged((whole, 3), (piece, 40)))


@pytest.mark.parametrize(("old", "new"), SHORTENED)
def test_a_shorter_line_that_stood_beside_a_longer_ends_it_not(old: str, new: str) -> None:
    found = _judged((old, 3), (old, 60), (new, 40))
    assert not _ended(found)


def test_a_value_that_stood_beside_others_in_such_lines_is_one_of_a_list() -> None:
    times = ("swept at 5:54 AM", "swept at 6:54 AM", "swept at 7:54 AM")
    assert not _ended(_judged(*((text, 3) for text in times), ("swept at 5:54 PM", 9), ("swept at 6:54 PM", 9)))


@pytest.mark.parametrize(("source", "ended"), [("file:notes/shed.md", [0]), ("file:diary/2025-06-03.md", [])])
def test_a_line_of_a_page_of_a_diary_ends_none_before_it(source: str, ended: list[int]) -> None:
    told = ("Torben: sanding the planks, 12 done", 3), ("Torben: sanding the planks, 19 done", 5)
    facts = [fact(at, 1, text, day, aspect="Now", source=source, session=None) for at, (text, day) in enumerate(told)]
    found = consolidate(facts, [SHED])
    assert [old for old, *_ in found.superseded] == ended


@pytest.mark.parametrize(("page", "ended"), [("notes/shed", [0]), ("diary/2025-06-05", [])])
def test_a_page_of_a_diary_ends_no_line_of_another(page: str, ended: list[int]) -> None:
    first = page.replace("05", "03")
    told = (("Torben: sanding the planks, 12 done", 3, first), ("Torben: sanding the planks, 19 done", 5, page))
    facts = [
        fact(at, 1, text, day, aspect="Now", source=f"file:{name}.md", session=None)
        for at, (text, day, name) in enumerate(told)
    ]
    found = consolidate(facts, [SHED])
    assert [old for old, *_ in found.superseded] == ended


@pytest.mark.parametrize(("day", "ended"), [(4, []), (14, [0])])
def test_a_page_of_a_day_is_edited_once_its_day_has_passed(day: int, ended: list[int]) -> None:
    """On its day, and the night after, a page is written on; who writes its line anew a week later, edits it."""
    told = ("Torben sands the planks with 120 grit", 3), ("Torben sands the planks with 180 grit", day)
    facts = [
        fact(at, 1, text, when, aspect="Plans", source="file:diary/2025-01-03.md", session=None)
        for at, (text, when) in enumerate(told)
    ]
    assert [old for old, *_ in consolidate(facts, [SHED]).superseded] == ended


def test_a_line_that_stands_in_two_files_is_not_over_where_one_of_them_was_edited() -> None:
    told = (
        ("wax the hinges in April", 3, "shed"),
        ("wax the hinges in April", 3, "garage"),
        ("wax the hinges in June", 40, "shed"),
    )
    facts = [
        fact(at, 1, text, day, aspect="Rules", source=f"file:notes/{name}.md", session=None)
        for at, (text, day, name) in enumerate(told)
    ]
    assert not consolidate(facts, [SHED]).superseded
    both = [*facts, fact(3, 1, told[2][0], 40, aspect="Rules", source="file:notes/garage.md", session=None)]
    assert consolidate(both, [SHED]).superseded
    assert consolidate([facts[0], facts[2]], [SHED]).superseded
