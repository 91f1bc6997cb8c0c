"""An estimate against what the pass then takes, by the pass's own ledger, from a real server: whatever the model decides."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import pytest

import graphdream
from graphdream.dream.estimate import Estimate
from graphdream.dream.gather import note_looked
from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from graphdream.interfaces.cli.demo import FIXTURE
from graphdream.journal.passes import list_passes
from tests.support.answering import Behaviour, answering
from tests.support.graphs import apply, clock, entity

MODEL = "openai/gpt-4o-mini"
FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
SESSION = "Orion was deployed on Monday. Ada reviewed the plan. The release was put off until the tests pass. " * 8


@pytest.fixture(scope="module")
def tidied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's graph after a pass without a model: what is certain is done, and the same questions are open."""
    path = tmp_path_factory.mktemp("tidied") / "memory.db"
    with graphdream.open(path, clock=clock) as graph:
        graph.import_graph(FIXTURES / FIXTURE)
        graph.dream(compact=True)
    return path


@pytest.fixture(scope="module")
def thing(tidied: Path) -> dict[int, str]:
    """Id of an entity -> the thing that it is in truth."""
    with gzip.open(FIXTURES / FIXTURE.replace(".jsonl", ".gold.jsonl"), "rt", encoding="utf-8") as lines:
        gold = {row["id"]: row.get("cluster") or row["id"] for row in map(json.loads, lines) if row["kind"] == "entity"}
    with Store.open(tidied) as store:
        return {row["id"]: gold[row["uid"]] for row in store.connection.execute("SELECT id, uid FROM entity")}


@pytest.fixture
def path(tidied: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OPENAI_API_KEY", "any-word")
    return Path(shutil.copy(tidied, tmp_path / "memory.db"))


@pytest.fixture
def behaviours(thing: dict[int, str]) -> dict[str, Behaviour]:
    """A model that leaves everything, one that answers every other question, one that holds all for one, one that knows;
    of a session they note nothing, 6, 12 and 3 facts."""
    return {
        "none": Behaviour(0, 0, lambda _, __: False),
        "half": Behaviour(2, 6, lambda first, second: thing[first] == thing[second]),
        "all": Behaviour(1, 12, lambda _, __: True),
        "truth": Behaviour(1, 3, lambda first, second: thing[first] == thing[second]),
    }


def spent(path: Path) -> int:
    with Store.open(path) as store:
        row = list_passes(store.connection)[-1]
        assert (row["dreamer"], row["status"]) == ("hybrid", "applied")
        return int(row["tokens_in"] + row["tokens_out"])


@pytest.mark.parametrize(
    ("how", "who"),
    [
        *((["--compact"], who) for who in ("none", "half", "all")),
        *((["--compact", "--thorough"], who) for who in ("none", "truth")),
        *((["--trigger"], who) for who in ("none", "half", "all", "truth")),
    ],
    ids=str,
)
def test_an_estimate_is_right_within_a_tenth_whatever_the_model_does(
    path: Path, behaviours: dict[str, Behaviour], how: list[str], who: str, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    if how == ["--trigger"]:
        with graphdream.open(path, clock=clock) as graph:
            with graph.store.writing():
                note_looked(graph.store.connection, 2)
                graph.store.connection.execute("UPDATE summary SET read_by = 1")
            graph.record_session("s1", summary=SESSION)
    command = ["dream", *how, "--model", MODEL, "--db", str(path), "--json"]
    capsys.readouterr()
    assert main([*command, "--estimate"]) == 0
    foreseen = json.loads(capsys.readouterr().out)
    with answering(behaviours[who]) as address:
        monkeypatch.setenv("OPENAI_API_BASE", address)
        assert main(command) == 0
    took = spent(path)
    assert abs(foreseen["tokens"] - took) <= 0.1 * took, (foreseen, took)
    assert foreseen["low"] * 0.99 <= took <= foreseen["high"]
    if how != ["--trigger"]:
        assert foreseen["figures"].get("questions", foreseen["figures"].get("candidate_pairs")) > 20


# ---------------------------------------------------------------------- what a provider counts otherwise


def estimated(path: Path) -> Estimate:
    with graphdream.open(path, clock=clock) as graph:
        return graph.estimate(model=MODEL, compact=False)


def test_an_estimate_learns_how_a_provider_counts_and_how_much_its_model_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "any-word")
    path = tmp_path / "memory.db"
    with Store.open(path) as store:
        apply(store, [entity("Orion", "project", general=["Orion renders film frames at night"])])
        with store.writing():
            note_looked(store.connection, 1)
    with answering(Behaviour(1, 12, lambda _, __: True), counts=1.4) as address:
        monkeypatch.setenv("OPENAI_API_BASE", address)
        errors = []
        for number in range(6):
            with graphdream.open(path, clock=clock) as graph:
                graph.record_session(f"s{number}", summary=f"Day {number}. {SESSION}")
            foreseen = estimated(path)
            assert foreseen.learned_from == number
            with graphdream.open(path, clock=clock) as graph:
                graph.dream(model=MODEL, compact=False)
            errors.append(abs(foreseen.tokens / spent(path) - 1))
    assert errors[0] > 0.25 and max(errors[4:]) < 0.1
    with graphdream.open(path, clock=clock) as graph:
        graph.record_session("other", summary=SESSION)
        assert graph.estimate(model="openai/gpt-4o", compact=False).learned_from == 0
