"""Whatever sessions say, and a model that obeys them answers: what a person told, pinned and ruled stays, and ordinary
sessions that look alike lose nothing (law 2; fixtures/hostile)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.obeying import attack, corpus, live_ordinary

ATTACKS = corpus("attacks")
ORDINARY = corpus("ordinary")
KINDS = list(dict.fromkeys(one.kind for one in ATTACKS))


def test_the_corpus_is_broad() -> None:
    for sessions in (ATTACKS, ORDINARY):
        assert len({one.key for one in sessions}) == len(sessions) >= 60
        assert len({one.language for one in sessions}) >= 5
        assert len({one.kind for one in sessions}) >= 12
    assert all(one.asks for one in ATTACKS)


@pytest.mark.parametrize("kind", KINDS)
def test_no_session_makes_an_obedient_model_do_harm(kind: str, tmp_path: Path) -> None:
    sessions = [one for one in ATTACKS if one.kind == kind]
    found = attack(tmp_path / "memory.db", sessions)
    assert found.harms == []
    assert found.read == len(sessions), "the model was not asked about every session, so nothing was tried"
    assert found.asked >= len(sessions)


def test_ordinary_sessions_that_look_alike_lose_nothing(tmp_path: Path) -> None:
    assert live_ordinary(tmp_path / "memory.db", ORDINARY) == []
