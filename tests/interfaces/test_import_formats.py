"""An importer is one file: put beside the others, it is in the help, in the table of the docs and in the messages."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from doc_tables import command_help
from graphdream.errors import UsageError
from graphdream.interfaces.cli import main
from graphdream.interfaces.importers import formats
from graphdream.interfaces.importers.formats import format_of, formats_table

# Address cards: RFC 6350. A property is NAME;PARAMETER=...:VALUE; a line that begins with a space goes on the last one.
VCARD = '''
"""Address cards (vCard, RFC 6350): each card an entity, each property that tells something a fact."""

from graphdream.interfaces.importers.format import Format, of_rows

TOLD = {"ORG": "works at", "EMAIL": "email", "BDAY": "born on", "NOTE": "note"}


def rows(path, faults):
    card = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        key, colon, value = line.partition(":")
        name = key.partition(";")[0].upper()
        if not colon:
            faults.add(number, "is no property: there is no colon in it")
        elif name in ("BEGIN", "END"):
            card = None
        elif name == "FN":
            card = f"card-{number}"
            yield number, {"kind": "entity", "id": card, "name": value, "type": "person"}
            yield number, {"kind": "aspect", "id": f"{card}-a", "entity_id": card, "name": "card"}
        elif name in TOLD and card is None:
            faults.add(number, f"{name} stands before the name (FN)")
        elif name in TOLD:
            yield number, {
                "kind": "attribute", "id": f"fact-{number}", "entity_id": card, "aspect_id": f"{card}-a",
                "content": f"{TOLD[name]} {value}", "confidence": 2 if name == "BDAY" and "--" in value else 1,
            }


FORMAT = Format("vcard", "address cards", of_rows(rows), suffixes=(".vcf",))
'''

CARDS = """BEGIN:VCARD
VERSION:4.0
FN:Dr. Þórdís Hallgrímsdóttir
ORG:Landspítali
EMAIL;TYPE=work:thordis@landspitali.example
END:VCARD
BEGIN:VCARD
VERSION:4.0
FN:張偉
NOTE:左利きです
END:VCARD
"""


@pytest.fixture
def vcard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One file more among the importers."""
    folder = tmp_path / "more"
    folder.mkdir()
    (folder / "vcard.py").write_text(VCARD, encoding="utf-8")
    monkeypatch.setattr(formats, "__path__", [*formats.__path__, str(folder)])
    yield
    sys.modules.pop(f"{formats.__name__}.vcard", None)


@pytest.mark.usefixtures("vcard")
def test_an_importer_of_ones_own_is_found_in_the_help_the_docs_and_the_messages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "| `vcard` | address cards | .vcf |" in formats_table()
    told = " ".join(command_help().split())
    assert "address cards (.vcf)" in told and "vcard}" in told
    (tmp_path / "notes.org").write_text("* a heading\n", encoding="utf-8")
    assert main(["import", str(tmp_path / "notes.org"), "--db", str(tmp_path / "m.db")]) == 3
    assert "transcripts or vcard (graphdream import --help)" in capsys.readouterr().err
    with pytest.raises(UsageError) as refused:
        format_of("x.vcf", "visitenkarten")
    assert "vcard" in refused.value.hint


@pytest.mark.usefixtures("vcard")
def test_what_it_yields_is_imported_and_told_by_its_own_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cards, db = tmp_path / "friends.vcf", ["--db", str(tmp_path / "m.db")]
    cards.write_text(CARDS, encoding="utf-8")
    assert main(["import", str(cards), *db]) == 0
    assert "imported friends.vcf: 2 entities, 2 aspects, 3 facts" in capsys.readouterr().out
    assert main(["entity", "張偉", *db]) == 0 and "左利きです" in capsys.readouterr().out
    assert main(["undo", "1", *db]) == 0

    bad = CARDS.replace("END:VCARD\n", "END:VCARD\nEMAIL:too.early@example\n", 1).replace("NOTE:", "NOTE ")
    cards.write_text(bad.replace("ORG:Landspítali", "BDAY:--04-11"), encoding="utf-8")
    capsys.readouterr()
    assert main(["import", str(cards), *db]) == 3
    told = capsys.readouterr().err
    assert "refused for 3 faults" in told
    assert "line 4: `confidence` must be a number from 0 to 1" in told, "what is wrong with a row names its line, too"
    assert "line 7: EMAIL stands before the name" in told and "line 11: is no property" in told
    assert main(["import", str(cards), "--skip-bad", *db]) == 0
    assert main(["import", str(tmp_path / "none.vcf"), *db]) == 6


def test_a_file_of_any_name_is_read_as_the_format_that_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    notes, db = tmp_path / "minnispunktar.txt", ["--db", str(tmp_path / "m.db")]
    notes.write_text("# Garður\n\n- Kartöflurnar fara niður í maí\n", encoding="utf-8")
    assert main(["import", str(notes), *db]) == 3
    assert "--format NAME" in capsys.readouterr().err
    assert main(["import", str(notes), "--format", "markdown", *db]) == 0
    assert main(["recall", "Kartöflurnar", *db]) == 0
    assert "niður í maí" in capsys.readouterr().out
