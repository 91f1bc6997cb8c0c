"""The command line: which module runs a command, and how its errors reach a person.

A session-end hook starts this program, so only what the asked command needs is loaded: one module a group of commands,
none of them imported before its name was typed. Such a module has

    add_arguments(parser)   # `parser.get_default("command")` is the command where a module runs several
    run(args) -> int        # the exit code; `args.command`, `args.db`, `args.agent`, `args.json` are always there

and raises GraphdreamError for what a person can mend; `main` prints it and returns its exit code.
"""

from __future__ import annotations

import os
import sys
from argparse import Action, ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module

from graphdream.collector import end_loading
from graphdream.errors import GraphdreamError, UsageError
from graphdream.interfaces.guarded import guarded_output

TYPE_CHECKING = False  # as a type checker reads it; to load `typing` would take a third of the time of a hook
if TYPE_CHECKING:
    from argparse import Namespace
    from typing import Any, NoReturn, TextIO

DEBUG_VARIABLE = "GRAPHDREAM_DEBUG"
# 128 + the signal's number is what a shell reports for a program that the signal ended.
INTERRUPTED = 130
PIPE_CLOSED = 141
INTERNAL_FAULT = GraphdreamError.exit_code
OUTPUT_LOST = 74  # EX_IOERR of sysexits.h
_LONGEST_WORD = 200  # characters of one that a message about the arguments repeats


class Command:
    """One command: the module below this package that runs it, and its line in the help."""

    __slots__ = ("line", "module")

    def __init__(self, module: str, line: str) -> None:
        self.module, self.line = module, line


_GROUPS: dict[str, dict[str, Command]] = {
    "With your tools": {
        "init": Command("init", "set up Claude Code, Codex, Copilot CLI and OpenClaw; --undo, --check"),
        "mcp": Command("mcp", "serve the memory to agents over the Model Context Protocol"),
        "hook": Command("hook", "what hooks of Claude Code, Codex and Copilot call at the events of a session"),
    },
    "Memory": {
        "import": Command("import_", "read notes or a graph from files"),
        "export": Command("export", "write the graph, also as it was at a past pass"),
        "record": Command("record", "put a session on record: its summary, its turns, what was observed"),
        "observe": Command("observe", "put events on record: turns, feedback, skill uses, executions, tool calls"),
        "remember": Command("remember", "add one fact, or reinforce the one that says it already"),
        "recall": Command("recall", "find what is known about a question"),
        "context": Command("recall", "what to inject into the next prompt of a session"),
        "categories": Command("recall", "list the categories of the memory with their counts"),
        "working": Command("recall", "short-lived notes: put, get, list, search, drop"),
        "feedback": Command("recall", "say that a recalled fact was used, ignored or wrong, or how a session went"),
    },
    "Dreaming": {
        "dream": Command("dream", "run a pass; --status, --compact, --trigger, --dry-run, --model"),
        "cycle": Command("cycle", "run the passes over memory, skills and self that are due; --list tells of each"),
        "serve": Command("serve", "run cycles by themselves, as a service: interval, cron or dream mode"),
        "log": Command("cycle", "the dream log: every cycle that did something"),
        "plan": Command("plan", "look at what a reviewed pass would do, and approve or reject it"),
        "review": Command("flags", "facts that name what is not so in a project: --root DIR checks them"),
        "status": Command("status", "is a pass due, and if not, what would make it so"),
        "fleet": Command("fleet", "dream many agents' memories, each once: a folder of them, over several processes"),
        "demo": Command("demo", "import a bloated graph, dream, show, undo, verify"),
    },
    "Skills and self": {
        "skills": Command("skills", "list, show, use, export and import what the agent knows how to do"),
        "self": Command("selfmodel", "what the agent knows of itself: strengths, failures, confidence"),
        "introspect": Command("selfmodel", "a health report: score, findings, self-model, skills, passes"),
    },
    "Journal": {
        "passes": Command("journal", "list every pass"),
        "show": Command("journal", "what a pass was asked, answered and changed"),
        "diff": Command("journal", "what changed in a pass, or between two"),
        "undo": Command("journal", "take a pass back"),
        "unmerge": Command("journal", "take one merge back"),
        "replay": Command("journal", "run a recorded pass again and compare"),
        "verify": Command("journal", "check that the state is what the journal says"),
        "trust": Command("trust", "how the memory is sealed; take it as it is, or change the key, on record"),
    },
    "Your own edits": {
        "entity": Command("edit", "show an entity with its facts, links and history"),
        "pin": Command("edit", "keep an entity safe from every pass"),
        "unpin": Command("edit", "let passes change an entity again"),
        "constraint": Command("edit", "mark a fact as a rule that always holds and is in every prompt"),
        "date": Command("edit", "say since and until when a fact holds, or when to look at it again"),
        "merge": Command("edit", "fold entities into one"),
        "same": Command("edit", "say that two entities are one, or two facts say the same"),
        "distinct": Command("edit", "say that two entities are not one, or that two facts both hold"),
        "replace": Command("edit", "put a fact in the place of one that holds no more"),
        "split": Command("edit", "move facts of an entity into a new one"),
        "rename": Command("edit", "give an entity another name; the old one stays as an alias"),
        "alias": Command("edit", "add a further name to an entity"),
        "retype": Command("edit", "change the type of an entity"),
        "link": Command("edit", "link two entities"),
        "unlink": Command("edit", "archive a link"),
        "forget": Command("edit", "archive a fact or an entity"),
        "restore": Command("edit", "bring back what was archived"),
        "edit": Command("edit", "any other change, as docs/mutations.md writes it: --help lists all"),
        "purge": Command("purge", "erase a fact, an entity or a session for good"),
    },
    "Who is who": {
        "resolve": Command("resolve", "cluster entities given as JSON lines"),
        "explain": Command("resolve", "why two entities, or two facts, were or were not taken for one"),
        "calibrate": Command("resolve", "solve the merge threshold for a rate of false merges"),
    },
    "Upkeep": {
        "doctor": Command("doctor", "check the installation and the file"),
        "completion": Command("completion", "print what makes bash, zsh or fish complete commands and options"),
    },
}
COMMANDS: dict[str, Command] = {name: command for group in _GROUPS.values() for name, command in group.items()}


class _Help(RawDescriptionHelpFormatter):
    """Help as wide as the terminal. The width is given, because argparse would load shutil (and with it four
    compression libraries) to find it, and does so for every option that is declared."""

    def __init__(self, prog: str) -> None:
        try:
            columns = os.get_terminal_size(1).columns
        except OSError:
            columns = 80
        super().__init__(prog, max_help_position=30, width=max(columns - 2, 40))


class CommandParser(ArgumentParser):
    """An argument parser whose faults are errors like any other; options are not abbreviated, so scripts stay valid."""

    color = False  # of Python 3.14; nothing that steers a terminal gets through (graphdream/interfaces/guarded.py)

    def error(self, message: str) -> NoReturn:
        """Raise UsageError, with the way to the command's help."""
        told = (word if len(word) <= _LONGEST_WORD else f"{word[: _LONGEST_WORD - 1]}…" for word in message.split(" "))
        raise UsageError(" ".join(told), f"{self.prog} --help")

    def _get_values(self, action: Action, arg_strings: list[str]) -> Any:
        """The value of an argument. Where it is written `--`, argparse takes that for the end of the options and asks
        no type for it; a value like any other it can only be where one must be, or where it was written `--x=--`."""
        if arg_strings == ["--"] and (action.option_strings or action.nargs is None):
            value = self._get_value(action, "--")
            self._check_value(action, value)
            return [value] if action.nargs in ("+", "*") else value
        return super()._get_values(action, arg_strings)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: the words after `graphdream`; None takes the process's own.

    Returns:
        The exit code, as docs/exit-codes.md lists them. Every error is printed to standard error in one line with its
        next step in a second; `$GRAPHDREAM_DEBUG` adds the traceback.
    """
    _speak_utf8()
    with guarded_output():
        return _ended(list(sys.argv[1:] if argv is None else argv))


def _ended(words: list[str]) -> int:
    """Run the command; whatever goes wrong in it is told. The exit code."""
    try:
        code = _run(words)
        sys.stdout.flush()
        return code
    except GraphdreamError as fault:
        _print_fault(str(fault), fault)
        return fault.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _drop_output()  # whoever read it has seen enough
        return PIPE_CLOSED
    except Exception as fault:
        from graphdream.interfaces.cli.faults import explained

        told = explained(fault, words)
        if told.code == OUTPUT_LOST:
            _drop_output()
        _print_fault(told.message, fault, told.hint)
        return told.code


def _drop_output() -> None:
    """What could not be written is let go, else the interpreter would try again, and complain, on its way out."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(words: list[str]) -> int:
    if not words:
        from graphdream.interfaces.cli.welcome import welcome

        print(welcome(), end="")
        return 0
    name, rest = words[0], words[1:]
    if name in ("--help", "-h", "help"):
        if not rest:
            print(help_text(), end="")
            return 0
        name, rest = rest[0], ["--help"]
    if name == "--version":
        print(f"graphdream {_version()}")
        return 0
    if name not in COMMANDS:
        raise UsageError(*_unknown(words))
    module = import_module(f"{__name__}.{_module_of(name, rest)}")
    parser = CommandParser(
        prog=f"graphdream {name}",
        description=COMMANDS[name].line,
        formatter_class=_Help,
        allow_abbrev=False,
    )
    parser.set_defaults(command=name)
    module.add_arguments(parser)
    add_common(parser)
    try:
        args = parser.parse_args(rest)
    except SystemExit:
        return 0  # --help; faults are raised, see CommandParser
    _check_values(args)
    if name != "hook" and any(variable.startswith("OTEL_") for variable in os.environ):
        from graphdream.interfaces.sending import send_if_named

        send_if_named()  # a hook has no time for that; the dream that it starts has
    end_loading()
    code: int
    if args.progress or _is_watched(args):
        from graphdream.interfaces.progress import showing

        with showing(as_json=args.progress):
            code = module.run(args)
    else:
        code = module.run(args)
    return code


def _is_watched(args: Namespace) -> bool:
    """Whether a person looks on: what takes long then says what it does."""
    try:
        return not args.json and sys.stderr.isatty()
    except (AttributeError, ValueError):
        return False


def _check_values(args: Namespace) -> None:
    """Raises UsageError for a whole number that is too large for any counter, id or column: over 64 bits."""
    for name, value in vars(args).items():
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise UsageError(f"{name.replace('_', '-')}: {str(value)[:40]} is no number that anything here could have")


def _module_of(name: str, rest: Sequence[str]) -> str:
    # The status is asked for by hooks and prompts all day; it must not wait for what a pass needs.
    if name == "dream" and "--status" in rest and "--help" not in rest and "-h" not in rest:
        return "status"
    return COMMANDS[name].module


def add_common(parser: ArgumentParser) -> None:
    """Add the options that every command has."""
    common = parser.add_argument_group("which memory, and how to print")
    common.add_argument("--db", metavar="PATH", help="database file; default: memory.db of the agent")
    common.add_argument("--agent", metavar="NAME", help='agent whose memory it is; default: "default"')
    common.add_argument("--json", action="store_true", help="print JSON")
    common.add_argument("--progress", action="store_true", help="tell what is being done on stderr, as JSON lines")


def help_text() -> str:
    """The help of the whole program: every command with its line."""
    width = max(len(name) for name in COMMANDS)
    lines = ["usage: graphdream COMMAND [OPTION ...]", "", "An agent's long-term memory, consolidated while it sleeps."]
    for title, group in _GROUPS.items():
        lines += ["", f"{title}:"]
        lines += [f"  {name:{width}}  {command.line}" for name, command in group.items()]
    lines += [
        "",
        "After every command: --db PATH, --agent NAME, --json; `graphdream COMMAND --help` tells the rest.",
        "graphdream --version prints the version.",
    ]
    return "\n".join(lines) + "\n"


def _unknown(words: Sequence[str]) -> tuple[str, str]:
    """What is wrong where the first word is no command, and how the line is written right."""
    from difflib import get_close_matches

    name = words[0]
    if name.startswith("-"):
        return _before_the_command(words)
    near = get_close_matches(name, COMMANDS, n=3, cutoff=0.6)
    hint = "did you mean " + " or ".join(f"`{word}`" for word in near) + "?" if near else "graphdream --help lists them"
    return f"{name!r} is not a command", hint


def _before_the_command(words: Sequence[str]) -> tuple[str, str]:
    """Of a line that begins with options: what is wrong with it, and the line with the command first."""
    from shlex import join

    at, takes_value = 0, {"--db": "PATH", "--agent": "NAME"}
    while at < len(words) and words[at].startswith("-"):
        option = words[at]
        at += 1
        if option in takes_value:
            value = words[at] if at < len(words) else ""
            is_missing = not value or value.startswith("-")
            if is_missing or (value in COMMANDS and not set(words[at + 1 : at + 2]) & COMMANDS.keys()):
                rest = "COMMAND" if is_missing else join(words[at:])
                wrong = f"{option} is without its {takes_value[option]}, and stands before the command"
                return wrong, _hint_line(rest, f"{option} {takes_value[option]}")
            at += 1
    command = words[at] if at < len(words) else "COMMAND"
    if command != "COMMAND" and command not in COMMANDS:
        return _unknown(words[at:])
    return f"{words[0]} stands before the command", _hint_line(join([command, *words[at + 1 :]]), join(words[:at]))


def _hint_line(command: str, options: str) -> str:
    shown = command if len(command) <= _LONGEST_WORD else f"{command[: _LONGEST_WORD - 1]}…"
    return f"write it after: graphdream {shown} {options}"


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("graphdream")
    except PackageNotFoundError:
        return "(not installed)"


def _speak_utf8() -> None:
    """Whatever the locale: UTF-8 in and out. Text that has no UTF-8 form is shown escaped, not refused; a stream that
    was closed before the program began leads nowhere."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115 - it lasts as long as the program
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "backslashreplace"), (sys.stderr, "backslashreplace")):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors=errors)


def _print_fault(message: str, fault: BaseException, hint: str = "", stream: TextIO | None = None) -> None:
    """A line for what is wrong, one for each single fault that the message does not tell, one for the next step."""
    stream = stream or sys.stderr
    with suppress(OSError):  # where it cannot be told, the exit code still tells it
        _print_lines(message, fault, hint, stream)


def _print_lines(message: str, fault: BaseException, hint: str, stream: TextIO) -> None:
    if os.environ.get(DEBUG_VARIABLE):
        from traceback import print_exception

        print_exception(fault, file=stream)
    print(f"graphdream: {message}", file=stream)
    details = [line for line in getattr(fault, "faults", ()) if line not in message]
    for line in (*details, getattr(fault, "hint", "") or hint):
        if line:
            print(f"  {line}", file=stream)
    stream.flush()
