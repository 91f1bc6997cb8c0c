"""What commands print that change something: your own edits, plans, undo, purge, trust."""

from __future__ import annotations

from typing import Any

from graphdream.dream.plan import PlannedItem, PlanRecord
from graphdream.dream.plan_clusters import Cluster
from graphdream.interfaces.shapes.declaring import Form, either, many, printed, shape
from graphdream.journal.purge import PurgeReport
from graphdream.journal.trust import TrustReport
from graphdream.journal.undo import UndoReport
from graphdream.journal.unmerge import UnmergeReport
from graphdream.views.entity_page import EntityPage

# Of the two edits that hooks and agents tell as well, these are kept where another program is writing.
WAITING = shape(
    "Waiting", "What was told is kept beside the file, because it cannot be written just now",
    {"waits": (bool, ""), "why": (str, "")},
)  # fmt: skip
OUTCOME = shape(
    "Outcome", "What became of one mutation",
    {"status": (str, "`applied`, `skipped` or `failed`"), "code": (str, ""), "message": (str, "")},
)  # fmt: skip
EDITED = shape(
    "Edited", "What became of an edit",
    {"pass": (either(int, None), ""), "outcomes": (many(OUTCOME), "what became of each mutation of it")},
    sometimes={"waits": (bool, ""), "why": (str, "why it waits")},
)  # fmt: skip
_EDITS = (
    "pin", "unpin", "constraint", "date", "merge", "same", "distinct", "replace", "split", "rename", "alias", "retype",
    "link", "unlink", "forget", "restore", "edit",
)  # fmt: skip
_WRONG_MERGE = shape(
    "WrongMerge", "Two entities that are remembered as not the same",
    {"merged_by": (int, "the pass that had merged them"), "distinct": (tuple[str, str], "handles of the two")},
)  # fmt: skip
_DECIDED = shape(
    "Decided", "What came of a decision about a plan",
    {
        "plan": (int, ""),
        "pass": (either(int, None), "the pass that applied what was approved; `null` where nothing was"),
        "rejected_by": (either(int, None), "the pass that remembers what was rejected; `null` where nothing was"),
        "outcomes": (
            many(
                shape(
                    "ItemOutcome", "What became of one item of a plan",
                    {
                        "position": (int, ""), "status": (str, "`applied`, `skipped` or `failed`"), "code": (str, ""),
                        "message": (str, ""),
                    },
                )
            ),
            "what became of each item that was approved",
        ),
    },
)  # fmt: skip
_SEALED = shape(
    "Sealed", "How the memory is sealed",
    {"database": (str, ""), "ok": (bool, "whether it is as it was sealed"), "faults": (many(str), "")},
    sometimes={
        "key": (str, "id of the key that it is sealed with"), "key_from": (str, "where the keys are"),
        "sealed_writes": (Any, "how many writes were sealed"),
        "sealed_since_pass": (Any, "the pass from which on it is sealed"), "anchor": (str, "the file beside the keys"),
        "witness": (str, "which witness there is"),
        "witness_unreachable": (str, "why it cannot be asked; then there is none of the three others"),
        "witness_pass": (int, "the newest pass that it has noted"),
        "witness_writes": (int, "how many writes had been sealed then"),
        "witness_agrees": (bool, "whether what it has noted is part of the file"),
    },
)  # fmt: skip

FORMS = (
    Form("entity", printed(EntityPage, named={"distinct": "distinct_from"})),
    *(Form(command, EDITED) for command in _EDITS),
    Form("plan list", many(PlanRecord)),
    Form("plan show", many(printed(PlannedItem, without=("trusted",)))),
    Form("plan show --clusters", many(Cluster)),
    Form("plan approve", _DECIDED),
    Form("plan reject", _DECIDED),
    Form(
        "undo",
        printed(
            UndoReport, named={"pass_id": "pass"},
            other={"rejected": (many(_WRONG_MERGE), "pairs of entities that are remembered as not the same")},
        ),
    ),
    Form(
        "unmerge",
        printed(
            UnmergeReport, without=("name", "rejected"), named={"pass_id": "pass", "from_entity": "from"},
            other={"distinct": (many(tuple[str, str]), "handles of entities that are remembered as not the same")},
        ),
    ),
    Form("purge", PurgeReport),
    Form(
        "purge --finish",
        shape("Finished", "What was left of a purge", {"finished": (bool, "whether there was something to clear")}),
    ),
    Form("trust", _SEALED),
    Form("trust --reason", TrustReport),
    Form("trust --add-key", shape("KeptKeys", "Keys that were kept", {"keys": (many(str), "their ids")})),
)  # fmt: skip
