"""Facts of a folder: those about two things stay two, those in other words become one."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from pathlib import Path

import pytest

import graphdream
from graphdream.dreamers.folders import name_different_things
from tests.support.graphs import NOW


@pytest.mark.parametrize(
    ("first", "second", "different"),
    [
        ("Ivo's phone extension is 2421.", "Emeka's phone extension is 2421.", True),
        ("The dog of Ivo is black.", "Goran has a black dog.", True),
        ("Prefers tabs.", "prefers tabs", False),
        ("The name of Mateo's dog is Olive.", "Mateo has a dog named Olive.", False),
        ("User prefers tabs.", "prefers tabs", False),
        ("", "Ivo sails.", False),
        ("Tarik wohnt in Oslo.", "Tarik wohnt in Bergen.", False),
        ("The ferry to Texel", "The ferry to Juist", True),
        ("The paint supplier is Corantes.", "The new paint supplier is Tintas.", False),
        ("O fornecedor de tintas é a Corantes.", "O novo fornecedor de tintas é a Tintas.", False),
        ("The boat of Ivo is at Texel.", "The boat of Emeka is at Juist.", True),
        ("Die Anmeldung läuft über Keycloak.", "Die Anmeldung läuft jetzt über Zitadel.", False),
        ("Reports are kept in Garage.", "Moved report files from Garage to Barrel.", False),
        ("Reports are kept in Garage.", "Errors are kept in Barrel.", True),
        ("My sister Ada lives in Bern.", "My sister Bea lives in Oslo.", True),
    ],
)
def test_each_names_what_the_other_does_not(first: str, second: str, different: bool) -> None:
    assert name_different_things(first, second) is different
    assert name_different_things(second, first) is different


def test_no_fact_about_one_person_is_folded_into_one_about_another(shared_data: Path, tmp_path: Path) -> None:
    """Facts that share every word but the name, handed over session by session. Those whose subject was not known yet
    lie in the general folder, where "Emeka's phone extension is 2421" was once folded into that of Ivo."""
    with gzip.open(shared_data / "recall" / "lookalike_memories.jsonl.gz", "rt", encoding="utf-8") as lines:
        memories = [json.loads(line) for line in lines]
    told: dict[str, list[str]] = defaultdict(list)
    for memory in memories:
        told[memory["session"]].append(memory["text"])
    with graphdream.open(tmp_path / "memory.db", clock=lambda: NOW) as graph:
        for session, facts in told.items():
            graph.record_session(session, observations=facts)
            graph.dream(compact=False)
        folded = graph.store.connection.execute(
            "SELECT fact.content, survivor.content FROM attribute AS fact"
            " JOIN attribute AS survivor ON survivor.id = fact.absorbed_into"
        ).fetchall()
        junk = graph.store.connection.execute("SELECT content FROM attribute WHERE status = 'archived'").fetchall()
    assert folded
    assert [tuple(pair) for pair in folded if name_different_things(*pair)] == []
    assert [row[0] for row in junk] == []
