"""Why two are one: also where they are one by now, and in three lines."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from graphdream.dream.explained import explain_pair
from graphdream.dream.explained_facts import explain_fact_pair
from graphdream.dream.remember import remember
from graphdream.errors import UsageError
from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from graphdream.interfaces.importers import import_lines
from graphdream.library import Graph
from tests.laws.cuts import cut, entities_of


@pytest.fixture(scope="module")
def dreamt_once(fixtures: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eighty entities of the demo's graph, after a dream, to be copied."""
    path, source = tmp_path_factory.mktemp("dreamt") / "memory.db", fixtures / "small.jsonl.gz"
    with Store.open(path) as store:
        import_lines(store, cut(source, entities_of(source)[:80]), source=source.name)
    assert main(["dream", "--db", str(path)]) == 0
    return path


@pytest.fixture
def dreamt(dreamt_once: Path, tmp_path: Path) -> Path:
    """A copy of one's own."""
    return Path(shutil.copy(dreamt_once, tmp_path / "memory.db"))


def merged(store: Store) -> tuple[int, str, int, str]:
    row = store.connection.execute(
        "SELECT gone.id, gone.name, kept.id, kept.name FROM entity AS gone JOIN entity AS kept"
        " ON kept.id = gone.absorbed_into WHERE gone.canonical <> kept.canonical ORDER BY gone.id"
    ).fetchone()
    return tuple(row)


def test_a_merged_entity_is_explained_as_it_was_before_its_merge(
    dreamt: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Store.open(dreamt) as store:
        gone, name, kept, kept_name = merged(store)
        found = explain_pair(store, f"e{gone}", f"e{kept}")
        assert (found.explanation.verdict, found.before_pass) == ("same", 2)
        assert found.told == f"e{gone} {name!r} went into e{kept}"
        assert explain_pair(store, name, kept_name) == found, "by name, it is the one that had the name"
        with pytest.raises(UsageError, match="were never two"):
            explain_pair(store, f"e{kept}", f"e{kept}")
    capsys.readouterr()
    assert main(["explain", f"e{gone}", f"e{kept}", "--db", str(dreamt)]) == 0
    told = capsys.readouterr().out.splitlines()
    assert len(told) == 3 and "same" in told[0] and "for: " in told[1] and "before pass 2" in told[2]
    assert main(["explain", f"e{gone}", f"e{kept}", "--verbose", "--db", str(dreamt)]) == 0
    assert len(capsys.readouterr().out.splitlines()) > 10
    assert main(["explain", f"e{gone}", f"e{kept}", "--json", "--db", str(dreamt)]) == 0
    assert json.loads(capsys.readouterr().out)["before_pass"] == 2


def test_facts_that_were_brought_together_by_a_merge_are_explained_as_the_pass_judged_them(dreamt: Path) -> None:
    """They hung on two entities before; judged apart, nothing would have brought them together."""
    with Store.open(dreamt) as store:
        pairs = store.connection.execute(
            "SELECT id, coalesce(superseded_by, absorbed_into) FROM attribute WHERE status_reason LIKE '%says the same'"
            " OR status_reason LIKE '%later telling' ORDER BY id LIMIT 12"
        ).fetchall()
        assert len(pairs) > 5
        for gone, kept in pairs:
            found = explain_fact_pair(store, f"a{gone}", f"a{kept}")
            assert found.verdict.startswith(("one fact", "the second replaced the first")), (gone, kept)


def test_what_a_pass_left_open_is_explained_with_the_probability_that_it_was_left_open_with(dreamt: Path) -> None:
    """What a pass took away is history to the next look, and to who asks why."""
    with Store.open(dreamt) as store:
        asked = [
            one
            for (counts,) in store.connection.execute("SELECT counts FROM pass WHERE id = 2")
            for one in json.loads(counts)["figures"]["open_facts"]
        ]
        assert len(asked) > 2
        for one in asked:
            answers = explain_fact_pair(store, one["first"], one["second"]).explanation.answers
            told = {answer.probability for answer in answers}
            assert any(abs(one["probability"] - probability) < 0.001 for probability in told), one


def test_facts_of_entities_that_went_into_a_new_one_are_judged_as_of_one(tmp_path: Path) -> None:
    with Store.open(tmp_path / "memory.db") as store:
        graph = Graph(store)
        for name, content in (("Osric", "the loom stands in the barn"), ("Osrik", "the loom stands in the barn.")):
            aspect = {"name": "general", "attributes": [{"content": content}]}
            graph.edit({"op": "create_entity", "name": name, "aspects": [aspect]}, by="agent")
        graph.edit(
            {"op": "create_entity", "name": "Osrick", "type": "person"},
            {"op": "merge_entities", "source": ["e1", "e2"], "target": "Osrick", "reason": "one"},
            {"op": "merge_attributes", "source": ["a2"], "target": "a1", "reason": "one"},
        )
        head, evidence, *_ = explain_fact_pair(store, "a1", "a2").lines()
        assert ": one fact" in head and "they say the same, word by word" in evidence


def _told(store: Store, *facts: tuple[str, str]) -> None:
    """Facts of entities, each in an aspect of its own."""
    graph = Graph(store)
    for name in dict(facts):
        graph.edit({"op": "create_entity", "name": name}, by="agent")
    for at, (name, content) in enumerate(facts):
        told = {"op": "create_attribute", "entity": name, "aspect": f"shelf {at}", "content": content}
        graph.edit(told, by="agent")


def test_facts_of_two_entities_in_the_same_words_are_not_said_to_have_none_in_common(tmp_path: Path) -> None:
    with Store.open(tmp_path / "memory.db") as store:
        _told(store, ("Osric", "The loom stands in the barn."), ("Wilfrun", "the loom stands in the barn"))
        assert "they are told of two entities" in explain_fact_pair(store, "a1", "a2").lines()[0]


def test_a_fact_that_was_archived_for_saying_nothing_is_explained(tmp_path: Path) -> None:
    with Store.open(tmp_path / "memory.db") as store:
        _told(store, ("Osric", "for the"), ("Osric", "The loom stands in the barn for the winter."))
        Graph(store).dream(compact=True)
        row = store.connection.execute("SELECT status FROM attribute WHERE id = 1").fetchone()
        assert row["status"] != "active"
        for pair in (("a1", "a2"), ("a2", "a1")):
            assert explain_fact_pair(store, *pair).lines()


_AT_THE_LOOM = ("Wilfrun weaves at the loom every winter.", "Every winter Wilfrun weaves at the loom.")


@pytest.mark.parametrize(("by", "told"), [("user", True), ("agent", False)])
def test_why_two_stay_that_the_score_takes_for_one_is_said_where_a_person_told_them(
    tmp_path: Path, by: str, told: bool
) -> None:
    with Store.open(tmp_path / "memory.db") as store:
        for content in _AT_THE_LOOM:
            remember(store, content, category="person/Wilfrun/craft", by=by)
        found = explain_fact_pair(store, "a1", "a2")
        best = max(answer.probability - answer.cut for answer in found.explanation.answers[:-2])
        assert best > 0, "the score takes them for one"
        assert ("but what a person told no pass takes away unasked" in found.lines()[2]) == told
        assert "each says something that the other does not" not in found.verdict
        assert found.verdict.startswith("one fact, ") != told
        before = store.connection.execute("SELECT count(*) FROM attribute WHERE status = 'active'").fetchone()[0]
        Graph(store).dream(compact=True)
        after = store.connection.execute("SELECT count(*) FROM attribute WHERE status = 'active'").fetchone()[0]
        assert (before == after) == told, "what is said of them is what a pass does"


def test_nothing_is_said_of_who_told_it_where_the_score_is_not_sure(tmp_path: Path) -> None:
    with Store.open(tmp_path / "memory.db") as store:
        for content in ("Wilfrun weaves at the loom every winter.", "Wilfrun keeps bees behind the mill."):
            remember(store, content, category="person/Wilfrun/craft", by="user")
        assert "person told" not in "".join(explain_fact_pair(store, "a1", "a2").lines())


def test_nothing_is_said_of_who_told_it_where_what_goes_is_an_agents(tmp_path: Path) -> None:
    with Store.open(tmp_path / "memory.db") as store:
        for content, by in zip(_AT_THE_LOOM, ("agent", "user"), strict=True):
            remember(store, content, category="person/Wilfrun/craft", by=by)
        found = explain_fact_pair(store, "a1", "a2")
        assert found.verdict == "one fact, the second says all of it"
        assert "person told" not in "".join(found.lines())
        Graph(store).dream(compact=True)
        rows = store.connection.execute("SELECT status FROM attribute ORDER BY id").fetchall()
        assert [row["status"] == "active" for row in rows] == [False, True]
