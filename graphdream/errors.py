"""The errors a person can meet: what was wrong, where, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence

QUOTED_CHARACTERS = 80  # of a name or a fact in a message: enough to know it by, and a line stays a line


def quoted(text: str) -> str:
    """A text as a message names it: in quotes, with control signs escaped, and shortened where it is long."""
    return repr(text if len(text) <= QUOTED_CHARACTERS else text[: QUOTED_CHARACTERS - 1] + "…")


class GraphdreamError(Exception):
    """Root of every error that graphdream raises on purpose.

    `hint` says what to do next; `exit_code` is what the command line returns (docs/exit-codes.md).
    """

    exit_code = 70

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(GraphdreamError):
    """The call itself is wrong: an unknown option, a value out of range."""

    exit_code = 2


class ImportRefusedError(GraphdreamError):
    """An input file is not what it should be; nothing of it was taken. `faults` holds a line for each fault."""

    exit_code = 3

    def __init__(self, message: str, faults: Sequence[str] = (), hint: str = "") -> None:
        super().__init__(message, hint)
        self.faults = tuple(faults)


class ConflictError(GraphdreamError):
    """What was asked for stands against something else in the file."""

    exit_code = 4


class UndoConflictError(ConflictError):
    """Later passes rest on what this undo would take away. `passes` names them, oldest first."""

    def __init__(self, target: int, passes: Sequence[int]) -> None:
        named = ", ".join(str(p) for p in passes)
        super().__init__(
            f"pass {target} cannot be undone alone: later passes touched the same rows ({named})",
            f"undo those first, or all of them at once: graphdream undo {target} --cascade",
        )
        self.passes = tuple(passes)


class AmbiguousNameError(ConflictError):
    """A name fits several entities, so it addresses none of them."""

    def __init__(self, name: str, candidates: Sequence[str]) -> None:
        super().__init__(f"{quoted(name)} fits {len(candidates)} entities")
        self.name, self.candidates = name, tuple(candidates)
        self.hint = "use a handle: " + ", ".join(self.candidates)


class BusyError(GraphdreamError):
    """Another pass holds the lease, or another writer the file."""

    exit_code = 5


class NotFoundError(GraphdreamError):
    """A handle, name, pass or file that is not there."""

    exit_code = 6


class SchemaError(GraphdreamError):
    """The file is not a graphdream database, or one of a newer program."""

    exit_code = 3


class UnwritableError(SchemaError):
    """The file must not, or cannot, be written as things stand; what is in it can be read."""


class ReadOnlyError(UnwritableError):
    """The file, its folder or its disk may only be read."""


class ForeignSchemaError(UnwritableError):
    """Somebody changed the schema of a file: planted a trigger, an index, a view or a table, dropped or altered one."""


class IntegrityError(GraphdreamError):
    """State and journal disagree. `faults` lists each disagreement."""

    exit_code = 1

    def __init__(self, message: str, faults: Sequence[str] = (), hint: str = "") -> None:
        super().__init__(message, hint)
        self.faults = tuple(faults)
