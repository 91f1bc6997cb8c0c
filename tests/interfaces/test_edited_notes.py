"""Notes that were edited and imported again: what came in the place of a line replaces it in the next dream."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from graphdream import Graph
from graphdream import open as open_graph
from graphdream.interfaces.cli import main
from graphdream.interfaces.importers import import_file
from graphdream.interfaces.importers.heirs import Line, heirs_of

NOTE = """\
# Allotments
## Plots
- Plot 3: Winnie, beans and squash
- Plot 8: vacant since May
- Plot 11: the Petersons
## Site
- Kod do drzwi: 4417
- Grindkod 5518
- Check-in dalle 15 alle 19
- MSRV 1.74
- 門の鍵は青い箱
"""
EDITS = (
    ("Plot 8: vacant since May", "Plot 8: let to Iain Brodie"),
    ("Kod do drzwi: 4417", "Kod do drzwi: 9920"),
    ("Grindkod 5518", "Grindkod 7043"),
    ("Check-in dalle 15 alle 19", "Check-in dalle 16 alle 20"),
    ("MSRV 1.74", "MSRV 1.80"),
    ("門の鍵は青い箱", "門の鍵は赤い箱"),
)


def _write(folder: Path, text: str) -> Path:
    path = folder / "MEMORY.md"
    path.write_text(text, encoding="utf-8")
    return path


def _committed(folder: Path, text: str, day: int) -> Path:
    path = _write(folder, text)
    when = f"2026-05-{day:02}T09:00:00Z"
    for words in (["init", "-q"], ["add", "MEMORY.md"], ["commit", "-qm", "x"]):
        subprocess.run(
            ["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", *words], check=True,
            env={"PATH": "/usr/bin:/bin", "GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when},
        )  # fmt: skip
    return path


def _imported(graph: Graph, path: Path, day: int) -> int:
    return import_file(graph.store, path, clock=lambda: f"2026-05-{day:02}T10:00:00.000Z").rows.get("attribute", 0)


def _replaced(graph: Graph) -> set[tuple[str, str]]:
    rows = graph.store.connection.execute(
        "SELECT old.content, new.content FROM attribute AS old JOIN attribute AS new ON new.id = old.superseded_by"
    )
    return {(old, new) for old, new in rows}


def _active(graph: Graph) -> list[str]:
    rows = graph.store.connection.execute("SELECT content FROM attribute WHERE status = 'active' ORDER BY id")
    return [content for (content,) in rows]


@pytest.mark.parametrize(("old", "new"), EDITS)
def test_one_line_that_was_edited_is_replaced(tmp_path: Path, old: str, new: str) -> None:
    with open_graph(tmp_path / "m.db") as graph:
        _imported(graph, _write(tmp_path, NOTE), 1)
        graph.dream()
        _imported(graph, _write(tmp_path, NOTE.replace(old, new)), 9)
        graph.dream()
        assert _replaced(graph) == {(old, new)}
        assert graph.dream().pass_id is None


def test_all_of_them_at_once_and_the_undo_gives_them_back(tmp_path: Path) -> None:
    text = NOTE
    for old, new in EDITS:
        text = text.replace(old, new)
    with open_graph(tmp_path / "m.db") as graph:
        _imported(graph, _write(tmp_path, NOTE), 1)
        _imported(graph, _write(tmp_path, text), 9)
        done = graph.dream(compact=True)
        assert _replaced(graph) == set(EDITS)
        graph.undo(done.pass_id)
        assert _replaced(graph) == set()


def test_a_line_that_comes_back_holds_again(tmp_path: Path) -> None:
    texts = ["# Mill\n- Sluice: open\n- Wheel: oak\n", "# Mill\n- Sluice: closed\n- Wheel: oak\n"]
    with open_graph(tmp_path / "m.db") as graph:
        for day in range(1, 6):
            path = _write(tmp_path, texts[(day + 1) % 2])
            assert _imported(graph, path, day) == (2 if day == 1 else 1)
            assert _imported(graph, path, day) == 0
            graph.dream()
            assert sorted(_active(graph)) == sorted(line[2:] for line in texts[(day + 1) % 2].splitlines()[1:])


def test_a_value_told_in_a_session_is_not_taken_back_by_the_file_that_still_has_the_old_one(tmp_path: Path) -> None:
    with open_graph(tmp_path / "m.db") as graph:
        path = _write(tmp_path, "# Mill\n- Gate code: 4417\n- Wheel: oak\n")
        _imported(graph, path, 1)
        old = graph.store.connection.execute("SELECT id FROM attribute WHERE content LIKE 'Gate%'").fetchone()[0]
        new = graph.remember("Mill: the gate code is 9920")
        graph.edit({"op": "supersede_attribute", "old": f"a{old}", "new": new.handle})
        _write(tmp_path, "# Mill\n- Gate code: 4417\n- Wheel: elm\n")
        assert _imported(graph, path, 9) == 1
        assert "Gate code: 4417" not in _active(graph)


def test_lines_that_stand_beside_each_other_are_no_edit(tmp_path: Path) -> None:
    with open_graph(tmp_path / "m.db") as graph:
        _imported(graph, _write(tmp_path, NOTE), 1)
        _imported(graph, _write(tmp_path, NOTE.replace("- Plot 11", "- Plot 9: let to Iain Brodie\n- Plot 11")), 9)
        graph.dream(compact=True)
        assert _replaced(graph) == set()


def test_a_line_that_was_only_taken_out_stays(tmp_path: Path) -> None:
    with open_graph(tmp_path / "m.db") as graph:
        _imported(graph, _write(tmp_path, NOTE), 1)
        _imported(graph, _write(tmp_path, NOTE.replace("- Grindkod 5518\n", "- the hedge was cut in May\n")), 9)
        graph.dream(compact=True)
        assert "Grindkod 5518" in _active(graph)


def test_under_git_an_edit_after_an_import_is_seen_too(tmp_path: Path) -> None:
    with open_graph(tmp_path / "m.db") as graph:
        _imported(graph, _committed(tmp_path, NOTE, 1), 2)
        between = NOTE.replace("Grindkod 5518", "Grindkod 6001")
        _committed(tmp_path, between, 5)
        _imported(graph, _committed(tmp_path, between.replace("Grindkod 6001", "Grindkod 7043"), 8), 9)
        graph.dream(compact=True)
        assert _replaced(graph) == {("Grindkod 5518", "Grindkod 7043"), ("Grindkod 6001", "Grindkod 7043")}


def test_what_it_came_in_place_of_is_on_the_line_of_an_export(tmp_path: Path) -> None:
    with open_graph(tmp_path / "m.db") as graph:
        _imported(graph, _write(tmp_path, NOTE), 1)
        _imported(graph, _write(tmp_path, NOTE.replace("MSRV 1.74", "MSRV 1.80")), 9)
        rows = graph.store.connection.execute(
            "SELECT new.metadata, old.uid FROM attribute AS new, attribute AS old"
            " WHERE new.content = 'MSRV 1.80' AND old.content = 'MSRV 1.74'"
        ).fetchone()
        assert json.loads(rows[0]) == {"line": 10, "instead_of": rows[1]}


@pytest.mark.parametrize(
    ("gone", "fresh", "heirs"),
    [
        (["code: 1"], ["code: 2"], {"g0": "f0"}),
        (["code: red"], ["code: something else altogether"], {"g0": "f0"}),
        (["code: red", "code: blue"], ["code: something else altogether"], {}),
        (["code: red"], ["code: something else altogether", "code: and one more of them"], {}),
        (["the pump is red"], ["we bought forty bricks"], {}),
        (["the pump is red"], ["the pump is blue", "the pump was red"], {"g0": "f1"}),
        ([], ["a b"], {}),
    ],
)
def test_heirs(gone: list[str], fresh: list[str], heirs: dict[str, str]) -> None:
    lines = [
        [Line(f"{side}{at}", ("x",), text) for at, text in enumerate(texts)]
        for side, texts in (("g", gone), ("f", fresh))
    ]
    assert heirs_of(*lines) == heirs


def test_lines_of_two_places_are_not_compared() -> None:
    assert heirs_of([Line("a", ("x",), "code: 1")], [Line("b", ("y",), "code: 2")]) == {}


@pytest.mark.parametrize(
    ("old", "new", "added"),
    [
        ("日志保留14天。", "日志保留30天。", "备份保留14天。"), ("日志保留14天。", "日志保留365天。", "备份保留14天。"),
        ("Logs are kept for 14 days.", "Logs are kept for 30 days.", "Backups are kept for 14 days."),
        ("Protokolle bleiben 14 Tage", "Protokolle bleiben 30 Tage", "Backups bleiben 14 Tage"),
        ("Логи хранятся 14 дней", "Логи хранятся 30 дней", "Бэкапы хранятся 14 дней"),
        ("ログは14日間保存する", "ログは30日間保存する", "写しは14日間保存する"),
        ("로그는 14일 동안 보관", "로그는 30일 동안 보관", "백업은 14일 동안 보관"),
        ("السجلات تُحفظ 14 يومًا", "السجلات تُحفظ 30 يومًا", "النسخ تُحفظ 14 يومًا"),
    ],
)  # fmt: skip
def test_the_heir_of_a_line_is_about_the_same_and_not_of_the_same_value(old: str, new: str, added: str) -> None:
    for fresh in ([new, added], [added, new]):
        lines = [Line(text, ("x",), text) for text in fresh]
        assert heirs_of([Line(old, ("x",), old)], lines) == {old: new}


def test_no_line_is_the_heir_of_two_and_equally_alike_ones_keep_their_order() -> None:
    gone = [Line(f"g{at}", ("x",), f"gauge {name} reads high") for at, name in enumerate("ab")]
    fresh = [Line(f"f{at}", ("x",), f"gauge {name} reads high") for at, name in enumerate("cd")]
    assert heirs_of(gone, fresh) == {"g0": "f0", "g1": "f1"}
    assert heirs_of(gone, fresh[:1]) == {"g0": "f0"}


def test_a_line_edited_while_one_like_it_was_added_is_replaced_by_its_own_heir(tmp_path: Path) -> None:
    with open_graph(tmp_path / "m.db") as graph:
        _imported(graph, _write(tmp_path, "# 运维\n- 日志保留14天。\n- 端口是8080。\n"), 1)
        _imported(graph, _write(tmp_path, "# 运维\n- 日志保留30天。\n- 端口是8080。\n- 备份保留14天。\n"), 9)
        graph.dream()
        assert _replaced(graph) == {("日志保留14天。", "日志保留30天。")}


STRUCK = [
    ("Uses Jenkins for all builds", "~~Uses Jenkins for all builds~~"),
    ("Werkbank: Schraubstock ölen", "~~Schraubstock ölen~~"),
    ("сдать отчёт по теплице", "~~сдать отчёт по теплице~~"),
    ("棚にペンキを塗る", "~~棚にペンキを塗る~~"),
    ("备份保留14天。", "~~备份保留14天。~~"),
    ("يُغلق الباب في السادسة", "~~يُغلق الباب في السادسة~~"),
]


@pytest.mark.parametrize(("before", "struck"), STRUCK)
def test_a_line_that_is_struck_out_when_it_is_first_met_is_passed_over(
    tmp_path: Path, before: str, struck: str
) -> None:
    with open_graph(tmp_path / "m.db") as graph:
        report = import_file(graph.store, _write(tmp_path, f"# Mill\n- Wheel: oak\n- {struck}\n"))
        assert _active(graph) == ["Wheel: oak"] and report.struck_out == 1
        assert import_file(graph.store, _write(tmp_path, f"# Mill\n- Wheel: oak\n- {struck}\n")).struck_out == 1
        import_file(graph.store, _write(tmp_path, f"# Mill\n- Wheel: oak\n- {before}\n"))
        assert _active(graph) == ["Wheel: oak", before], "it holds once the stroke is gone"


@pytest.mark.parametrize(("before", "struck"), STRUCK)
def test_a_line_that_is_struck_out_later_ends_what_it_said(tmp_path: Path, before: str, struck: str) -> None:
    with open_graph(tmp_path / "m.db") as graph:
        _imported(graph, _write(tmp_path, f"# Mill\n- Wheel: oak\n- {before}\n"), 1)
        assert _imported(graph, _write(tmp_path, f"# Mill\n- Wheel: oak\n- {struck}\n"), 9) == 1
        graph.dream()
        assert _replaced(graph) == {(before, struck)}


@pytest.mark.parametrize(
    ("text", "active"),
    [
        ("- [x] ~~Oil the wheel well~~\n- Port: ~~8080~~ 8443", ["Port: ~~8080~~ 8443"]),
        ("## Tools\n- ~~Jenkins~~\n- Maven", ["Tools: Maven"]),
        ("- Tools\n  - ~~Uses Jenkins~~\n  - Uses Maven", ["Tools: Uses Maven"]),
        ("~~The wheel is elm. It turns left.~~\n\nThe sluice is shut. ~~It leaks.~~",
         ["The sluice is shut."]),
        ("| what | which |\n|---|---|\n| ~~CI~~ | ~~Jenkins~~ |\n| Build | Maven |", ["Build: Maven"]),
        ("- ~~Oil the wheel~~ done in May", ["~~Oil the wheel~~ done in May"]),
        ("- Uses Jenkins daily\n- ~~Uses Jenkins daily~~", ["Uses Jenkins daily"]),
        ("- the files ~/notes and ~/old are kept", ["the files ~/notes and ~/old are kept"]),
    ],
)  # fmt: skip
def test_what_is_struck_out_in_part_is_told_and_what_is_struck_out_whole_is_not(
    tmp_path: Path, text: str, active: list[str]
) -> None:
    with open_graph(tmp_path / "m.db") as graph:
        _imported(graph, _write(tmp_path, f"# Mill\n\n{text}\n"), 1)
        assert _active(graph) == active


def test_a_struck_out_line_is_counted_in_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "import",
        str(_write(tmp_path, "# Mill\n- Wheel: oak\n- ~~Sluice: open~~\n")),
        "--db",
        str(tmp_path / "m.db"),
    ]
    assert main(words) == 0
    assert "passed over, because it is struck out: 1 line" in capsys.readouterr().err


def test_of_a_history_a_struck_out_line_ends_what_it_was_before(tmp_path: Path) -> None:
    with open_graph(tmp_path / "m.db") as graph:
        _committed(tmp_path, "# Mill\n- Sluice: open\n- ~~Wheel: elm~~\n", 1)
        _committed(tmp_path, "# Mill\n- ~~Sluice: open~~\n- ~~Wheel: elm~~\n", 5)
        report = import_file(graph.store, tmp_path / "MEMORY.md", format="history")
        assert _replaced(graph) == {("Sluice: open", "~~Sluice: open~~")}
        assert _active(graph) == ["~~Sluice: open~~"] and report.struck_out == 1
