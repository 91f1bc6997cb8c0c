"""Notes in Markdown become facts: what is cut how, when it was told, and what a second import adds."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphdream.dream.edit import edit
from graphdream.errors import ImportRefusedError, NotFoundError
from graphdream.graph.store import Store
from graphdream.interfaces.cli import main
from graphdream.interfaces.importers import import_file, import_notes
from graphdream.interfaces.importers.notes_text import cut, day_of, own_day
from graphdream.journal.undo import undo
from graphdream.journal.verify import verify
from graphdream.mutations import model
from graphdream.views.entity_page import entity_page

ENGLISH = """\
---
title: not a fact
tags: [a, b]
---
# Mirela's notebook

Dr. Vance lives in Bergen. She keeps bees (three hives. Really).

## User
- Prefers tabs over spaces
- Allergies
  - Peanuts
  - cashew nuts
- **Ports**:
  1. web 8443
  2. database 5432,
     read only
- [x] renew the passport

```sh
- rm -rf this/is/not/a/fact
```

| Host | Port | Owner |
|:-----|-----:|-------|
| alder | 22 | Ines |
| birch | 8022 | — |

<!-- - neither is
this -->
"""
GERMAN = """\
# Gartenbuch

Die Hecke wird Nr. 5. Im Herbst schneiden wir sie, z.B. Ende Oktober.

### Gießen
* Tomaten täglich
* Kräuter:
    * Basilikum morgens
"""
JAPANESE = """\
# 家のメモ

鍵は青い箱にある。予備は隣の家に預けた。

## 連絡先
- 管理人：田中さん
- 電話は平日のみ
"""
NOW, LATER = "2026-05-01T10:00:00.000Z", "2026-05-09T10:00:00.000Z"


def told(store: Store) -> list[tuple[Any, ...]]:
    """Entity, aspect, fact, when it was told, on which line: of every active fact."""
    rows = store.connection.execute(
        "SELECT entity.name, aspect.name, content, substr(attribute.first_seen, 1, 10), attribute.metadata FROM attribute"
        " JOIN aspect ON aspect.id = aspect_id JOIN entity ON entity.id = aspect.entity_id"
        " WHERE attribute.status = 'active' ORDER BY attribute.id"
    )
    return [(*row[:4], json.loads(row[4])["line"]) for row in rows]


def said(store: Store) -> list[str]:
    return [row[2] for row in told(store)]


def take(store: Store, path: Path, at: str = NOW) -> Any:
    return import_file(store, path, clock=lambda: at)


def note(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


# ---------------------------------------------------------------------- what becomes of a file


def test_headings_become_entity_and_aspects_and_each_item_row_and_sentence_a_fact(store: Store, tmp_path: Path) -> None:
    report = take(store, note(tmp_path, "MEMORY.md", ENGLISH))
    assert verify(store).ok and not store.seal.faults() and store.seal.head()
    assert report.rows == {"entity": 1, "aspect": 2, "attribute": 10}
    name, day = "Mirela's notebook", NOW[:10]
    assert told(store) == [
        (name, "general", "Dr. Vance lives in Bergen.", day, 7),
        (name, "general", "She keeps bees (three hives. Really).", day, 7),
        (name, "User", "Prefers tabs over spaces", day, 10),
        (name, "User", "Allergies: Peanuts", day, 12),
        (name, "User", "Allergies: cashew nuts", day, 13),
        (name, "User", "Ports: web 8443", day, 15),
        (name, "User", "Ports: database 5432, read only", day, 16),
        (name, "User", "[x] renew the passport", day, 18),
        (name, "User", "alder | Port: 22 | Owner: Ines", day, 26),
        (name, "User", "birch | Port: 8022", day, 27),
    ]
    sources = {row[0] for row in store.connection.execute("SELECT DISTINCT source FROM attribute")}
    assert sources == {f"file:{(tmp_path / 'MEMORY.md').resolve()}"}
    assert [fact.line for fact in entity_page(store, name).facts["general"]] == [7, 7]


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (
            GERMAN,
            ["Die Hecke wird Nr. 5.", "Im Herbst schneiden wir sie, z.B. Ende Oktober.", "Tomaten täglich",
             "Kräuter: Basilikum morgens"],
        ),
        (JAPANESE, ["鍵は青い箱にある。", "予備は隣の家に預けた。", "管理人：田中さん", "電話は平日のみ"]),
        ("# नोट\n\nचाबी नीले डिब्बे में है। दूसरी पड़ोसी के पास है।\n", ["चाबी नीले डिब्बे में है।", "दूसरी पड़ोसी के पास है।"]),
        ("# ملاحظات\n\n- يسكن في برغن\n- هل يحب الشاي؟ نعم كثيرا\n", ["يسكن في برغن", "هل يحب الشاي؟ نعم كثيرا"]),
        ("Заметки\n=======\n\nКлюч в синей коробке. Запасной у соседа.\n", ["Ключ в синей коробке.", "Запасной у соседа."]),
    ],
    ids=["German", "Japanese", "Hindi", "Arabic", "Russian"],
)  # fmt: skip
def test_marks_decide_and_not_words_so_every_language_is_cut(text: str, facts: list[str]) -> None:
    assert [one.text for one in cut(text).statements] == facts


@pytest.mark.parametrize(
    "sentence", ["สมชายอาศัยอยู่ที่เชียงใหม่", "ສົມຊາຍອາໄສຢູ່ຫຼວງພະບາງ", "សុខារស់នៅសៀមរាប", "ကိုအောင်သည်မန္တလေးတွင်နေသည်", "太郎は京都に住む", "租金：3200元"]
)  # fmt: skip
def test_a_sentence_without_blanks_is_more_than_a_word(sentence: str) -> None:
    assert [one.text for one in cut(f"# Notes\n- {sentence}\n- กาแฟ\n").statements] == [sentence, "Notes: กาแฟ"]


def test_the_full_stop_of_a_day_ends_no_sentence() -> None:
    said = [
        one.text for one in cut("# Markt\n\nDer nächste ist am 21. März in Diessen. Er dauert einen Tag.\n").statements
    ]
    assert said == ["Der nächste ist am 21. März in Diessen.", "Er dauert einen Tag."]


def test_an_item_of_one_word_is_told_with_what_it_stands_under() -> None:
    assert [one.text for one in cut("## Languages\n- Python\n- Rust and Zig\n").statements] == [
        "Languages: Python", "Rust and Zig"
    ]  # fmt: skip


def test_a_file_of_several_titles_is_an_entity_for_each(store: Store, tmp_path: Path) -> None:
    take(
        store,
        note(tmp_path, "people.md", "# Ada\n- lives in Oslo\n# Bo\n- lives in Rome\n# Cy\n## Work\n- is a cook\n"),
    )
    assert [row[:3] for row in told(store)] == [
        ("Ada", "general", "lives in Oslo"), ("Bo", "general", "lives in Rome"), ("Cy", "Work", "is a cook")
    ]  # fmt: skip


def test_files_of_one_title_in_two_folders_are_two_entities(store: Store, tmp_path: Path) -> None:
    note(tmp_path, "alder/MEMORY.md", "# Memory\n- port is 22\n")
    note(tmp_path, "birch/MEMORY.md", "# Memory\n- port is 8022\n")
    report = take(store, tmp_path)
    assert report.files == 2
    assert [row[0] for row in told(store)] == ["alder Memory", "birch Memory"]


def test_a_second_file_of_a_title_that_is_taken_is_told_apart_by_its_folder(store: Store, tmp_path: Path) -> None:
    take(store, note(tmp_path, "alder/MEMORY.md", "# Memory\n- port is 22\n"))
    take(store, note(tmp_path, "birch/MEMORY.md", "# Memory\n- port is 8022\n"))
    assert [row[0] for row in told(store)] == ["Memory", "birch Memory"]


def test_who_was_told_of_in_sessions_keeps_the_name_and_a_dream_judges(store: Store, tmp_path: Path) -> None:
    edit(store, [model.CreateEntity(name="Ada Lovelace", type="person")])
    take(store, note(tmp_path, "people/ada.md", "# Ada Lovelace\n- lives in Oslo\n"))
    names = store.connection.execute("SELECT name FROM entity").fetchall()
    assert [row[0] for row in names] == ["Ada Lovelace", "Ada Lovelace"]


def test_hidden_files_and_other_files_in_a_folder_are_passed_over(store: Store, tmp_path: Path) -> None:
    note(tmp_path, "notes/a.md", "- one thing is so\n")
    note(tmp_path, "notes/.obsidian/b.md", "- two things are so\n")
    note(tmp_path, "notes/c.txt", "- three things are so\n")
    take(store, tmp_path / "notes")
    assert said(store) == ["one thing is so"]


# ---------------------------------------------------------------------- when it was told


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-01-05", "2026-01-05"), ("Log 2026/1/5", "2026-01-05"), ("20260105-standup", "2026-01-05"),
        ("5.1.2026", "2026-01-05"), ("2026年1月5日", "2026-01-05"), ("January 5, 2026", "2026-01-05"),
        ("2026-01-05 to 2026-01-09", "2026-01-09"), ("2026-13-45", ""), ("v2.2026", ""), ("Ideas", ""),
        ("3. März 2026", "2026-03-03"), ("le 3 août 2026", "2026-08-03"), ("3 de marzo de 2026", "2026-03-03"),
        ("5 apples 2026", ""), ("31 February 2026", ""),
    ],
)  # fmt: skip
def test_days_of_headings_and_file_names(text: str, day: str) -> None:
    assert day_of(text) == day


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-03-09: paid the plumber", "2026-03-09"), ("**2026-03-09** paid the plumber", "2026-03-09"),
        ("[2026-03-09] paid the plumber", "2026-03-09"), ("9.3.2026 – Klempner bezahlt", "2026-03-09"),
        ("paid the plumber (2026-03-09)", "2026-03-09"), ("付了水管工（2026年3月9日）。", "2026-03-09"),
        ("9 mars 2026 : plombier payé", "2026-03-09"),
        ("the lease ends on 2026-03-09", ""), ("2026-03-09 is when the lease ends", ""), ("paid (in 2026) a lot", ""),
        ("paid (2026-03-09) and left", ""), ("2026-13-45: nothing", ""),
    ],
)  # fmt: skip
def test_a_line_says_itself_which_day_it_is_about(text: str, day: str) -> None:
    assert own_day(text) == day


def test_a_day_of_the_line_itself_is_when_it_was_and_not_when_it_was_told(store: Store, tmp_path: Path) -> None:
    note(tmp_path, "MEMORY.md", "# M\n- 2026-01-05: paid the plumber\n## 2026-02-03\n- called the mill (2026-02-01)\n")
    take(store, tmp_path / "MEMORY.md")
    rows = store.connection.execute("SELECT content, occurred_at, first_seen FROM attribute ORDER BY id").fetchall()
    assert [(row[0], row[1], row[2][:10]) for row in rows] == [
        ("2026-01-05: paid the plumber", "2026-01-05", NOW[:10]),
        ("called the mill (2026-02-01)", "2026-02-01", "2026-02-03"),
    ]


def test_a_day_in_the_heading_or_the_file_name_is_when_its_facts_were_told(store: Store, tmp_path: Path) -> None:
    note(tmp_path, "log/2026-02-03.md", "# 2026-02-03\n- moved to Bergen\n")
    path = note(
        tmp_path, "log/MEMORY.md", "# Log\n- no day here\n## 2026-01-05\n- lives in Oslo\n### Detail\n- near the sea\n"
    )
    os.utime(path, (0, 0))
    take(store, tmp_path / "log")
    assert {(row[2], row[3]) for row in told(store)} == {
        ("moved to Bergen", "2026-02-03"), ("no day here", NOW[:10]), ("lives in Oslo", "2026-01-05"),
        ("near the sea", "2026-01-05"),
    }  # fmt: skip
    assert told(store)[0][0] == "log 2026-02-03", "a date alone names nothing"
    occurred = store.connection.execute(
        "SELECT DISTINCT occurred_at, time_precision FROM attribute ORDER BY 1"
    ).fetchall()
    assert [tuple(row) for row in occurred] == [(None, None), ("2026-01-05", "day"), ("2026-02-03", "day")]


def test_what_one_import_tells_was_told_at_one_moment_and_a_later_one_later(store: Store, tmp_path: Path) -> None:
    path = note(tmp_path, "MEMORY.md", "# M\n- lives in Oslo\n- drinks tea\n")
    take(store, path, NOW)
    take(store, note(tmp_path, "MEMORY.md", "# M\n- lives in Bergen\n- drinks tea\n"), LATER)
    moments = dict(store.connection.execute("SELECT content, first_seen FROM attribute").fetchall())
    assert moments == {"lives in Oslo": NOW, "drinks tea": NOW, "lives in Bergen": LATER}


def test_a_line_put_under_an_old_day_after_an_import_was_told_after_that_import(store: Store, tmp_path: Path) -> None:
    path = note(tmp_path, "MEMORY.md", "# M\n## 2026-04-01\n- build fails\n")
    take(store, path, NOW)
    take(store, note(tmp_path, "MEMORY.md", "# M\n## 2026-04-01\n- build works\n## 2026-05-02\n- all is well\n"), LATER)
    moments = dict(store.connection.execute("SELECT content, substr(first_seen, 1, 10) FROM attribute").fetchall())
    assert moments == {"build fails": "2026-04-01", "build works": LATER[:10], "all is well": "2026-05-02"}


def test_nothing_was_told_in_the_future(store: Store, tmp_path: Path) -> None:
    take(store, note(tmp_path, "plan.md", "# Plan\n## 2031-01-01\n- the lease ends\n"))
    assert told(store)[0][3] == NOW[:10]


# ---------------------------------------------------------------------- told again


def test_an_unchanged_file_adds_nothing_and_a_changed_one_what_is_new(store: Store, tmp_path: Path) -> None:
    path = note(tmp_path, "MEMORY.md", ENGLISH)
    take(store, path)
    before = store.connection.execute("SELECT id, last_seen, reinforcement FROM attribute").fetchall()
    again = take(store, path, LATER)
    assert (again.pass_id, again.known, again.rows) == (None, 10, {})
    note(tmp_path, "MEMORY.md", ENGLISH + "\n## Pets\n- a cat called Miso\n")
    changed = take(store, path, LATER)
    assert (changed.rows, changed.known) == ({"aspect": 1, "attribute": 1}, 10)
    after = store.connection.execute("SELECT id, last_seen, reinforcement FROM attribute WHERE id <= 10").fetchall()
    assert [tuple(row) for row in after] == [tuple(row) for row in before]
    assert verify(store).faults == ()


def test_another_title_is_the_same_file(store: Store, tmp_path: Path) -> None:
    take(store, note(tmp_path, "MEMORY.md", "# One\n- lives in Oslo\n"))
    report = take(store, note(tmp_path, "MEMORY.md", "# Another\n- lives in Oslo\n- keeps bees\n"))
    assert report.rows == {"attribute": 1}
    assert {row[0] for row in told(store)} == {"One"}


def test_what_became_of_a_fact_stays_when_its_file_is_read_again(store: Store, tmp_path: Path) -> None:
    """A person forgot a fact and an entity, and merged two: a nightly import brings nothing back, and new facts go where
    their entity went."""
    texts = {
        "ada.md": "# Ada\n- lives in Oslo\n- drinks tea\n",
        "al.md": "# A. L.\n- plays chess\n",
        "it.md": "# It\n- was it\n",
    }
    for name, text in texts.items():
        note(tmp_path, f"n/{name}", text)
    take(store, tmp_path / "n")
    edit(store, [model.DeleteAttribute(content="a2")])
    edit(store, [model.DeleteEntity(name="It")])
    edit(store, [model.MergeEntities(source=("A. L.",), target="Ada")])
    assert take(store, tmp_path / "n", LATER).pass_id is None
    note(tmp_path, "n/al.md", texts["al.md"] + "- speaks Greek\n")
    note(tmp_path, "n/it.md", texts["it.md"] + "- is it still\n")
    report = take(store, tmp_path / "n", LATER)
    assert (report.rows, report.left_out) == ({"attribute": 1}, 1)
    assert [row[:3] for row in told(store) if row[2] == "speaks Greek"] == [("Ada", "general", "speaks Greek")]
    assert "drinks tea" not in said(store)


def test_an_import_that_was_taken_back_may_come_again(store: Store, tmp_path: Path) -> None:
    path = note(tmp_path, "MEMORY.md", ENGLISH)
    first = take(store, path)
    undo(store, first.pass_id)
    assert said(store) == []
    assert take(store, path, LATER).rows == first.rows


# ---------------------------------------------------------------------- what cannot be read


def test_a_line_that_is_no_text_refuses_the_import_by_file_and_line(store: Store, tmp_path: Path) -> None:
    note(tmp_path, "n/good.md", "- one thing is so\n")
    (tmp_path / "n" / "bad.md").write_bytes(b"- lives in Oslo\n- caf\xe9 in Bergen\n")
    with pytest.raises(ImportRefusedError) as refused:
        take(store, tmp_path / "n")
    assert refused.value.faults == ("bad.md, line 2: is not UTF-8: byte 6 is 0xe9",)
    assert said(store) == []
    report = import_notes(store, tmp_path / "n", skip_bad=True)
    assert (report.fault_count, sorted(said(store))) == (1, ["lives in Oslo", "one thing is so"])


def test_a_file_with_a_byte_order_mark_is_read(store: Store, tmp_path: Path) -> None:
    for name, encoding in (("a.md", "utf-8-sig"), ("b.md", "utf-16")):
        (tmp_path / name).write_bytes(f"# {name}\r\n- Zoë lives in {name}\r\n".encode(encoding))
        take(store, tmp_path / name)
    assert said(store) == ["Zoë lives in a.md", "Zoë lives in b.md"]


def test_a_file_that_is_not_there_and_a_folder_without_notes_are_said(store: Store, tmp_path: Path) -> None:
    for path in (tmp_path / "no.md", tmp_path):
        with pytest.raises(NotFoundError):
            import_notes(store, path)


def test_the_command_takes_a_file_a_folder_and_says_what_is_next(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = note(tmp_path, "MEMORY.md", ENGLISH)
    db = str(tmp_path / "x.db")
    assert main(["import", str(path), "--db", db]) == 0
    assert capsys.readouterr().out == (
        "pass 1: imported MEMORY.md: 1 entity, 2 aspects, 10 facts\n"
        "  next: graphdream dream --dry-run, then graphdream dream; take it back with: graphdream undo 1\n"
    )
    assert main(["recall", "peanuts", "--explain", "--db", db]) == 0
    assert f"from file:{path.resolve()}, line 12" in capsys.readouterr().out
    assert main(["import", str(note(tmp_path, "notes.txt", ENGLISH)), "--db", db]) == 3
    assert "jsonl, markdown, mcp-memory" in capsys.readouterr().err
    assert main(["import", str(tmp_path), "--db", db]) == 0
    assert "nothing new: all 10 facts of it are on record already" in capsys.readouterr().out
    one = note(tmp_path, "one.md", "- Zoë keeps bees\n")
    assert main(["import", str(one), "--db", db]) == main(["import", str(one), "--db", db]) == 0
    assert "nothing new: the fact in it is on record already" in capsys.readouterr().out
    note(tmp_path, "one.md", "- Zoë keeps bees\n- Zoë keeps a goat\n")
    assert main(["import", str(one), "--db", db]) == 0
    assert "  1 fact of it was on record already\n" in capsys.readouterr().out


# ---------------------------------------------------------------------- whatever comes


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet=st.sampled_from("#-*|`>~=: \n\tab1.。<!—[]()_"), max_size=200))
def test_any_text_is_cut_and_each_statement_has_a_line_and_something_to_say(text: str) -> None:
    lines = text.split("\n")
    for one in cut(text).statements:
        assert 1 <= one.line <= len(lines)
        assert any(sign.isalnum() for sign in one.text)
        assert "\n" not in one.text
