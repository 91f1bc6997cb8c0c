"""What commands print about passes, cycles, and how dreaming stands."""

from __future__ import annotations

from typing import Any

from graphdream.dream.cycle_report import CycleReport, PassReport
from graphdream.dream.cycle_state import LoggedCycle, PassStanding
from graphdream.dream.estimate import Estimate
from graphdream.dream.lease import Holder
from graphdream.dream.report import DreamReport
from graphdream.dream.trigger import Due, Gate
from graphdream.fleet.run import FleetReport
from graphdream.fleet.work import AgentReport
from graphdream.interfaces.shapes.declaring import Form, either, many, printed, shape

_CHANGE = shape(
    "WouldChange", "One mutation of a dry run",
    {
        "op": (str, ""), "status": (str, "`applied`, `skipped` or `failed`"), "code": (str, ""), "message": (str, ""),
        "reason": (str, ""),
    },
)  # fmt: skip
_DREAMED = printed(
    DreamReport, without=("proposals", "outcomes", "overview"), named={"pass_id": "pass"},
    other={"changes": (either(many(_CHANGE), None), "of a dry run, every mutation; else `null`")},
)  # fmt: skip
_NOT_DUE = shape("NotDue", "No pass is due", {"status": (str, "`not due`")})
_GATE = printed(Gate, named={"is_open": "open"}, other={"open": (bool, "whether it lets a pass begin")})
_STANDING = shape(
    "Standing", "How dreaming stands",
    {
        "database": (str, ""),
        "due": (either(printed(Due), None), "the pass that should run now; `null` where none should"),
        "closed": (either(_GATE, None), "the gate that stands in the way; `null` where a pass is due"),
        "barriers": (many(_GATE), "gates that must all be open"),
        "reasons": (many(_GATE), "gates of which one must be open"),
        "tokens": (
            shape("UnreadTokens", "What is unread, in tokens", {
                "unread": (int, "so many"), "threshold": (int, "from which on a pass is due"),
                "exact": (bool, "false where no tokenizer was at hand and they are estimated"),
            }),
            "what is unread, in tokens",
        ),
        "unread": (
            shape("Unread", "What no pass has read yet", {
                "sessions": (int, "sessions"), "summaries": (int, "summaries"), "observations": (int, "observations"),
                "since": (either(str, None), "when the oldest was recorded, UTC; `null` where there is none"),
            }),
            "what no pass has read yet",
        ),
        "lease": (either(printed(Holder, other={
            "owner": (str, "tells this holding from every other"), "pid": (int, "its process"),
            "host": (str, "its machine"), "acquired_at": (str, "since when, UTC"),
            "heartbeat_at": (str, "when it was heard of last, UTC"), "deadline_at": (str, "until when at most, UTC"),
        }), None), "who is dreaming just now; `null` for nobody"),
        "last_pass": (
            either(shape("LastPass", "The last pass", {
                "id": (int, ""), "at": (either(str, None), "when it ended, UTC"),
                "mode": (either(str, None), ""),
            }), None),
            "the last one; `null` for none",
        ),
        "last_checked_at": (either(str, None), "when a dream last found nothing to do and wrote no pass, UTC"),
        "failures": (
            shape("Failures", "Passes that failed", {
                "in_a_row": (int, "so many since one did not"), "last_at": (either(str, None), "when, UTC"),
                "last_error": (either(str, None), "why, in words"),
            }),
            "passes that failed",
        ),
        "cost": (
            shape("Spent", "What models took, all passes together", {
                "usd": (float, "US dollars"), "tokens": (int, ""),
                "passes_without_a_price": (int, "passes whose price is not known"),
            }),
            "what models took",
        ),
        "merges": (
            either(shape("Merges", "How merges fared that a person judged", {
                "merges": (int, "merges that stand or were judged wrong"),
                "judged": (int, "verdicts of a person, right or wrong"), "rejected": (int, "those that say wrong"),
                "rate": (float | None, "share of the judged ones; `null` as long as there are none"),
                "interval_95": (tuple[float, float] | None, "its 95 % interval"),
            }), None),
            "merges and what a person judged of them; `null` where there is none to tell of",
        ),
    },
)  # fmt: skip
_LOGGED = printed(PassReport, "LoggedPass", without=("overview", "proposals"), briefly=True)
_DEMO = shape(
    "DemoRun", "What the demo did",
    {
        "imported": (dict[str, int], "what the bloated graph holds: entities, facts, links, tokens (about)"),
        "dream": (_DREAMED, "the pass over it"), "dreamed": (dict[str, int], "what the graph holds after it"),
        "again": (str, "what a second pass came to; `nothing` is right"),
        "undone": (bool, "whether the undo gave exactly what was imported"),
        "verified": (bool, "whether state, journal, hash chain and anchor agree"),
        "ok": (bool, "whether everything came out as it should"),
    },
)  # fmt: skip

FORMS = (
    Form("dream", _DREAMED),
    Form("dream --dry-run", _DREAMED),
    Form("dream --if-due", either(_DREAMED, _NOT_DUE)),
    Form(
        "dream --estimate",
        printed(Estimate, also=("tokens",), other={"status": (str, "`estimate`"), "model": (str, "")}),
        note="Also `dream --dry-run --model`: what a model would change is not known before it is asked.",
    ),
    Form("dream --status", _STANDING),
    Form("status", _STANDING),
    Form(
        "cycle",
        printed(
            CycleReport, also=("summary", "tokens"),
            other={"passes": (many(printed(PassReport, without=("overview",))), "what each part of each pass did")},
        ),
    ),
    Form("cycle --list", many(printed(PassStanding, also=("due",)))),
    Form("cycle --schema NAME", dict[str, Any], note="A JSON Schema: that of the answers which the pass accepts."),
    Form(
        "log",
        many(printed(LoggedCycle, other={"passes": (many(_LOGGED), "what each part of each pass did")})),
    ),
    Form(
        "serve",
        shape("Said", "Something that the service did", {"at": (str, ""), "said": (str, "what, in words")}),
        lines=True, note="As it happens, until the service ends.",
    ),
    Form(
        "fleet dream",
        printed(
            FleetReport, also=("counts",), named={"others": "not_memories"},
            other={"agents": (many(AgentReport), "a report for each memory, by name")},
        ),
    ),
    Form("demo", _DEMO),
)  # fmt: skip
