"""Bad files: each is refused with the numbers of its lines, and the database is as it was."""

from __future__ import annotations

import gzip
import json
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from graphdream.errors import ImportRefusedError, NotFoundError
from graphdream.graph.store import Store
from graphdream.interfaces.importers import import_graph
from graphdream.interfaces.importers.reading import LINE_LIMIT

MAYA = {"kind": "entity", "id": "e_1", "name": "Maya"}
LEO = {"kind": "entity", "id": "e_2", "name": "Leo"}
ASPECT = {"kind": "aspect", "id": "p_1", "entity_id": "e_1", "name": "general"}
FACT = {"kind": "attribute", "id": "a_1", "entity_id": "e_1", "aspect_id": "p_1", "content": "Lives in Lisbon."}
EDGE = {"kind": "edge", "id": "l_1", "source_id": "e_1", "target_id": "e_2", "type": "knows"}
GOOD = (MAYA, LEO, ASPECT, FACT, EDGE)


def clock() -> str:
    return "2026-01-01T00:00:00Z"


def encoded(*lines: Any) -> bytes:
    return b"".join(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines)


def state(store: Store) -> str:
    """Everything in the file, journal and events too."""
    names = store.connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0")
    tables = [row[0] for row in names.fetchall()]
    rows = [tuple(row) for name in tables for row in store.connection.execute(f"SELECT * FROM {name}")]
    return sha256(repr((tables, rows)).encode()).hexdigest()


def refused(store: Store, path: Path, data: bytes) -> ImportRefusedError:
    path.write_bytes(data)
    before = state(store)
    with pytest.raises(ImportRefusedError) as caught:
        import_graph(store, path, clock=clock)
    assert state(store) == before
    assert not store.connection.in_transaction
    return caught.value


BAD_LINES = {
    "truncated": (b'{"kind":"entity","id":"e_9","na', "is not JSON"),
    "no object": (b"[1, 2]\n", "is not a JSON object"),
    "two objects": (b"{} {}\n", "is not JSON"),
    "not UTF-8": (b'{"kind":"entity","id":"e_9","name":"Ma\xffya"}\n', "is not UTF-8: byte 39 is 0xff"),
    "UTF-16": ('{"kind":"entity"}\n'.encode("utf-16"), "is not UTF-8"),
    "no kind": ({"id": "e_9", "name": "Maya"}, "`kind` is one of"),
    "wrong kind": ({"kind": "cluster", "id": "c_1"}, "'cluster'"),
    "kind of another type": ({"kind": ["entity"]}, "`kind` is one of"),
    "missing field": ({"kind": "entity", "id": "e_9"}, "`name` is missing"),
    "null field": ({"kind": "entity", "id": "e_9", "name": None}, "`name` is missing"),
    "wrong type": ({**MAYA, "id": "e_9", "pinned": "yes"}, "`pinned` must be true or false, not text"),
    "number for text": ({**MAYA, "id": "e_9", "name": 7}, "`name` must be text, not a number"),
    "blank name": ({**MAYA, "id": "e_9", "name": " \u200b "}, "`name` is blank"),
    "blank fact": ({**FACT, "id": "a_9", "content": "\n"}, "`content` is blank"),
    "blank id": ({**MAYA, "id": ""}, "`id` must be text of 1 to 500"),
    "huge id": ({**MAYA, "id": "e" * 501}, "`id` must be text of 1 to 500"),
    "not a date": ({**MAYA, "id": "e_9", "created_at": "yesterday"}, "`created_at`"),
    "date out of range": ({**MAYA, "id": "e_9", "created_at": "0001-01-01T00:00:00+14:00"}, "`created_at`"),
    "score out of range": ({**FACT, "id": "a_9", "confidence": 1.5}, "`confidence` must be a number from 0 to 1"),
    "NaN": (b'{"kind":"attribute","confidence":NaN}\n', "NaN is not a JSON number"),
    "infinity": ({**FACT, "id": "a_9", "confidence": 1e999}, "is not a JSON number"),
    "huge whole number": ({**FACT, "id": "a_9", "reinforcement": 2**70}, "`reinforcement` must be a whole number"),
    "thousands of digits": (b'{"kind":"entity","mentions":' + b"9" * 5000 + b"}\n", "digits"),
    "nested too deep": (b'{"kind":"entity","metadata":' + b'{"a":' * 9000 + b"1" + b"}" * 9001 + b"\n", "nested"),
    "NUL": (b'{"kind":"entity","id":"e_9","name":"Ma\\u0000ya"}\n', "NUL"),
    "raw control": (b'{"kind":"entity","id":"e_9","name":"Ma\x00ya"}\n', "is not JSON"),
    "lone surrogate": (b'{"kind":"entity","id":"e_9","name":"Ma\\ud800ya"}\n', "surrogate"),
    "duplicate id": ({**MAYA, "name": "Another"}, "'e_1' is taken by line 1"),
    "unknown entity": ({**ASPECT, "id": "p_9", "entity_id": "e_9"}, "`entity_id` names entity 'e_9'"),
    "unknown aspect": ({**FACT, "id": "a_9", "aspect_id": "p_9"}, "`aspect_id` names aspect 'p_9'"),
    "aspect of another": ({**FACT, "id": "a_9", "entity_id": "e_2"}, "is no aspect of 'e_2' but of 'e_1'"),
    "edge from nobody": ({**EDGE, "id": "l_9", "source_id": "e_9"}, "`source_id` names entity 'e_9'"),
    "unknown successor": (
        {**FACT, "id": "a_9", "status": "superseded", "superseded_by": "a_8"}, "names attribute 'a_8'",
    ),
    "successor of an active fact": ({**FACT, "id": "a_9", "superseded_by": "a_1"}, "but the status is active"),
    "supersedes itself": (
        {**FACT, "id": "a_9", "status": "superseded", "superseded_by": "a_9"}, "leads back to it",
    ),
    "absorbed by itself": ({"kind": "absorbed", "of": "entity", "id": "e_9", "name": "x", "into": "e_9"}, "back to it"),
    "absorbed of nothing": ({"kind": "absorbed", "of": "turn", "id": "e_9", "into": "e_1"}, "is `of` one of"),
    "absorbed into nothing": ({"kind": "absorbed", "of": "entity", "id": "e_9", "name": "x"}, "`into` is missing"),
    "alias of nobody": ({"kind": "alias", "entity_id": "e_9", "name": "M"}, "names entity 'e_9'"),
    "distinct from itself": ({"kind": "distinct", "first_id": "e_1", "second_id": "e_1"}, "are the same"),
    "turn of no session": ({"kind": "turn", "session_id": "s", "position": 0, "content": ""}, "session 's' is unknown"),
    "unknown format": ({"kind": "meta", "format": "graphdream/9"}, "this program reads one of"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_LINES)
def test_a_bad_line_refuses_the_file_and_is_named(store: Store, tmp_path: Path, name: str) -> None:
    line, said = BAD_LINES[name]
    fault = refused(store, tmp_path / "graph.jsonl", encoded(*GOOD, line))
    assert any(text.startswith("line 6: ") and said in text for text in fault.faults), fault.faults


@pytest.mark.parametrize("name", BAD_LINES)
def test_a_bad_line_can_be_passed_over(store: Store, tmp_path: Path, name: str) -> None:
    path = tmp_path / "graph.jsonl"
    path.write_bytes(encoded(*GOOD, BAD_LINES[name][0]))
    report = import_graph(store, path, clock=clock, skip_bad=True)
    assert report.rows == {"entity": 2, "aspect": 1, "attribute": 1, "link": 1}
    assert report.fault_count >= 1 and report.faults[0].startswith("line 6: ")


@pytest.mark.parametrize(
    "ring",
    [
        [{**FACT, "id": f"c_{n}", "status": "superseded", "superseded_by": f"c_{(n + 1) % 3}"} for n in range(3)],
        [{**MAYA, "id": f"c_{n}", "into": f"c_{(n + 1) % 3}"} for n in range(3)],
        [
            {**FACT, "id": "c_0", "status": "superseded", "superseded_by": "c_1"},
            {"of": "attribute", **FACT, "kind": "absorbed", "id": "c_1", "into": "c_0"},
        ],
    ],
    ids=["superseded", "absorbed", "both"],
)
def test_what_goes_round_is_refused_line_by_line(store: Store, tmp_path: Path, ring: list[dict[str, Any]]) -> None:
    fault = refused(store, tmp_path / "graph.jsonl", encoded(*GOOD, *ring))
    assert [text.split(":")[0] for text in fault.faults] == [f"line {6 + n}" for n in range(len(ring))]


def test_what_rests_on_a_bad_line_is_passed_over_with_it(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "graph.jsonl"
    lines = [
        {**MAYA, "pinned": 1}, LEO, ASPECT, FACT, {**EDGE, "source_id": "e_2", "target_id": "e_1"},
        {"kind": "entity", "id": "e_3", "name": "Maya O.", "into": "e_1"},
        {"kind": "entity", "id": "e_4", "name": "M. O.", "into": "e_3"},
        {"kind": "mention", "attribute_id": "a_1", "entity_id": "e_2"},
    ]  # fmt: skip
    path.write_bytes(encoded(*lines))
    report = import_graph(store, path, clock=clock, skip_bad=True)
    assert report.rows == {"entity": 1, "link": 1}
    assert (report.dangling, report.fault_count) == (1, 6)


def test_faults_are_listed_to_twenty_in_the_order_of_the_file_and_counted(store: Store, tmp_path: Path) -> None:
    bad = [{**ASPECT, "id": f"p_{n}", "entity_id": "nobody"} for n in range(2000)]
    fault = refused(store, tmp_path / "graph.jsonl", encoded(*bad, b"{}\n"))
    assert [text.split(":")[0] for text in fault.faults[:20]] == [f"line {n}" for n in range(1, 21)]
    assert fault.faults[20:] == ("and 1,981 more",)
    assert "2,001 faults" in str(fault)


def test_ids_that_are_in_the_file_already_are_refused(store: Store, tmp_path: Path) -> None:
    (tmp_path / "graph.jsonl").write_bytes(encoded(*GOOD))
    import_graph(store, tmp_path / "graph.jsonl", clock=clock)
    fault = refused(store, tmp_path / "graph.jsonl", encoded(*GOOD))
    assert fault.faults[0] == "line 1: the id 'e_1' is in the database already"
    assert len(fault.faults) == len(GOOD)


@pytest.mark.parametrize("kept", [10, 100, 400])
def test_gzip_that_breaks_off_is_refused(store: Store, tmp_path: Path, kept: int) -> None:
    lines = [{"kind": "entity", "id": f"e_{n}", "name": sha256(str(n).encode()).hexdigest()} for n in range(100)]
    fault = refused(store, tmp_path / "graph.jsonl.gz", gzip.compress(encoded(*lines))[:kept])
    assert "break off" in fault.faults[-1]


def test_gzip_with_a_flipped_byte_is_refused(store: Store, tmp_path: Path) -> None:
    data = bytearray(gzip.compress(encoded(*GOOD)))
    data[len(data) // 2] ^= 0xFF
    assert refused(store, tmp_path / "graph.jsonl.gz", bytes(data)).faults


def test_a_file_that_lacks_lines_is_refused_by_its_own_count(store: Store, tmp_path: Path) -> None:
    meta = {"kind": "meta", "format": "graphdream-bloat/1", "entities": 3, "edges": 1}
    fault = refused(store, tmp_path / "graph.jsonl", encoded(meta, *GOOD))
    assert fault.faults == ("line 1: the meta line counts 3 entities, the file has 2: is it cut short?",)


def test_a_second_meta_line_is_refused(store: Store, tmp_path: Path) -> None:
    meta = {"kind": "meta", "format": "graphdream/1"}
    assert "second meta line" in refused(store, tmp_path / "graph.jsonl", encoded(meta, *GOOD, meta)).faults[0]


def test_an_empty_file_is_refused_and_an_empty_graph_is_not(store: Store, tmp_path: Path) -> None:
    assert "empty" in refused(store, tmp_path / "graph.jsonl", b"").faults[0]
    (tmp_path / "graph.jsonl").write_bytes(encoded({"kind": "meta", "format": "graphdream/1"}))
    assert import_graph(store, tmp_path / "graph.jsonl", clock=clock).pass_id is None


def test_what_is_no_graph_is_told_of_the_other_formats_by_their_names(store: Store, tmp_path: Path) -> None:
    hint = refused(store, tmp_path / "graph.jsonl", b"nonsense\n").hint
    assert "history, jsonl, markdown" in hint and "graphdream import --help" in hint and len(hint) < 200


def test_a_file_of_which_nothing_can_be_taken_is_refused_also_when_passing_over(store: Store, tmp_path: Path) -> None:
    (tmp_path / "graph.jsonl").write_bytes(encoded(ASPECT, FACT))
    before = state(store)
    with pytest.raises(ImportRefusedError, match="nothing is left"):
        import_graph(store, tmp_path / "graph.jsonl", clock=clock, skip_bad=True)
    assert state(store) == before


def test_a_missing_file_and_a_folder_are_told_apart(store: Store, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        import_graph(store, tmp_path / "none.jsonl", clock=clock)
    with pytest.raises(ImportRefusedError, match="cannot be read"):
        import_graph(store, tmp_path, clock=clock)


@pytest.mark.skipif(sys.platform == "win32", reason="resource limits are POSIX")
def test_a_line_of_a_hundred_megabytes_is_refused_without_being_held_in_memory(store: Store, tmp_path: Path) -> None:
    import tracemalloc

    path = tmp_path / "graph.jsonl"
    with path.open("wb") as stream:
        stream.write(encoded(MAYA) + b'{"kind":"entity","id":"e_9","name":"')
        for _ in range(100):
            stream.write(b"x" * (1 << 20))
        stream.write(b'"}\n' + encoded(LEO))
    tracemalloc.start()
    report = import_graph(store, path, clock=clock, skip_bad=True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert report.rows == {"entity": 2} and report.lines == 3
    assert report.faults == (f"line 2: is longer than {LINE_LIMIT >> 20} MiB",)
    assert peak < 4 * LINE_LIMIT
