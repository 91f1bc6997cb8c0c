"""Transcripts as hosts write them, and as they are when something went wrong."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graphdream.errors import NotFoundError, UsageError
from graphdream.events import transcripts
from graphdream.events.transcripts import Transcript, Turn, parse_transcript, read_transcript, transcript_of


def parse(*lines: Any) -> Transcript:
    """A transcript of these lines; what is not bytes is written as JSON."""
    written = (line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
    return parse_transcript(io.BytesIO(b"\n".join(written)))


CLAUDE_CODE = (
    {"type": "summary", "summary": "Title of the session", "leafUuid": "x"},
    {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
    {
        "type": "user", "uuid": "u1", "timestamp": "2026-04-01T09:00:00.123Z", "isSidechain": False,
        "message": {"role": "user", "content": "Move the deadline to Friday."},
    },
    {
        "type": "assistant", "uuid": "u2", "timestamp": "2026-04-01T09:00:05Z",
        "message": {"role": "assistant", "id": "msg", "content": [
            {"type": "thinking", "thinking": "secret"},
            {"type": "text", "text": "Done."},
            {"type": "tool_use", "name": "Edit", "input": {}},
        ]},
    },
    {
        "type": "user", "uuid": "u3", "message": {"role": "user", "content": [{"type": "tool_result", "content": "ok"}]}
    },
    {"type": "user", "uuid": "u4", "isMeta": True, "message": {"role": "user", "content": "Caveat: …"}},
    {"type": "assistant", "uuid": "u5", "isSidechain": True, "message": {"role": "assistant", "content": "sub"}},
    {"type": "user", "uuid": "u6", "isCompactSummary": True, "message": {"role": "user", "content": "So far: …"}},
    {"type": "system", "uuid": "u7", "subtype": "compact_boundary", "content": "Conversation compacted"},
    {"type": "some-later-kind", "payload": {"anything": 1}},
)  # fmt: skip


def test_claude_code_gives_what_was_said_and_the_compact_summary() -> None:
    assert parse(*CLAUDE_CODE) == Transcript(
        turns=(
            Turn("user", "Move the deadline to Friday.", "u1", "2026-04-01T09:00:00.123Z"),
            Turn("assistant", "Done.", "u2", "2026-04-01T09:00:05Z"),
        ),
        summary="So far: …",
    )


def compacted(text: str) -> dict[str, Any]:
    return {"type": "user", "isCompactSummary": True, "message": {"role": "user", "content": text}}


def test_of_several_compact_summaries_the_last_counts() -> None:
    """Each is of the whole session so far, so that an earlier one tells what may have changed since."""
    said = {"role": "user", "content": "Off to Bergen."}
    told = parse(compacted("Ada moved to Bergen."), said, compacted("Ada moved to Stavanger."), said)
    assert told.summary == "Ada moved to Stavanger." and len(told.turns) == 2


@pytest.mark.parametrize(
    ("lines", "summary"),
    [
        ([{"type": "summary", "summary": " Ada moved. "}], "Ada moved."),
        ([{"type": "summary", "summary": "Ada's move"}], ""),
        ([{"type": "summary", "summary": "one."}, {"type": "summary", "summary": "two."}], "two."),
        ([compacted("So far: …"), {"type": "summary", "summary": "Ada's move"}], "So far: …"),
        ([{"type": "summary", "summary": "Ada moved.", "leafUuid": "u1"}], "Ada moved."),
        ([{"type": "summary", "summary": "It is of another file.", "leafUuid": "u9"}], ""),
        ([{"type": "summary", "summary": "one."}, {"type": "summary", "summary": "other.", "leafUuid": "u9"}], "one."),
        ([{"type": "summary", "summary": ["no text"]}, {"type": "summary", "summary": " "}, {"type": "summary"}], ""),
        ([{"type": "summary", "summary": "half \ud800 \0."}], "half \ufffd \ufffd."),
    ],
    ids=str,
)
def test_a_summary_record_of_the_host_is_the_summary_and_a_title_is_none(lines: list[Any], summary: str) -> None:
    """Claude Code writes those of other sessions into a file, too; they name a message that is not in it."""
    said = {"type": "user", "uuid": "u1", "message": {"role": "user", "content": "Off to Bergen."}}
    told = parse(*lines, said)
    assert (told.summary, len(told.turns), told.bad_lines) == (summary, 1, 0)


def test_a_title_is_the_summary_where_nobody_spoke() -> None:
    assert parse({"type": "summary", "summary": "Ada's move"}).summary == "Ada's move"


def test_events_of_copilot_are_unwrapped() -> None:
    envelope = {"timestamp": "2026-08-10T13:02:55.000Z", "parentId": None}
    lines = (
        {"id": "c0", "type": "session.start", "data": {"sessionId": "s", "content": "x"}, **envelope},
        {"id": "c1", "type": "user.message", "data": {"content": "Rename foo.", "attachments": []}, **envelope},
        {"id": "c2", "type": "assistant.message", "data": {"content": "Renamed.", "toolRequests": []}, **envelope},
        {"id": "c3", "type": "assistant.message", "data": {"content": "", "toolRequests": [{}]}, **envelope},
        {"id": "c4", "type": "tool.execution_complete", "data": {"result": {"content": "ok"}}, **envelope},
    )
    assert parse(*lines).turns == (
        Turn("user", "Rename foo.", "c1", "2026-08-10T13:02:55.000Z"),
        Turn("assistant", "Renamed.", "c2", "2026-08-10T13:02:55.000Z"),
    )


def test_codex_rollout_is_unwrapped() -> None:
    told = parse(
        {"timestamp": "2026-04-01T09:00:00Z", "type": "session_meta", "payload": {"id": "s", "cwd": "/x"}},
        {
            "timestamp": "2026-04-01T09:00:01Z", "type": "response_item",
            "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hello"}]},
        },
        {"timestamp": "2026-04-01T09:00:01Z", "type": "event_msg", "payload": {"type": "user_message", "message": "H"}},
        {
            "timestamp": "2026-04-01T09:00:02Z", "type": "response_item",
            "payload": {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi"}]},
        },
    )  # fmt: skip
    assert told == Transcript(
        (Turn("user", "Hello", None, "2026-04-01T09:00:01Z"), Turn("assistant", "Hi", None, "2026-04-01T09:00:02Z"))
    )


@pytest.mark.parametrize(
    ("line", "turn"),
    [
        ({"role": "user", "content": "a"}, Turn("user", "a")),
        ({"speaker": "Ada", "text": " a \n", "id": "D1:1"}, Turn("Ada", "a", "D1:1")),
        ({"speaker": "Ada", "text": "Look!", "caption": "a lake"}, Turn("Ada", "Look! [shares a lake]")),
        ({"speaker": "Ada", "text": "", "caption": "a lake"}, Turn("Ada", "[shares a lake]")),
        ({"text": "nobody said it"}, Turn("", "nobody said it")),
        ({"role": "user", "content": "a", "id": 7}, Turn("user", "a", "7")),
        ({"role": "user", "content": "a", "time": "2026-04-01"}, Turn("user", "a", None, "2026-04-01T00:00:00Z")),
        ({"role": "user", "content": "a", "time": 1775034000}, Turn("user", "a", None, "2026-04-01T09:00:00Z")),
        ({"role": "user", "content": "a", "time": 1775034000250}, Turn("user", "a", None, "2026-04-01T09:00:00.250Z")),
        ({"role": "user", "content": "a\0b\ud800"}, Turn("user", "a\ufffdb\ufffd")),
        ({"role": "user", "content": ["a", {"type": "text", "text": "b"}, {"type": "image"}, 7]}, Turn("user", "a\nb")),
    ],
    ids=str,
)
def test_plain_lines(line: dict[str, Any], turn: Turn) -> None:
    assert parse(line) == Transcript((turn,))
    assert transcript_of([line]) == Transcript((turn,))


def test_a_byte_order_mark_and_blank_lines_are_nothing() -> None:
    assert parse(b"\xef\xbb\xbf" + b'{"role": "user", "content": "a"}', b"", b"  ").turns == (Turn("user", "a"),)


@pytest.mark.parametrize(
    ("line", "turns", "said"),
    [
        (b'{"role": "user", "content": ', 0, "not JSON"),
        (b"[1, 2]", 0, "not a JSON object"),
        (b"[" * 100_000, 0, "not JSON"),
        (b'{"colour": "red"}', 0, "neither a speaker nor a text"),
        (b'{"role": "user", "content": 7}', 0, "neither text nor a list"),
        (b'{"role": "user", "content": "caf\xe9"}', 1, "not UTF-8"),
        (b'{"role": "user", "content": "a", "time": "yesterday"}', 1, "'yesterday' is not a time"),
        (b'{"role": "user", "content": "a", "time": 1e300}', 1, "is not a time"),
    ],
)
def test_a_bad_line_is_told_with_its_number_and_the_rest_is_taken(line: bytes, turns: int, said: str) -> None:
    told = parse({"role": "user", "content": "before"}, line, {"role": "user", "content": "after"})
    assert len(told.turns) == 2 + turns
    assert told.bad_lines == 1
    assert told.faults[0].startswith("line 2: ") and said in told.faults[0]


def test_only_the_first_faults_are_told_but_all_are_counted() -> None:
    told = parse(*[b"{"] * 50)
    assert (told.bad_lines, len(told.faults)) == (50, transcripts.MAX_FAULTS_TOLD)


def test_an_endless_line_is_passed_over_without_being_read_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcripts, "MAX_LINE_BYTES", 1000)
    endless = b'{"role": "user", "content": "' + b"a" * 10_000 + b'"}'
    told = parse({"role": "user", "content": "before"}, endless, {"role": "user", "content": "after"}, endless)
    assert [turn.content for turn in told.turns] == ["before", "after"]
    assert told.bad_lines == 2


@example([{"content": [{"type": []}]}])
@given(st.lists(st.binary(max_size=60) | st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=8) | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["role", "speaker", "content", "text", "message", "payload", "type", "id", "time", "caption"]),
        inner, max_size=5),
), max_size=5))  # fmt: skip
def test_whatever_is_in_it_reading_never_fails(lines: list[Any]) -> None:
    told = parse(*lines)
    for turn in told.turns:
        assert turn.content and "\0" not in turn.content
        turn.content.encode()


def test_a_missing_file_and_a_folder_are_clear_errors(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no transcript at"):
        read_transcript(tmp_path / "none.jsonl")
    with pytest.raises(UsageError, match="cannot be read"):
        read_transcript(tmp_path)


def test_the_sessions_of_the_recall_data_are_read_whole(shared_data: Path) -> None:
    import gzip

    with gzip.open(shared_data / "recall" / "locomo_sessions.jsonl.gz") as file:
        sessions = [json.loads(line) for line in file]
    for session in sessions[::10]:
        told = parse(*session["transcript"])
        assert not told.bad_lines
        assert [turn.uid for turn in told.turns] == [turn["id"] for turn in session["transcript"]]
