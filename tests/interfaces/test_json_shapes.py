"""What every command prints with `--json` is what is declared of it: no key more, none less, one document."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, chdir, closing, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from graphdream.dream.lease import hold
from graphdream.errors import NotFoundError
from graphdream.graph.store import Store
from graphdream.interfaces.cli import COMMANDS, demo, main
from graphdream.interfaces.shapes import FORMS, NONE, schema_of
from graphdream.interfaces.shapes.schema import DRAFT, schemas
from tests.laws.cuts import cut, entities_of
from tests.support.attacks import shell
from tests.support.hostile_text import evil, live

NOTES = "- Ada sings\n- Ada moved to Porto\n"
EVENTS = """\
{"kind": "skill-use", "skill": "post", "session": "s1", "outcome": "failed", "detail": "no stamp"}
{"kind": "skill-use", "skill": "mail", "session": "s1", "outcome": "ok"}
{"kind": "nonsense"}
"""
TALK = """\
{"role": "user", "content": "Is the copper kettle in the kitchen?"}
{"role": "assistant", "content": "The copper kettle is in the kitchen, on the stove."}
{"role": "user", "content": "Then put the copper kettle into the cellar."}
"""
GRAPH = """\
{"kind": "entity", "id": "n91", "name": "Cy", "shoe": 44}
{"kind": "aspect", "id": "p91", "entity_id": "n91", "name": "home"}
{"kind": "attribute", "id": "f91", "entity_id": "n91", "aspect_id": "p91", "content": "Cy lives in Bergen."}
{"kind": "attribute", "id": "f92", "entity_id": "n91", "aspect_id": "p91", "content": "Cy lives in Malmo."}
{"kind": "contradiction", "id": "c91", "first_id": "f91", "second_id": "f92"}
{"kind": "nonsense"}
"""
SKILL = "---\nname: post\ndescription: Send letters.\n---\n\n# post\n\nBuy a stamp.\n"
QUESTIONS = '{"id": 1, "question": "boat tea ship"}\n{"id": "b", "question": "Lisbon", "k": 1}\n'
LABELS = "".join(
    json.dumps({"id": f"{number}{side}", "name": f"Person {number}{side}", "cluster": number}) + "\n"
    for number in range(12)
    for side in ("", " Smith")
)
Seen = tuple[str, str]
# What takes more than a few commands to come about: four dreams of some size; turns beside a fact that rests on one; a
# cycle with a model.
ELSEWHERE = {  # tests/journal/test_unusual.py, tests/recall/test_search.py, tests/passes/test_protocol.py
    "Unusual", ("Recalled", "beside"), *(("LoggedPass", key) for key in ("tokens_in", "tokens_out", "cost")),
}  # fmt: skip
PEOPLE = '{"id": 1, "name": "Ada Lovelace"}\n{"id": 2, "name": "Ada  Lovelace"}\n{"id": 3, "name": "Bo"}\n'


@dataclass(frozen=True)
class Case:
    """A command on the memory of `tests/support/hostile_text.py`.

    Attributes:
        words: of the command.
        before: commands that come first.
        code: the exit code.
        busy: whether another program is writing.
        dreamed: whether another program is dreaming.
        altered: whether somebody changed a fact behind graphdream's back.
        witness: the folder of a witness, "" for none.
        file: whether it is about a memory at all.
    """

    words: tuple[str, ...]
    before: tuple[tuple[str, ...], ...] = ()
    stdin: str = ""
    code: int = 0
    busy: bool = False
    dreamed: bool = False
    altered: bool = False
    witness: str = ""
    file: bool = True


def of(*words: str) -> Case:
    return Case(words)


def after(case: Case, *before: tuple[str, ...]) -> Case:
    return replace(case, before=before)


REMEMBERED = (
    ("remember", "Ada lives in Oslo", "--wait", "--category", "person/Ada/home"),
    ("remember", "Ada lives in Rome", "--wait", "--category", "person/Ada/home"),
)
CONTRADICTED = ("import", "graph.jsonl", "--skip-bad")
SKILLED = (("skills", "import", "skills"), ("observe", "events.jsonl"))
MERGED = (("merge", "e1", "e3"),)
PATHS = ("remember", "The parser of Lantern is in `src/gone.py`.", "--wait", "--category", "project/Lantern/code")

CASES: dict[str, tuple[Case, ...]] = {
    "import": (of("import", "notes.md"), of("import", "graph.jsonl", "--skip-bad"), of("import", "talks", "--format", "transcripts")),
    "import --dry-run": (of("import", "notes.md", "--dry-run"),),
    "export --out FILE": (of("export", "--out", "out.jsonl"), of("export", "--out", "past.jsonl", "--at", "1")),
    "export --format memory --out FOLDER": (of("export", "--format", "memory", "--out", "folder"),),
    "record": (
        of("record", "--session", "s7", "--summary", "Ada left."), of("record", "--session", "s8", "--transcript", "talk.jsonl"),
    ),
    "observe": (replace(of("observe", "events.jsonl"), code=1),),
    "remember": (of("remember", "Ada sings"),),
    "remember --wait": (
        of("remember", "Ada sings", "--wait"), replace(of("remember", "Ada sings", "--wait"), busy=True),
    ),
    "recall": (
        of("recall", "boat tea ship Lisbon", "-k", "20"), of("recall", "boat tea", "--explain"), of("recall", "nothing of that"),
        of("recall", "Hooli Incorporated Rome"),
        after(of("recall", "tea", "--superseded"), ("replace", "a1", "Ada likes coffee, not tea.")),
        after(of("recall", "Cy lives in Bergen"), CONTRADICTED),
    ),
    "recall --batch FILE": (of("recall", "--batch", "questions.jsonl"),),
    "context": (of("context", "--session", "s9", "--message", "boat tea"), of("context", "--session", evil("s1"), "--message", "x", "--turns")),
    "categories": (of("categories"),),
    "working put": (of("working", "put", "key", "value", "--tag", "x"), replace(of("working", "put", "key", "value"), busy=True)),
    "working get": (after(of("working", "get", "key"), ("working", "put", "key", "value")),),
    "working list": (of("working", "list"),),
    "working search": (of("working", "search", "boat"),),
    "working drop": (after(of("working", "drop", "key"), ("working", "put", "key", "value")),),
    "feedback HANDLE SIGNAL": (
        of("feedback", "a1", "wrong", "--note", "n"), replace(of("feedback", "a1", "used", "--session", "s"), busy=True),
    ),
    "feedback --kind": (of("feedback", "too long", "--kind", "correction", "--session", "s1"),),
    "feedback": (of("feedback"),),
    "dream": (of("dream"), of("dream", "--compact")),
    "dream --dry-run": (after(of("dream", "--compact", "--dry-run"), ("import", "small.jsonl")),),
    "dream --if-due": (of("dream", "--if-due"), after(of("dream", "--if-due"), ("dream",))),
    "dream --estimate": (of("dream", "--estimate", "--model", "openai/gpt-4o-mini"),),
    "dream --status": (of("dream", "--status"), after(of("dream", "--status"), ("dream",))),
    "status": (
        of("status"), replace(of("status"), dreamed=True), after(of("status"), *MERGED, ("undo", "10", "--all-wrong")),
        after(of("status"), ("import", "small.jsonl"), ("dream", "--compact"), ("undo", "11", "--all-wrong")),
    ),
    "cycle": (of("cycle"), of("cycle", "--dry-run", "--again")),
    "cycle --list": (of("cycle", "--list"),),
    "cycle --schema NAME": (of("cycle", "--schema", "consolidation"),),
    "log": (after(of("log"), ("cycle",)),),
    "serve": (of("serve", "--no-http", "--cycles", "1"),),
    "fleet dream": (replace(of("fleet", "dream", "agents", "--jobs", "1"), file=False),),
    "demo": (replace(of("demo"), file=False),),
    "skills list": (after(of("skills", "list"), *SKILLED),),
    "skills show": (after(of("skills", "show", "post"), *SKILLED[:1]),),
    "skills use": (of("skills", "use", "mail", "--session", "s4", "--outcome", "ok"),),
    "skills export": (after(of("skills", "export", "taught"), *SKILLED[:1]),),
    "skills import": (of("skills", "import", "skills"),),
    "self": (after(of("self"), *SKILLED),),
    "review": (after(of("review"), PATHS, ("review", "--root", "skills")),),
    "review --root DIR": (after(of("review", "--root", "skills"), PATHS), after(of("review", "--root", "."), PATHS)),
    "introspect": (after(of("introspect"), CONTRADICTED),),
    "passes": (of("passes"),),
    "show": tuple(of("show", str(number)) for number in (1, 3, 6, 7, 8)),
    "show --merges": (after(of("show", "10", "--merges"), *MERGED), of("show", "1", "--added"), of("show", "6", "--archived")),
    "show --prompt": (of("show", "8", "--prompt"),),
    "show --transcript": (of("show", "8", "--transcript"),),
    "show --cost": (of("show", "8", "--cost"), of("show", "1", "--cost")),
    "diff": (of("diff", "0..9"), of("diff", "1")),
    "undo": (of("undo", "1", "--cascade"), after(of("undo", "10", "--all-wrong"), *MERGED)),
    "unmerge": (after(of("unmerge", "e3", "--wrong"), *MERGED),),
    "replay": (of("replay", "1"), replace(of("replay", "8", "--level", "2"), code=1)),
    "replay --level 3": (of("replay", "8", "--level", "3"),),
    "verify": (of("verify"), replace(of("verify"), altered=True, code=1)),
    "trust": (
        of("trust"),
        replace(after(of("trust"), ("remember", "Ada skates", "--wait")), witness="~/.claude"),
        replace(of("trust"), witness="~/unmounted"),
    ),
    "trust --reason": (of("trust", "--reason", "mine"), replace(of("trust", "--reason", "mine"), altered=True)),
    "trust --add-key": (of("trust", "--add-key", "key"),),
    "entity": (of("entity", "e1", "--history"), after(of("entity", "e1", "--history"), *MERGED), of("entity", "e2")),
    **{
        words[0]: (of(*words),)
        for words in (
            ("merge", "e1", "e3"), ("same", "e1", "e3"), ("distinct", "a1", "a2"), ("replace", "a1", "Ada likes coffee."),
            ("split", "e1", "--name", "Other", "--fact", "a1"), ("rename", "e1", "Ada"), ("alias", "e1", "A."),
            ("retype", "e1", "poet"), ("link", "e1", "owns", "e2"), ("unlink", "l1"), ("forget", "a1"),
            ("restore", "a3"), ("date", "a1", "--valid-from", "2026"), ("unpin", "e1"), ("constraint", "a1"),
            ("edit", '{"op": "move_attribute", "attribute": "a1", "entity": "e2"}'),
        )
    },
    "pin": (of("pin", "e1"), replace(of("pin", "e2"), busy=True)),
    "plan list": (of("plan", "list"),),
    "plan show": (of("plan", "show", "7"),),
    "plan show --clusters": (of("plan", "show", "7", "--clusters"),),
    "plan approve": (of("plan", "approve", "7"),),
    "plan reject": (of("plan", "reject", "7"),),
    "purge": (of("purge", "a1", "--yes"), of("purge", evil("s1"), "--yes")),
    "purge --finish": (of("purge", "--finish"),),
    "resolve": (replace(of("resolve"), stdin=PEOPLE, file=False),),
    "explain ENTITY ENTITY": (of("explain", "e1", "e3"), after(of("explain", "e1", "e3"), *MERGED)),
    "explain FACT FACT": (of("explain", "a1", "a2"), after(of("explain", "a6", "a7"), *REMEMBERED)),
    "calibrate": (replace(of("calibrate", "labels.jsonl"), file=False),),
    "doctor": (of("doctor"),),
    "doctor --mend-schema": (of("doctor", "--mend-schema"),),
    "completion": (replace(of("completion", "bash"), file=False),),
    "init --dry-run": (of("init", "--dry-run"),),
    "init --yes": (of("init", "--yes"), after(of("init", "--yes"), ("init", "--yes"))),
    "init --undo": (after(of("init", "--undo"), ("init", "--yes")), of("init", "--undo")),
    "init --check": (replace(of("init", "--check"), code=1),),
    "init --print": (of("init", "--print"),),
}  # fmt: skip


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return live(tmp_path_factory.mktemp("lived"))


@pytest.fixture(scope="module")
def seen() -> set[Seen]:
    """Objects with their keys that were printed, and cases that were run."""
    return set()


@pytest.fixture(scope="module")
def furnished(lived: Path, fixtures: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the memory and whatever commands read, to be copied."""
    folder = tmp_path_factory.mktemp("furnished")
    for file in lived.parent.glob("memory.db*"):
        if file.is_file():
            shutil.copy(file, folder / file.name)
    for name, text in (
        ("notes.md", NOTES), ("events.jsonl", EVENTS), ("questions.jsonl", QUESTIONS), ("labels.jsonl", LABELS),
        ("talks/s9.jsonl", TALK), ("talk.jsonl", TALK + '{"role": "us\n'), ("key", "00" * 32 + "\n"),
        ("graph.jsonl", GRAPH),
        ("skills/post/SKILL.md", SKILL), ("skills/mail/SKILL.md", SKILL.replace("post", "mail")), ("user/.claude/settings.json", "{}"),
    ):  # fmt: skip
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "agents").mkdir()
    Store.open(folder / "agents" / "butler.db").close()
    source = fixtures / "small.jsonl.gz"
    lines = cut(source, entities_of(source)[:40])
    (folder / "small.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return folder


@pytest.fixture
def place(furnished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of that folder, which is where the program is."""
    shutil.copytree(furnished, tmp_path, dirs_exist_ok=True)
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("GRAPHDREAM_CYCLE__INITIAL_DELAY", "0")
    monkeypatch.setenv("GRAPHDREAM_DREAMING__TOKEN_THRESHOLD", "1")
    monkeypatch.setattr(demo, "demo_graph", lambda: tmp_path / "small.jsonl")
    ends = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    with chdir(tmp_path):
        yield tmp_path
    for number, handler in ends.items():
        signal.signal(number, handler)  # `serve` takes them


def printed(case: Case, place: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What a case prints on standard output."""
    memory = place / "memory.db"
    named = ["--db", str(memory)] if case.file else []
    if case.witness:
        monkeypatch.setenv("GRAPHDREAM_WITNESS__FOLDER", case.witness)
    for words in case.before:
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()) as err:
            assert main([*words, "--db", str(memory)]) in (0, 1), (words, err.getvalue())
    if case.altered:
        with shell(memory) as other:
            other.execute("UPDATE attribute SET content = 'Ada likes nothing.' WHERE id = 1")
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(case.stdin.encode())))
        with ExitStack() as held:
            if case.busy:
                held.enter_context(writing(memory))
            if case.dreamed:
                held.enter_context(hold(held.enter_context(Store.open(memory))))
            held.enter_context(redirect_stdout(out))
            held.enter_context(redirect_stderr(err))
            code = main([*case.words, "--json", *named])
    assert code == case.code, (case.words, code, err.getvalue(), out.getvalue()[:500])
    return out.getvalue()


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Another program writes, and does not end."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def closed(part: Any) -> Any:
    """A schema that allows no key which it does not name."""
    if isinstance(part, list):
        return [closed(one) for one in part]
    if not isinstance(part, dict):
        return part
    made = {name: closed(one) for name, one in part.items()}
    return made | {"additionalProperties": False} if isinstance(part.get("properties"), dict) else made


def test_every_command_has_its_shape_and_every_shape_its_case() -> None:
    assert {form.command for form in FORMS.values()} | NONE.keys() == COMMANDS.keys()
    assert not {form.command for form in FORMS.values()} & NONE.keys()
    assert CASES.keys() == FORMS.keys()


def test_every_choice_of_what_to_do_has_its_shape() -> None:
    from graphdream.interfaces.cli.completion import whole_parser

    (commands,) = (action.choices for action in whole_parser()._actions if action.dest == "command")
    assert commands is not None
    for name, parser in commands.items():
        for action in parser._actions:
            if not action.option_strings and action.choices and name not in ("completion", "feedback"):
                declared = {words.split()[1] for words in FORMS if words.startswith(f"{name} ")}
                assert set(action.choices) - declared <= {"review"}, name  # it asks a person, and refuses --json


def seen_in(schema: Mapping[str, Any], document: Any, objects: Mapping[str, Any]) -> Iterator[Seen]:
    """Each object of a document by name, with each of its keys."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        for key, value in document.items():
            yield name, key
            yield from seen_in(objects[name]["properties"][key], value, objects)
    for one in schema.get("anyOf", ()):
        if Draft202012Validator({**one, "$defs": objects}).is_valid(document):
            yield from seen_in(one, document, objects)
    if isinstance(document, list) and isinstance(schema.get("items"), dict):
        for value in document:
            yield from seen_in(schema["items"], value, objects)
    if isinstance(document, dict) and isinstance(schema.get("additionalProperties"), dict):
        for value in document.values():
            yield from seen_in(schema["additionalProperties"], value, objects)


@pytest.mark.parametrize(
    ("words", "number"), [(words, number) for words, cases in CASES.items() for number in range(len(cases))]
)
def test_a_command_prints_what_is_declared(
    words: str, number: int, place: Path, monkeypatch: pytest.MonkeyPatch, seen: set[Seen]
) -> None:
    schema = schema_of(words)
    validator = Draft202012Validator(closed(schema))
    text = printed(CASES[words][number], place, monkeypatch)
    documents = [json.loads(line) for line in text.splitlines()] if FORMS[words].lines else [json.loads(text)]
    assert documents
    for document in documents:
        faults = [f"{error.json_path}: {error.message[:300]}" for error in validator.iter_errors(document)]
        assert faults == []
        seen.update(seen_in(schema, document, closed(schema.get("$defs", {}))))
    seen.add((words, str(number)))


def test_nothing_is_declared_that_is_never_printed(seen: set[Seen]) -> None:
    """Runs after all the others, which take note of every key that they meet."""
    if not {(words, str(number)) for words, cases in CASES.items() for number in range(len(cases))} <= seen:
        pytest.skip("NOT TESTED: only some of the commands were run in this process")
    _, objects = schemas(FORMS.values())
    declared = {(name, key) for name, one in objects.items() for key in one["properties"]}
    assert {one if one in ELSEWHERE else one[0] for one in declared - seen} == ELSEWHERE


def test_a_schema_is_of_the_draft_and_open_for_keys_to_come() -> None:
    roots, objects = schemas(FORMS.values())
    Draft202012Validator.check_schema({"$schema": DRAFT, "allOf": list(roots.values()), "$defs": objects})
    assert schema_of("recall")["$schema"] == DRAFT
    Draft202012Validator(schema_of("status")["$defs"]["Due"]).validate({"mode": "compact", "trigger": "x", "new": 1})
    with pytest.raises(NotFoundError, match="nothing is declared for 'dreem'"):
        schema_of("dreem")


def test_the_page_says_what_every_key_is_and_each_object_has_its_own_name() -> None:
    _, objects = schemas(FORMS.values())
    for name, one in objects.items():
        assert one["description"], name
        assert [key for key, value in one["properties"].items() if not value["description"]] == [], name
    anchors = Counter([*(name.lower() for name in objects), *COMMANDS])
    assert [name for name, count in anchors.items() if count > 1] == []
    assert not [name for name in objects if "__" in name], "two types of one name"


def test_no_command_loads_the_declarations(place: Path) -> None:
    import subprocess

    program = (
        "import sys; from graphdream.interfaces.cli import main; main(sys.argv[1:]);"
        "print([name for name in sys.modules if 'interfaces.shapes' in name], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "recall", "tea", "--json", "--db", "memory.db"], capture_output=True, text=True,
        cwd=place, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert done.stderr.splitlines()[-1] == "[]"


def test_nobody_is_asked_with_json(place: Path) -> None:
    for words in (["init"], ["plan", "review", "7"]):
        err = io.StringIO()
        with redirect_stdout(io.StringIO()) as out, redirect_stderr(err):
            assert main([*words, "--json", "--db", "memory.db"]) == 2
        assert out.getvalue() == "" and "--" in err.getvalue()
