"""The indexes follow every row, in its own transaction."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphdream.events.record import record
from graphdream.graph.store import Store
from graphdream.recall import postings
from graphdream.recall.facts import Searcher
from graphdream.recall.postings import BUDGET, FACTS, TURNS, KeptReadings, match, size
from graphdream.recall.search import recall
from graphdream.recall.words import STEMMER, sign_pairs, split
from support.graphs import apply, entity


def test_a_turn_that_was_rolled_back_is_not_found(store: Store) -> None:
    with pytest.raises(RuntimeError), store.writing():
        record(store, "s", transcript=[{"id": "u1", "text": "a vanishing word"}])
        assert recall(store, "vanishing")
        raise RuntimeError
    assert recall(store, "vanishing") == []
    assert size(store.connection, TURNS)[0] == 0


def test_a_purged_turn_leaves_no_trace_in_the_indexes(memory: Store) -> None:
    record(memory, "s", transcript=[{"id": "u1", "speaker": "Kim", "text": "苹果 secret"}])
    with memory.writing():
        memory.connection.execute("DELETE FROM turn WHERE uid = 'u1'")
    assert recall(memory, "苹果") == []
    assert [hit for hit in recall(memory, "secret") if hit.kind == "turn"] == []
    memory.connection.execute("INSERT INTO turn_index (turn_index) VALUES ('integrity-check')")
    shapes = memory.connection.execute("SELECT turns, sessions FROM talk_shape").fetchone()
    assert tuple(shapes) == (5, 1)
    assert memory.connection.execute("SELECT 1 FROM speaker_shape WHERE name = 'Kim'").fetchone() is None


def test_a_file_from_before_recall_finds_what_it_holds(tmp_path: Path) -> None:
    with Store.open(tmp_path / "memory.db") as store:
        record(
            store, "s", transcript=[{"id": "u1", "speaker": "Kim", "text": "我喜欢吃苹果 and cello"}], summary="pears"
        )
        shapes = [tuple(row) for row in store.connection.execute("SELECT * FROM turn_shape")]
        script = Path(__file__).parents[2] / "migrations" / "0003_recall.sql"
        if not script.exists():
            pytest.skip("runs in the source tree")
        made = [line for line in script.read_text(encoding="utf-8").splitlines() if line.startswith("CREATE")]
        for line in reversed(made):
            kind, name = line.replace("VIRTUAL ", "").split()[1:3]
            store.connection.execute(f"DROP {kind} IF EXISTS {name}")
        store.connection.executescript(script.read_text(encoding="utf-8"))
        assert [tuple(row) for row in store.connection.execute("SELECT * FROM turn_shape")] == shapes
        assert recall(store, "cello")[0].turns == recall(store, "苹果")[0].turns == ("u1",)


def test_the_searcher_sees_what_its_own_transaction_wrote(memory: Store) -> None:
    searcher = Searcher(memory.connection)
    kind, fact, _ = searcher.top("Avery editor", 1)[0]
    with memory.writing():
        apply(memory, [entity("Casey", work=["Casey's editor is Kakoune."])], actor="person")
        assert searcher.top("Casey editor Kakoune", 1)[0][1] != fact
    assert kind == "fact"


def test_common_terms_count_beside_rarer_ones(store: Store) -> None:
    facts = [f"filler word {at}" for at in range(BUDGET + 50)] + ["filler needle"]
    apply(store, [entity("Everything", notes=facts)], actor="person")
    found = match(store.connection, FACTS, ("needl", "filler"), ())
    assert [len(occurrences) for occurrences in found.found] == [1, 1]
    assert found.frequency[1] >= 1
    assert Searcher(store.connection).top("filler needle", 1)[0][1] == BUDGET + 51


def test_a_question_of_common_terms_alone_still_finds(store: Store) -> None:
    apply(store, [entity("Everything", notes=[f"filler word {at}" for at in range(BUDGET + 50)])], actor="person")
    assert len(recall(store, "filler", k=10)) == 10


def test_stems_are_those_of_the_index() -> None:
    assert STEMMER.stems(split("Running runners ran")) == ["run", "runner", "ran"]
    assert sign_pairs("吃苹果 and 好") == ["吃苹", "苹果", "好"]


def test_text_recall_loads_nothing_heavy(tmp_path: Path) -> None:
    heavy = ("numpy", "pydantic", "tiktoken", "litellm", "networkx", "sqlite_utils", "click")
    program = (
        "import sys; from graphdream.__main__ import main\n"
        "code = main(['recall', 'anything', '--db', sys.argv[1]])\n"
        f"print(code, [name for name in {heavy!r} if name in sys.modules])"
    )
    with Store.open(tmp_path / "memory.db"):
        pass
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "memory.db")], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "0 []"


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(("tell", "forget", "tell here", "ask")), min_size=2, max_size=12))
def test_what_is_kept_of_common_terms_is_what_a_first_question_counts(steps: list[str]) -> None:
    kept = KeptReadings()
    told = iter(range(10_000))
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.object(postings, "BUDGET", 3),
        Store.open(Path(folder) / "memory.db") as mine,
        Store.open(Path(folder) / "memory.db") as other,
    ):
        record(other, "s", transcript=[{"id": f"u{next(told)}", "text": "the common cello"} for _ in range(6)])
        for step in [*steps, "ask"]:
            if step == "forget":
                with other.writing():
                    other.connection.execute("DELETE FROM turn WHERE id = (SELECT max(id) FROM turn)")
            elif step != "ask":
                teller = mine if step == "tell here" else other
                record(teller, "s", transcript=[{"id": f"u{next(told)}", "text": "the common cello"}])
            terms = ["common", "cello"]
            again, first = (match(mine.connection, TURNS, terms, [], one) for one in (kept, None))
            assert again.frequency == first.frequency == [size(mine.connection, TURNS)[0]] * 2


WORDS = ("cello", "common", "universe", "university", "barn", "owls", "owl", "dusk", "ランプ")


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5), min_size=3, max_size=14),
    st.lists(
        st.lists(st.sampled_from((*WORDS, "unknown")), min_size=1, max_size=6, unique=True), min_size=1, max_size=4
    ),
)
def test_common_terms_are_found_beside_rarer_ones_whether_or_not_readings_are_kept(
    told: list[list[str]], asked: list[list[str]]
) -> None:
    kept = KeptReadings()
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.object(postings, "BUDGET", 4),
        Store.open(Path(folder) / "memory.db") as store,
    ):
        record(store, "s", transcript=[{"id": f"u{at}", "text": " ".join(words)} for at, words in enumerate(told)])
        for question in asked:
            terms = STEMMER.stems(question)
            first, again = (match(store.connection, TURNS, terms, [], one) for one in (None, kept))
            assert again == first
            assert [list(one) for one in again.found] == [list(one) for one in first.found]


def test_a_question_within_a_transaction_counts_what_it_wrote_after_an_earlier_question(store: Store) -> None:
    kept = KeptReadings()
    with patch.object(postings, "BUDGET", 3), store.writing():
        for number in range(5, 8):
            record(store, "s", transcript=[{"id": f"u{at}", "text": "a common cello"} for at in range(number)])
            assert match(store.connection, TURNS, ["cello"], [], kept).frequency == [number]


def test_a_question_within_a_transaction_is_of_as_many_documents_as_there_are(store: Store) -> None:
    """The index was emptied and written anew, one document at a time: recall read the size that was between the two."""
    record(store, "s", transcript=[{"id": "u1", "text": "a red cello"}, {"id": "u2", "text": "a blue cello"}])
    with store.writing():
        connection = store.connection
        connection.execute("DELETE FROM turn_index")
        connection.execute("SELECT term FROM turn_frequency").fetchall()
        connection.execute("INSERT INTO turn_index (rowid, content) VALUES (1, 'a red cello')")
        found = match(connection, TURNS, ["cello"], [])
        assert (found.documents, found.found) == (1, [{1: 1.0}])
        connection.execute("INSERT INTO turn_index (rowid, content) VALUES (2, 'a blue cello')")
    assert match(store.connection, TURNS, ["cello"], []).documents == 2


def test_a_pair_of_signs_is_looked_up_again_after_a_write(store: Store) -> None:
    kept = KeptReadings()
    with store.writing():
        for number in range(2, 5):
            record(store, "s", transcript=[{"id": f"u{at}", "text": "共通の話"} for at in range(number)])
            for _ in ("first", "again"):
                assert match(store.connection, TURNS, ["共通"], ["共通"], kept).frequency[1] == number
