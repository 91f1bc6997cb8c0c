"""Under headings that name people, places or things, the same line is said of each of them."""

from __future__ import annotations

from pathlib import Path

from graphdream import open as open_graph

NOTES = """# La familia

## Abuela Remedios
- Vive en Cádiz, calle Sacramento 12
- Alérgica a la penicilina

## Tía Encarni
- Cumpleaños: 14 de septiembre
- Alérgica a la penicilina
"""


def test_what_two_people_have_in_common_stays_with_both(tmp_path: Path) -> None:
    (tmp_path / "familia.md").write_text(NOTES, encoding="utf-8")
    with open_graph(tmp_path / "memory.db") as graph:
        graph.import_file(tmp_path / "familia.md")
        graph.dream(compact=True)
        facts = graph.entity("La familia").facts
    assert {aspect for aspect, said in facts.items() if "Alérgica a la penicilina" in [one.content for one in said]} == {
        "Abuela Remedios", "Tía Encarni",
    }  # fmt: skip
