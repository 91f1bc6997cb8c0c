"""The tables beside the graph whose rows are sealed, and the triggers that tell the seal of each row written.

The triggers are part of the migrations as plain SQL; this module makes that text, and a test compares the two:

    python -m graphdream.graph.sealed

Sealed is what somebody told, decided or has yet to decide, and what steers the next pass. Not sealed is what follows
from it (indexes, vectors, the shape of the talk), who writes just now (`lease`), and what the seal of a pass covers by
its chain (`change`, `mutation`).
"""

from __future__ import annotations

from graphdream.graph.tables import TABLES
from graphdream.sealing.codes import blake2b

PLACES = 4_096  # for rows that are known by a text
PARTS = 21  # by session: the sum over its summaries, turns and observations


def place_in_tree(place: int | str) -> int:
    """The place of a row: its number, or one of `PLACES` that its text leads to."""
    if isinstance(place, int):
        return place
    return int.from_bytes(blake2b(place.encode(), digest_size=4).digest(), "little") % PLACES


class SealedTable:
    """How the rows of a table are sealed.

    Attributes:
        kind: number of its tree; those of the graph's tables are their kinds in the journal. Never reused.
        name: of the table.
        columns: what the seal of a row covers, as SQL with `{0}` for `new.` or `old.`.
        place: SQL of the row's place in the tree, likewise, a number or a text (`place_in_tree`); rows with the same
            place are sealed together.
        single: whether each row has a place for itself, its id.
        parts: also sealed together with others of its session.
    """

    __slots__ = ("columns", "kind", "name", "parts", "place", "single")

    def __init__(
        self, kind: int, name: str, columns: tuple[str, ...], place: str = "{0}id", *, parts: bool = False
    ) -> None:
        self.kind, self.name, self.columns, self.place, self.parts = kind, name, columns, place, parts
        self.single = place == "{0}id"

    def text_sql(self, prefix: str = "") -> str:
        """SQL of what is sealed of a row."""
        held = ", ".join(column.format(prefix) if "{0}" in column else prefix + column for column in self.columns)
        return f"CAST(json_array({held}) AS BLOB)"

    def place_sql(self, prefix: str = "") -> str:
        """SQL of a row's place."""
        return self.place.format(prefix)


def _table(kind: int, name: str, columns: str, place: str = "{0}id", *, parts: bool = False) -> SealedTable:
    return SealedTable(kind, name, tuple(columns.split()), place, parts=parts)


BESIDE = (
    _table(20, "session", "id key kind started_at ended_at recorded_at metadata"),
    _table(22, "summary", "id session_id content digest recorded_at tokens tokenizer read_by", parts=True),
    _table(23, "turn", "id session_id position uid speaker content said_at metadata read_by", parts=True),
    _table(24, "observation", "id session_id position speaker content evidence read_by", parts=True),
    _table(25, "observed", "id uid kind session_key name ok at recorded_at body digest"),
    _table(30, "pass", "id status chain undone_by"),
    _table(31, "rejection", "id pass_id merged_by first_id second_id revoked_by direct"),
    _table(32, "erasure", "pass_id book place hex({0}digest) purged_by", "{0}pass_id"),
    _table(33, "planned", "pass_id position op body trusted foreseen verdict decided_by decided_at", "{0}pass_id"),
    _table(34, "tombstone", "kind digest becomes purged_by", "{0}digest"),
    _table(35, "finding", "fingerprint kind disposition blocker pass_id times decided_at", "{0}fingerprint"),
    _table(36, "working_memory", "key namespace value category tags stored_at expires_at", "{0}key"),
    _table(
        37,
        "exchange",
        "id digest pass_id what model held_at messages prompt_messages items summary ended attempts faults tokens_in"
        " tokens_out tokens_cached cost requests",
    ),
    _table(38, "recall_feedback", "id attribute_id signal session_key note given_at"),
    _table(39, "meta", "key value", "{0}key"),
    _table(
        40,
        "dream_state",
        "id last_pass_id last_pass_at last_mode last_checked_at consecutive_failures last_failure_at last_error",
    ),
    _table(41, "schedule", "id first_started_at last_cycle_at failures retry_at"),
    _table(42, "cycle_pass", "name cursor last_run_at last_pass_id failures last_failure_at last_error", "{0}name"),
    _table(43, "cycle_log", "id started_at ended_at trigger processed summary passes"),
    _table(44, "injected", "session_key handle turn injected_at", "{0}session_key"),
)
GRAPH = tuple(SealedTable(table.kind, table.name, table.columns) for table in TABLES)
SEALED = {table.kind: table for table in (*GRAPH, *BESIDE)}
BY_NAME = {table.name: table for table in SEALED.values()}


def trigger_sql(table: SealedTable) -> str:
    """The three triggers of a table: a row made, changed, deleted."""
    name, kind = table.name, table.kind
    held = {"new": table.text_sql("new."), "old": table.text_sql("old.")}
    # What the seal of a pass covers by its chain needs no look here: a column that is not among these.
    of = " OF status, chain, undone_by" if name == "pass" else ""

    def tell(side: str, old: str, new: str) -> str:
        parts = f", {side}.session_id" if table.parts else ""
        return f"    SELECT gd_seal({kind}, {table.place_sql(side + '.')}, {old}, {new}{parts});"

    return f"""CREATE TRIGGER {name}_made_sealed AFTER INSERT ON {name}
BEGIN
{tell("new", "NULL", held["new"])}
END;
CREATE TRIGGER {name}_changed_sealed AFTER UPDATE{of} ON {name}
BEGIN
{tell("new", held["old"], held["new"])}
END;
CREATE TRIGGER {name}_deleted_sealed AFTER DELETE ON {name}
BEGIN
{tell("old", held["old"], "NULL")}
END;
"""


def all_triggers() -> str:
    """The triggers of every table, as one SQL script."""
    return "\n".join(trigger_sql(table) for table in BESIDE)


if __name__ == "__main__":
    print(all_triggers())
