"""`graphdream recall`, `context`, `categories`, `working`, `feedback`: the memory as an agent uses it."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from graphdream.bounded import stdin_text, text_lines
from graphdream.dream.later import Made, in_turn, put_off_call, soon_or_later
from graphdream.errors import GraphdreamError, NotFoundError, UnwritableError, UsageError
from graphdream.graph.store import Store
from graphdream.interfaces.opening import may_make, opened, warn_of_left_out
from graphdream.interfaces.output import json_text, plural, print_json, shortened, table
from graphdream.paths import settings_path
from graphdream.shown import printable

if TYPE_CHECKING:
    from graphdream.recall.feedback import Feedback
    from graphdream.recall.hit import Hit
    from graphdream.recall.vectors import Meanings
    from graphdream.views.working import Note

_FEEDBACK = ("correction", "thumbs-up", "thumbs-down", "summary", "tool-failure")  # as graphdream/events/observed.py
_WORKING_ACTIONS = ("put", "get", "list", "search", "drop")
_NOTHING = "nothing is remembered about that"
_NOTHING_YET = """nothing is remembered yet
  graphdream import MEMORY.md begins with notes that you have, graphdream remember FACT with one fact"""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of the command that was named."""
    {
        "recall": _recall_arguments,
        "context": _context_arguments,
        "categories": lambda parser: None,
        "working": _working_arguments,
        "feedback": _feedback_arguments,
    }[parser.get_default("command")](parser)


def run(args: Namespace) -> int:
    """Run the command that was named."""
    commands: dict[str, Callable[[Store, Namespace], int]] = {
        "recall": _recall,
        "context": _context,
        "categories": _categories,
        "working": _working,
        "feedback": _feedback,
    }
    with opened(args, create=may_make(args)) as store:
        code = commands[args.command](store, args)
        warn_of_left_out(store)
        return code


# ---------------------------------------------------------------------- recall


def _recall_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("query", nargs="?", metavar="QUESTION", help="any text; - reads stdin")
    parser.add_argument("-k", type=int, default=5, metavar="N", help="at most so many results (default: 5)")
    parser.add_argument("--as-of", metavar="DATE", help="what was known and held true then")
    parser.add_argument("--superseded", action="store_true", help="also facts that others have replaced")
    parser.add_argument("--budget", type=int, metavar="WORDS", help="stop before the texts have more words")
    parser.add_argument("--explain", action="store_true", help="show what each score is made of")
    parser.add_argument("--vectors", action="store_true", help="search by meaning too; makes missing vectors first")
    parser.add_argument("--batch", metavar="FILE", help='questions as JSON lines {"id", "question", "k"?}; - is stdin')


def _recall(store: Store, args: Namespace) -> int:
    if not args.vectors:
        return _answer(store, args, None)
    from graphdream.config import load_settings
    from graphdream.dream.vectors import Vectors
    from graphdream.recall.vectors import EmbeddingError

    vectors = Vectors(store, load_settings(settings_path(args.agent)))
    try:
        vectors.make()
    except EmbeddingError as fault:
        _say_words_alone(fault)
    try:
        return _answer(store, args, vectors.meanings)
    finally:
        vectors.bill()


def _answer(store: Store, args: Namespace, meanings: Meanings | None) -> int:
    from graphdream.recall.search import recall

    def answer(query: str, k: int) -> list[Hit]:
        hits = recall(
            store, query, k=k, as_of=args.as_of, include_superseded=args.superseded, explain=args.explain,
            budget_words=args.budget, meanings=meanings,
        )  # fmt: skip
        if meanings is not None and meanings.fault is not None:
            _say_words_alone(meanings.fault)
        return hits

    if args.batch:
        if args.query:
            raise UsageError("give a question or --batch, not both")
        for number, row in _batch(args.batch):
            question = row.get("question")
            if not isinstance(question, str):
                raise UsageError(f"line {number} of {args.batch} has no question")
            k = row.get("k", args.k)
            if not isinstance(k, int):
                raise UsageError(f"line {number} of {args.batch} has a k that is no whole number")
            results = [_batch_result(hit) for hit in answer(question, k)]
            print(json_text({"id": row.get("id"), "results": results}))
        return 0
    if args.query is None:
        raise UsageError("there is no question", "graphdream recall QUESTION, or --batch FILE")
    hits = answer(stdin_text() if args.query == "-" else args.query, args.k)
    if args.json:
        print_json([hit.as_json() | ({"terms": dict(hit.details)} if args.explain else {}) for hit in hits])
    elif not hits:
        print(_NOTHING if _holds_anything(store) else _NOTHING_YET)
    else:
        print(_shown(hits, explain=args.explain, sources=_sources(store, hits) if args.explain else {}), end="")
    return 0


def _holds_anything(store: Store) -> bool:
    told = "SELECT EXISTS (SELECT 1 FROM attribute UNION ALL SELECT 1 FROM session)"
    return bool(store.connection.execute(told).fetchone()[0])


def _say_words_alone(fault: GraphdreamError) -> None:
    print(f"graphdream: {fault}; what has no vector is found by its words", file=sys.stderr)


def _batch(name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    if name != "-" and not Path(name).is_file():
        raise NotFoundError(f"there is no file {name}")
    stream = sys.stdin if name == "-" else open(name, encoding="utf-8", errors="replace")  # noqa: SIM115
    try:
        for number, line in enumerate(_lines_of(stream, name), 1):
            if line.strip():
                try:
                    row = json.loads(line)
                except ValueError as fault:
                    raise UsageError(f"line {number} of {name} is not JSON: {fault}") from None
                if not isinstance(row, dict):
                    raise UsageError(f"line {number} of {name} is no JSON object")
                yield number, row
    finally:
        if name != "-":
            stream.close()


def _lines_of(stream: TextIO, name: str) -> Iterator[str]:
    try:
        yield from text_lines(stream)
    except ValueError as fault:
        raise UsageError(f"{name}: {fault}") from None


def _batch_result(hit: Hit) -> dict[str, Any]:
    """A result for benchmarks: a turn by the transcript's own id, anything else by handle with its sources."""
    name = hit.turns[0] if hit.kind == "turn" and hit.turns else hit.handle
    score = round(hit.score, 4)
    return {"id": name, "handle": hit.handle, "sources": list(hit.turns), "text": hit.text, "score": score}


def _sources(store: Store, hits: list[Hit]) -> dict[str, str]:
    """Handle of a fact -> the note and the line that it came from."""
    facts = [hit.handle[1:] for hit in hits if hit.kind == "fact"]
    rows = store.connection.execute(
        "SELECT attribute.id, source, json_extract(metadata, '$.line') FROM json_each(?) JOIN attribute"
        " ON attribute.id = json_each.value WHERE source LIKE 'file:%'",
        (json.dumps(facts),),
    )
    return {f"a{fact}": source + (f", line {line:,}" if line else "") for fact, source, line in rows}


def _shown(hits: list[Hit], *, explain: bool, sources: dict[str, str]) -> str:
    from graphdream.graph.categories import in_words

    lines = []
    for hit in hits:
        where = in_words(hit.category) or " ".join(part for part in (hit.speaker, f"in {hit.session}") if part)
        marks = [hit.time[:10]] if hit.time else []
        marks += [hit.status] if hit.status != "active" else []
        marks += ["constraint"] if hit.constraint else []
        marks += [hit.authority] if hit.authority not in ("", "user") else []
        marks += [f"via {hit.via}"] if hit.via else []
        lines.append(f"{hit.handle}  {printable(' '.join(hit.text.split()))}")
        lines.append(f"      {printable(where)}" + (f"  ({', '.join(marks)})" if marks else ""))
        lines += [f"      contradicted by {other.handle}: {printable(other.text)}" for other in hit.contradicts]
        if explain:
            parts = ", ".join(f"{name} {value:.2f}" for name, value in hit.parts.items())
            lines.append(f"      score {hit.score:.2f} = {parts}")
            if hit.handle in sources:
                lines.append(f"      from {printable(sources[hit.handle])}")
            if hit.kind == "fact" and hit.turns:
                lines.append(f"      rests on {', '.join(map(printable, hit.turns))}")
    return "\n".join(lines) + "\n"


# --------------------------------------------------------------------- context


def _context_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--session", required=True, metavar="ID", help="the host's own id of the session")
    parser.add_argument("--message", required=True, metavar="TEXT", help="what the user says; - reads stdin")
    parser.add_argument("--budget", type=int, default=1_500, metavar="TOKENS", help="of the text (default: 1500)")
    parser.add_argument(
        "--turns", type=int, nargs="?", const=20, default=0, metavar="N",
        help="also the session's own last turns, 20 without N: for a host that was started anew",
    )  # fmt: skip
    parser.add_argument("--mark", action="store_true", help="remember that the session has seen it, as a hook does")
    parser.add_argument("--explain", action="store_true", help="say on standard error why each line is there")


def _context(store: Store, args: Namespace) -> int:
    from graphdream.recall.injection import context
    from graphdream.views.working import WorkingMemory, namespace_of_session

    message = stdin_text() if args.message == "-" else args.message
    notes = WorkingMemory(store, namespace_of_session(args.session)).inventory()
    given = context(
        store, args.session, message, budget_tokens=args.budget, working=notes, turns=args.turns, mark=args.mark
    )
    if given.unmarked is not None:
        try:
            put_off_call(store.path, "seen", session=args.session, turn=given.turn, handles=list(given.unmarked))
        except UnwritableError as fault:
            print(f"graphdream: the session may be given the same again: {printable(str(fault))}", file=sys.stderr)
    if args.json:
        print_json(given.as_json())
        return 0
    if given.text:
        print(given.text)
    if args.explain:
        rows = [(entry.handle, entry.reason, entry.tokens, entry.score or None) for entry in given.entries]
        print(table(rows, ("handle", "why", "tokens", "score")), end="", file=sys.stderr)
        print(f"turn {given.turn}, {plural(given.tokens, 'token')} of {args.budget:,} (estimated)", file=sys.stderr)
        if given.left_out:
            print(f"no room for {', '.join(given.left_out)}", file=sys.stderr)
    return 0


# ------------------------------------------------------------------ categories


def _categories(store: Store, args: Namespace) -> int:
    from graphdream.views.memory import categories

    counted = categories(store)
    if args.json:
        print_json(counted)
    else:
        print(table(counted.items(), ("category", "facts")) if counted else "there are no facts yet\n", end="")
    return 0


# --------------------------------------------------------------------- working


def _working_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("action", choices=_WORKING_ACTIONS, help="put and drop write in the namespace only")
    parser.add_argument("key", nargs="?", default="", metavar="KEY", help="key, prefix to list, or words to search")
    parser.add_argument("value", nargs="?", metavar="VALUE", help="what to put; - reads stdin")
    parser.add_argument("--namespace", default="session/default", metavar="NAME", help="two segments: session/abc")
    parser.add_argument("--ttl", type=float, default=5, metavar="MINUTES", help="how long a note lives (default: 5)")
    parser.add_argument("--category", default="", metavar="NAME", help="of the note put, or of those searched")
    parser.add_argument("--tag", action="append", default=[], metavar="TAG", help="likewise; may be repeated")
    parser.add_argument("--prefix", default="", metavar="PATH", help="where to search; / is everywhere")


def _working(store: Store, args: Namespace) -> int:
    from graphdream.views.working import WorkingMemory

    memory = WorkingMemory(store, args.namespace, writing=in_turn)
    if args.action == "put":
        if args.value is None:
            raise UsageError("there is nothing to put", "graphdream working put KEY VALUE")
        value = stdin_text() if args.value == "-" else args.value
        how = {"category": args.category, "tags": args.tag}
        ttl = 60 * args.ttl
        told = {"namespace": args.namespace, "key": args.key, "value": value, "ttl": ttl, **how}
        made = soon_or_later(store, "note", lambda: memory.put(args.key, value, ttl_seconds=ttl, **how), **told)
        if made.why:
            return _say_later(made, args)
        _print_notes([made.result], args)
    elif args.action == "get":
        note = memory.get(args.key)
        if args.json:
            print_json(_note_json(note))
        else:
            print(note.value)
    elif args.action == "drop":
        memory.drop(args.key)
        if args.json:
            print_json({"dropped": args.key})
    elif args.action == "list":
        _print_notes(list(memory.list(args.key)), args)
    else:
        found = memory.search(args.key, category=args.category, tags=args.tag, prefix=args.prefix)
        _print_notes(list(found), args)
    return 0


def _say_later(made: Made, args: Namespace) -> int:
    """What a hook told is kept, and nobody is waited for."""
    if args.json:
        print_json({"waits": True, "why": made.why})
    else:
        print(printable(f"{made.why}; it waits beside the file, the next command writes it"))
    return 0


def _print_notes(notes: list[Note], args: Namespace) -> None:
    if args.json:
        print_json([_note_json(note) for note in notes])
        return
    for note in notes:
        print(printable(note.listed()))


def _note_json(note: Note) -> dict[str, Any]:
    return {
        "key": note.key,
        "value": note.value,
        "category": note.category,
        "tags": list(note.tags),
        "stored_at": note.stored_at,
        "expires_at": note.expires_at,
    }


# -------------------------------------------------------------------- feedback


def _feedback_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "handle", nargs="?", metavar="HANDLE",
        help="the fact, a345; with --kind: what is said of the session; without either: list what was said",
    )  # fmt: skip
    parser.add_argument("signal", nargs="?", choices=("used", "ignored", "wrong"), help="what became of it")
    parser.add_argument("--kind", choices=_FEEDBACK, help="say something of the session: what, as the HANDLE's text")
    parser.add_argument("--skill", default="", metavar="NAME", help="with --kind: the skill that it is about")
    parser.add_argument(
        "--at", default="", metavar="TIME", help="with --kind: when it was said, ISO 8601; default: now"
    )
    parser.add_argument("--session", default="", metavar="ID", help="the session that says so; it counts once each")
    parser.add_argument("--note", default="", metavar="TEXT", help="what was wrong with it")


def _feedback(store: Store, args: Namespace) -> int:
    from graphdream.recall.feedback import counts_of, give_feedback

    if args.kind is not None:
        return _feedback_on_session(store, args)
    if args.signal is None:
        return _list_feedback(store, args)
    told = {"handle": args.handle, "signal": args.signal, "session": args.session, "note": args.note}
    made = soon_or_later(store, "feedback", lambda: give_feedback(store, **told), **told)
    if made.why:
        return _say_later(made, args)
    fresh = made.result
    fact = int(args.handle[1:])
    text = store.connection.execute("SELECT content FROM attribute WHERE id = ?", (fact,)).fetchone()[0]
    counts = counts_of(store.connection, [fact])[fact]
    if args.json:
        print_json({"handle": args.handle, "signal": args.signal, "new": fresh, "counts": counts._asdict()})
        return 0
    so_far = ", ".join(f"{name} {number:,}" for name, number in counts._asdict().items() if number)
    print(shortened(printable(f"{args.handle}  {' '.join(text.split())}"), 100))
    done = f"noted: {args.signal}" if fresh else "this session had said so already"
    print(f"      {done} (so far: {so_far})")
    return 0


def _feedback_on_session(store: Store, args: Namespace) -> int:
    """What a person says of a session: an event, which the passes of a cycle read."""
    from graphdream.events.observed import observe

    if not args.session:
        raise UsageError("feedback of a kind is about a session: --session is missing", "graphdream feedback --help")
    told = {
        "kind": "feedback", "feedback": args.kind, "session": args.session, "content": args.handle or "",
        "skill": args.skill, "at": args.at,
    }  # fmt: skip
    made = soon_or_later(store, "observe", lambda: observe(store, [told]), rows=[told])
    if made.why:
        return _say_later(made, args)
    report = made.result
    if report.faults:
        raise UsageError(report.faults[0].partition(": ")[2])
    if args.json:
        print_json({"session": args.session, "kind": args.kind, "new": bool(report.added)})
    else:
        print(f"noted: {args.kind}" if report.added else "that was on record already")
    return 0


def _list_feedback(store: Store, args: Namespace) -> int:
    """What was said of a fact, or of all of them and of sessions, newest first."""
    from graphdream.recall.feedback import all_feedback

    given = all_feedback(store, args.handle or "")
    if args.json:
        print_json([one._asdict() | {"fact": _fact_handle(one)} for one in given])
        return 0
    rows = [(_fact_handle(one) or "", one.signal, one.given_at[:10], one.session, _note_of(one)) for one in given]
    headings = ("fact", "said", "on", "in session", "note")
    print(table(rows, headings) if rows else "no feedback was given yet\n", end="")
    return 0


def _fact_handle(given: Feedback) -> str | None:
    return None if given.fact is None else f"a{given.fact}"


def _note_of(given: Feedback) -> str:
    return " ".join([*given.note.split(), *([f"({given.skill})"] if given.skill else [])])
