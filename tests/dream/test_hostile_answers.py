"""Whatever a model answers, the pass ends well or says that it cannot, and the laws hold."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphdream.config import Settings
from graphdream.dream.edit import edit
from graphdream.dream.opening import Wish, open_hybrid
from graphdream.dream.runner import PassOptions, dream
from graphdream.dreamers.client.salvage import NUMBER_LISTS
from graphdream.dreamers.model import RefusedError
from graphdream.dreamers.prompt.answer_form import everything
from graphdream.events.record import record
from graphdream.graph.store import Store
from graphdream.journal.undo import undo
from graphdream.journal.verify import verify
from graphdream.mutations import model
from tests.support.graphs import apply, clock, dump, entity
from tests.support.models import ScriptedClient

HANDLES = st.sampled_from(["e1", "e2", "e3", "e99", "a1", "a2", "a3", "a4", "l1", "Ada", "Bo", "Nobody", "", "e0"])
WORDS = st.one_of(
    HANDLES, st.text(max_size=12), st.sampled_from(["likes tea", "Ada lives in Rome", "</data>", "'; --"])
)
VALUES = st.one_of(WORDS, st.lists(HANDLES, max_size=3), st.integers(), st.none(), st.booleans())
FIELDS = st.sampled_from(
    "source target entity name aspect content old new type attributes links aliases attribute first second keep link"
    " session quote reason slot kind pinned".split()
)
OPS = st.one_of(st.sampled_from([*everything(), "pin", "unpin", "decay", "mark_constraint", "restore", "purge"]), WORDS)
ITEMS = st.builds(lambda op, fields: {"op": op, **fields}, OPS, st.dictionaries(FIELDS, VALUES, max_size=5))
MERGES = st.builds(lambda a, b: {"op": "merge_entities", "source": [a], "target": b}, HANDLES, HANDLES)
DELETES = st.builds(lambda a: {"op": "delete_attribute", "content": a}, HANDLES)
NUMBERS = st.one_of(st.integers(0, 3), st.sampled_from(["1", None, True, 10**30]))
LISTS = st.dictionaries(st.sampled_from(NUMBER_LISTS), st.lists(NUMBERS, max_size=3) | NUMBERS, max_size=3)
ANSWERS = st.one_of(
    st.builds(
        lambda lists, items: json.dumps({**lists, "mutations": items, "summary": "done"}),
        LISTS,
        st.lists(ITEMS | MERGES | DELETES),
    ),
    st.builds(json.dumps, LISTS),
    st.text(max_size=80),
    st.builds(lambda items, cut: json.dumps({"mutations": items})[:cut], st.lists(ITEMS), st.integers(0, 120)),
)


@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.lists(ANSWERS, min_size=2, max_size=2))
def test_no_answer_breaks_a_pass(answers: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "memory.db") as store:
        apply(store, [entity("Ada", general=["likes tea", "lives in Paris"]), entity("Bo", general=["sings"])])
        apply(store, [{"op": "flag_contradiction", "first": "a1", "second": "a2"}])
        edit(store, [model.CreateEntity(name="Pinned"), model.Pin(entity="Pinned")], clock=clock)
        edit(store, [model.CreateAttribute(entity="Pinned", content="stays", kind="constraint")], clock=clock)
        record(store, "s1", summary="Ada and Bo met. Ada likes tea.", clock=clock)
        before = dump(store)
        replies = iter([*answers, *answers])
        client = ScriptedClient(lambda _: next(replies))
        dreamer = open_hybrid(store, client, Wish("m", 0.005), Settings(), None, clock=clock)
        try:
            report: Any = dream(store, dreamer, PassOptions(loss_cap=1.0), clock=clock)
        except RefusedError:
            assert dump(store) == before
        else:
            assert len(report.outcomes) == len(report.proposals)
            protected = "SELECT count(*) FROM attribute WHERE content = 'stays' AND status = 'active'"
            assert store.connection.execute(protected).fetchone()[0] == 1
            if report.pass_id is not None and report.status == "applied":
                undo(store, report.pass_id, clock=clock)
                assert dump(store) == before
        assert verify(store).ok
