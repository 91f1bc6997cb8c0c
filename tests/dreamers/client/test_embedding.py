"""Vectors from a real server that speaks OpenAI's protocol, well or badly; without them, words alone answer."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graphdream
from graphdream.__main__ import main
from graphdream.config import ConfigError, Settings, load_settings
from graphdream.dream.exchanges import keep_spending, take_over_unusable
from graphdream.dreamers.client.embedding import MOST_CHARACTERS, MOST_TEXTS, LiteLLMEmbedder, open_embedder
from graphdream.dreamers.client.errors import MissingKeyError
from graphdream.dreamers.client.ledger import Ledger
from graphdream.dreamers.client.opening import UnknownModelError
from graphdream.dreamers.client.retrying import RetryPolicy
from graphdream.recall.search import recall
from graphdream.recall.vectors import Coverage, EmbeddingError, Meanings, coverage, embed_missing
from tests.dreamers.client.servers import Behaviour, Handler, Provider, babbles, breaks_off, fails, says, serving
from tests.support.graphs import NOW

MODEL = "openai/text-embedding-3-small"
KEY = "sk-proj-abcdefghij0123456789ABCDEFGHIJ"
Embeds = Callable[[str], list[float]]


def near_tea(text: str) -> list[float]:
    """A model that knows that tea is a beverage."""
    return [3.0, 0.0] if "tea" in text or "beverage" in text else [0.0, 2.0]


def embeds(model: Embeds = near_tea, *, backwards: bool = False) -> Behaviour:
    def behaviour(handler: Handler) -> None:
        texts = handler.provider.requests[-1]["input"]
        rows = [{"object": "embedding", "index": at, "embedding": model(text)} for at, text in enumerate(texts)]
        usage = {"prompt_tokens": 7 * len(texts), "total_tokens": 7 * len(texts)}
        body = {"object": "list", "data": rows[::-1] if backwards else rows, "model": "m", "usage": usage}
        says(body)(handler)

    return behaviour


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch, _no_keys: None) -> Iterator[Provider]:
    with serving() as provider:
        monkeypatch.setenv("OPENAI_API_BASE", f"{provider.url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
        provider.does(embeds())
        yield provider


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[graphdream.Graph]:
    with graphdream.open(tmp_path / "memory.db", clock=lambda: NOW) as graph:
        graph.remember("Ada likes tea", category="person/Ada/taste")
        graph.remember(f"The deploy key is {KEY}", category="project/Portal/deploy")
        yield graph


def embedder(ledger: Ledger | None = None) -> LiteLLMEmbedder:
    return LiteLLMEmbedder(MODEL, ledger=ledger, retry=RetryPolicy(attempts=2, sleep=lambda seconds: None))


def test_vectors_come_in_the_order_of_the_texts_and_of_length_one(provider: Provider) -> None:
    provider.does(embeds(backwards=True))
    found = embedder().embed(["tea", "", "a house"])
    assert found.tolist() == [[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]]
    assert found.dtype == np.float32
    assert provider.paths == ["/v1/embeddings"] and provider.requests[0]["input"] == ["tea", "a house"]


def test_many_texts_go_in_several_requests_and_long_ones_in_part(provider: Provider) -> None:
    found = embedder().embed([f"{at} tea " + "long " * 1_000 for at in range(MOST_TEXTS + 1)])
    assert found.shape == (MOST_TEXTS + 1, 2)
    assert [len(request["input"]) for request in provider.requests] == [MOST_TEXTS, 1]
    assert max(len(text) for request in provider.requests for text in request["input"]) == MOST_CHARACTERS


def test_credentials_are_taken_out_and_every_request_is_written_down(
    provider: Provider, graph: graphdream.Graph
) -> None:
    ledger = Ledger()
    assert embed_missing(graph.store, embedder(ledger)) == 2
    assert KEY not in str(provider.requests) and "[redacted: " in str(provider.requests)
    assert sum(ledger.redacted.values()) == 1
    (entry,) = ledger.entries
    assert (entry.usage.tokens_in, entry.model, entry.error) == (14, MODEL, "")
    assert entry.usage.cost is not None and 0 < entry.usage.cost < 1e-5


def test_meaning_finds_what_words_do_not(provider: Provider, graph: graphdream.Graph) -> None:
    assert recall(graph.store, "beverage") == []
    embed_missing(graph.store, embedder())
    (best, *_) = recall(graph.store, "beverage", meanings=Meanings(embedder()))
    assert best.text == "Ada likes tea"


@pytest.mark.parametrize(
    "behaviour",
    [
        fails(500),
        fails(401, "bad key"),
        fails(429, "slow down", Retry_After="0"),
        babbles(),
        breaks_off,
        says({"object": "list", "data": [], "model": "m"}),
        says({"object": "list", "data": [{"index": 0, "embedding": "no numbers"}], "model": "m"}),
    ],
)
def test_without_an_answer_words_alone_answer(
    provider: Provider, graph: graphdream.Graph, behaviour: Behaviour
) -> None:
    embed_missing(graph.store, embedder())
    provider.does(behaviour)
    ledger = Ledger()
    meanings = Meanings(embedder(ledger))
    assert recall(graph.store, "Ada tea", meanings=meanings) == recall(graph.store, "Ada tea")
    assert meanings.fault is not None and MODEL in str(meanings.fault)
    assert ledger.entries and all(entry.error for entry in ledger.entries)
    provider.does(embeds())
    assert recall(graph.store, "beverage", meanings=meanings) and meanings.fault is None


def test_what_was_made_before_the_endpoint_failed_is_kept(provider: Provider, graph: graphdream.Graph) -> None:
    graph.record_session("s1", transcript=[{"id": "t1", "speaker": "Ada", "text": "Tea again."}])
    provider.does(embeds(), fails(500))
    with pytest.raises(EmbeddingError):
        embed_missing(graph.store, embedder())
    assert coverage(graph.store.connection, MODEL) == Coverage(2, 3)
    assert coverage(graph.store.connection, MODEL, ("fact",)) == Coverage(2, 2)


def test_a_request_for_vectors_that_failed_is_on_no_passs_bill(provider: Provider, graph: graphdream.Graph) -> None:
    provider.does(fails(401, "bad key"))
    asked = embedder()
    with pytest.raises(EmbeddingError):
        asked.embed(["tea"])
    keep_spending(graph.store, "vectors", asked.ledger.entries, lambda: NOW)
    take_over_unusable(graph.store, graph.passes()[-1].id)
    (row,) = graph.store.connection.execute("SELECT what, ended, pass_id FROM exchange")
    assert tuple(row) == ("vectors", "failed", None)


def test_a_budget_is_asked_before_a_request(provider: Provider) -> None:
    with pytest.raises(EmbeddingError, match="left of the budget"):
        embedder(Ledger(2)).embed(["a text of more than two tokens"])
    assert provider.requests == []


def test_vectors_of_another_length_are_near_to_nothing(provider: Provider, graph: graphdream.Graph) -> None:
    """The provider changed the model under its name."""
    embed_missing(graph.store, embedder())
    provider.does(embeds(lambda text: [1.0, 2.0, 3.0]))
    assert recall(graph.store, "beverage", meanings=Meanings(embedder())) == []
    provider.does(embeds(lambda text: [1.0] * (1 + len(text) % 2)))
    with pytest.raises(EmbeddingError, match="different lengths"):
        embedder().embed(["a", "bc"])


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_numbers_that_are_none_make_no_vector(provider: Provider, value: float) -> None:
    def spoiled(handler: Handler) -> None:
        row = f'{{"object": "embedding", "index": 0, "embedding": [1.0, {"NaN" if math.isnan(value) else "Infinity"}]}}'
        body = (
            f'{{"object": "list", "data": [{row}], "model": "m", "usage": {{"prompt_tokens": 1, "total_tokens": 1}}}}'
        )
        handler.answer(200, body.encode())

    provider.does(spoiled)
    with contextlib.suppress(EmbeddingError):
        assert embedder().embed(["tea"]).tolist() == [[0.0, 0.0]]


def test_the_settings_name_a_model_and_never_a_key(_no_keys: None) -> None:
    assert open_embedder(Settings()) is None
    environ = {"GRAPHDREAM_MEMORY__RECALL__EMBEDDING_MODEL": MODEL}
    with pytest.raises(MissingKeyError):
        open_embedder(load_settings(environ=environ))
    with pytest.raises(ConfigError):
        load_settings(environ={"GRAPHDREAM_MEMORY__RECALL__EMBEDDING_MODEL": KEY})
    with pytest.raises(UnknownModelError):
        open_embedder(load_settings(environ={"GRAPHDREAM_MEMORY__RECALL__EMBEDDING_MODEL": "nobody"}))


def test_the_library_uses_it_and_bills_it_once(
    provider: Provider, graph: graphdream.Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPHDREAM_MEMORY__RECALL__EMBEDDING_MODEL", MODEL)
    assert not graph.recall("beverage")
    assert graph.make_vectors() == 2 and graph.make_vectors() == 0
    assert graph.recall("beverage", vectors=True)[0].text == "Ada likes tea"
    provider.does(fails(401, "bad key"))
    assert graph.recall("tea", vectors=True)[0].text == "Ada likes tea"
    assert "bad key" in str(graph.vectors().meanings.fault)
    path = graph.store.path
    graph.close()
    with graphdream.open(path) as again:
        rows = again.store.connection.execute("SELECT what, attempts, requests FROM exchange ORDER BY id").fetchall()
    assert [(what, attempts, len(json.loads(requests))) for what, attempts, requests in rows] == [
        ("vectors", 1, 1), ("vectors", 2, 2)
    ]  # fmt: skip


def test_the_command_line_uses_it_says_what_fails_and_bills_it(
    provider: Provider, graph: graphdream.Graph, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GRAPHDREAM_MEMORY__RECALL__EMBEDDING_MODEL", MODEL)
    path = str(graph.store.path)
    assert main(["recall", "beverage", "--vectors", "--db", path]) == 0
    assert "Ada likes tea" in capsys.readouterr().out
    rows: list[Any] = graph.store.connection.execute(
        "SELECT what, model, ended, attempts, cost FROM exchange"
    ).fetchall()
    assert [tuple(row)[:4] for row in rows] == [("vectors", MODEL, "answered", 1)] * 2  # of facts, of the question
    assert all(row["cost"] > 0 for row in rows)
    graph.remember("Bo likes chess", category="person/Bo/taste")
    provider.does(fails(401, "bad key"))
    assert main(["recall", "chess", "--vectors", "--db", path]) == 0
    told = capsys.readouterr()
    assert "Bo likes chess" in told.out and "found by its words" in told.err
    main(["doctor", "--db", path])
    assert f"2 of 3 facts have one of {MODEL}; 1 lack one" in " ".join(capsys.readouterr().out.split())
