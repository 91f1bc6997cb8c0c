"""Views are lenses: what is read and written back unchanged changes nothing; what is written is found through the graph."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphdream.errors import NotFoundError, UsageError
from graphdream.graph.categories import Place
from graphdream.graph.names import canonical, canonical_text
from graphdream.library import Graph
from graphdream.library import open as open_graph
from graphdream.shown import printable
from graphdream.views.memory import entries, entry, rewritten
from graphdream.views.skill_files import read_folder, write_folder
from graphdream.views.skills import Skill, skills, written

WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=60)
TEXTS = WORDS.filter(lambda text: bool(canonical_text(text)))
NAMES = WORDS.filter(lambda name: bool(canonical(name)) and any(sign.isalnum() for sign in name))


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[Graph]:
    with open_graph(tmp_path / "memory.db", clock=lambda: "2026-03-01T00:00:00.000Z") as opened:
        yield opened


def digest(graph: Graph) -> tuple[str, int]:
    row = graph.store.connection.execute("SELECT hash_after, id FROM pass ORDER BY id DESC LIMIT 1").fetchone()
    return (row[0], row[1]) if row else ("", 0)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=NAMES, summary=TEXTS, content=TEXTS, lessons=st.lists(TEXTS, max_size=2, unique_by=canonical_text),
    triggers=st.lists(TEXTS, max_size=2, unique_by=canonical_text),
)  # fmt: skip
def test_a_skill_written_back_unchanged_changes_nothing(
    graph: Graph, name: str, summary: str, content: str, lessons: list[str], triggers: list[str]
) -> None:
    try:
        graph.skills.put(Skill(name, summary, content, tuple(lessons), tuple(triggers)))
    except Exception as fault:  # a name that the gate of names refuses is refused as a whole
        assert "name" in str(fault) or "fact" in str(fault)
        return
    before = digest(graph)
    for skill in graph.skills.all():
        assert written(graph.store.connection, skill) == []
        assert graph.skills.put(skill).pass_id is None
    assert digest(graph) == before


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=TEXTS, folder=NAMES, aspect=NAMES)
def test_an_entry_written_back_unchanged_changes_nothing(graph: Graph, text: str, folder: str, aspect: str) -> None:
    from graphdream.graph.categories import category_of

    try:
        graph.remember(text, category=category_of(Place("category", folder.strip(), aspect.strip())))
    except Exception as fault:
        assert "name" in str(fault)
        return
    before = digest(graph)
    for one in list(entries(graph.store.connection)):
        assert rewritten(graph.store.connection, one) == []
        assert entry(graph.store.connection, one.handle) == one
    assert digest(graph) == before


def test_what_is_written_through_a_view_is_found_through_the_graph_and_the_other_way_round(graph: Graph) -> None:
    graph.skills.put(Skill("mcp/email", "Sends mail", "1. Write.\n2. Send."))
    graph.skills.put(Skill("mcp/calendar", "Looks up dates", "Ask.", see_also=("mcp/email",)))
    page = graph.entity("mcp/email")
    assert page.entity.type == "skill" and page.facts["content"][0].content == "1. Write.\n2. Send."
    graph.edit({"op": "create_attribute", "entity": "mcp/email", "aspect": "lessons", "content": "Ask before sending."})
    assert graph.skills.get("mcp/email").lessons == ("Ask before sending.",)
    assert graph.skills.get("mcp/calendar").see_also == ("mcp/email",)
    assert any(hit.handle.startswith("a") for hit in graph.recall("sends mail"))


def test_a_rewritten_skill_keeps_its_history_and_its_age(graph: Graph) -> None:
    graph.skills.put(Skill("mail", "Sends mail", "Send."))
    first = graph.skills.get("mail")
    graph.skills.put(replace(first, content="1. Write.\n2. Send."))
    now = graph.skills.get("mail")
    assert (now.content, now.created_at, now.handle) == ("1. Write.\n2. Send.", first.created_at, first.handle)
    assert [fact.status for fact in graph.entity("mail", history=True).facts["content"]] == ["superseded", "active"]


def test_an_entry_moves_and_is_reworded_through_the_view(graph: Graph) -> None:
    graph.remember("Prefers metric units", category="general", by="agent")
    (one,) = entries(graph.store.connection)
    graph.edit(*rewritten(graph.store.connection, replace(one, place=Place("category", "user-preferences", "units"))))
    (moved,) = entries(graph.store.connection, category="user-preferences")
    graph.edit(*rewritten(graph.store.connection, replace(moved, content="Wants metric units")))
    assert [(found.category, found.content) for found in entries(graph.store.connection)] == [
        ("user-preferences/units", "Wants metric units")
    ]


def test_what_is_counted_is_not_written_through_the_view(graph: Graph) -> None:
    graph.remember("Prefers metric units")
    (one,) = entries(graph.store.connection)
    with pytest.raises(UsageError, match="importance"):
        rewritten(graph.store.connection, replace(one, importance=0.9))
    with pytest.raises(NotFoundError):
        rewritten(graph.store.connection, replace(one, handle="a99"))


@pytest.mark.parametrize("skill", [Skill(""), Skill("name"), Skill(" \t")])
def test_a_skill_without_a_name_or_words_is_refused(graph: Graph, skill: Skill) -> None:
    with pytest.raises(UsageError):
        graph.skills.put(skill)


def test_skills_go_out_as_folders_and_come_back_the_same(graph: Graph, tmp_path: Path) -> None:
    graph.skills.put(Skill("mcp/email", 'Sends "mail": fast', "1. Write.\n\n---\n2. Send.", ("Ask first.",), ("mail",)))
    graph.skills.put(Skill("日程", "予定を調べる", "カレンダーを見る。", see_also=("mcp/email",)))
    files = graph.skills.export(tmp_path / "out")
    assert sorted(str(file.relative_to(tmp_path / "out")) for file in files) == ["mcp/email/SKILL.md", "日程/SKILL.md"]
    before = digest(graph)
    assert all(done.pass_id is None for done in graph.skills.take(tmp_path / "out").values())
    assert digest(graph) == before
    with open_graph(tmp_path / "other.db") as other:
        other.skills.take(tmp_path / "out")
        told = [
            (one.name, one.summary, one.content, one.lessons, one.triggers, one.see_also) for one in other.skills.all()
        ]
    assert told == [
        (one.name, one.summary, one.content, one.lessons, one.triggers, one.see_also) for one in graph.skills.all()
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [("no head", "no head"), ("---\nname: [\n---\nx", "no YAML"), ("---\ndescription: x\n---\nx", "no name"), ("---\nname: x\n---\n", "says nothing"), (b"---\nname: \xff\n---\nx", "codec")],
)  # fmt: skip
def test_a_folder_with_a_broken_skill_is_refused_whole(
    graph: Graph, tmp_path: Path, text: str | bytes, why: str
) -> None:
    for name, said in (
        ("good", b"---\nname: good\n---\nWorks."),
        ("bad", text if isinstance(text, bytes) else text.encode()),
    ):
        (tmp_path / "in" / name).mkdir(parents=True)
        (tmp_path / "in" / name / "SKILL.md").write_bytes(said)
    with pytest.raises(Exception, match="none was taken") as refused:
        graph.skills.take(tmp_path / "in")
    assert why in str(refused.value.faults[0]) and graph.skills.all() == []  # type: ignore[attr-defined]


def test_a_name_that_leads_out_of_the_folder_is_not_written(graph: Graph, tmp_path: Path) -> None:
    graph.skills.put(Skill("../evil", "Escapes", "Never."))
    with pytest.raises(UsageError, match="no name that a folder can bear"):
        graph.skills.export(tmp_path / "out")
    assert not (tmp_path / "evil").exists()
    with pytest.raises(NotFoundError):
        read_folder(tmp_path / "nowhere")


HOSTILE = [
    "Q\x1b[31mq",
    "Q\u202eq",
    "Q[31mq",
    "mcp/a\u200b",
    "mcp/a",
    "mcp / a",
    "\u2066",
    "\x07~a",
    ".\x1b.",
    "a\nb",
    "a\x00b",
]
ORDINARY = ["日程", "خلاصه‌نویسی", "naïve café", "👩‍🔬 lab", "mcp/e-mail"]


def test_no_name_of_a_folder_steers_a_terminal_and_no_two_skills_share_one(tmp_path: Path) -> None:
    skills_of = [Skill(name, f"Skill {at}", "Works.") for at, name in enumerate([*HOSTILE, *ORDINARY])]
    files = write_folder(tmp_path / "out", skills_of)
    folders = [file.parent.relative_to(tmp_path / "out").as_posix() for file in files]
    assert len({folder.casefold() for folder in folders}) == len(skills_of)
    for folder in folders:
        assert folder.isprintable() or printable(folder) == folder
        assert not folder.startswith((".", "~", "/"))
    assert folders[len(HOSTILE) :] == ORDINARY, "what is harmless keeps its name"
    assert write_folder(tmp_path / "out", skills_of) == files, "again to the same places"
    assert {skill.summary for skill in read_folder(tmp_path / "out")} == {skill.summary for skill in skills_of}


def test_a_pinned_skill_is_shown_so(graph: Graph) -> None:
    graph.skills.put(Skill("mail", "Sends mail", "Send."))
    graph.edit({"op": "pin", "entity": "mail"})
    assert skills(graph.store.connection)[0].pinned
