"""What commands print that read the journal."""

from __future__ import annotations

from typing import Any

from graphdream.dream.asked_again import Comparison
from graphdream.interfaces.shapes.declaring import Form, either, many, printed, shape
from graphdream.journal.graph_diff import GraphDiff
from graphdream.journal.overview import Kind
from graphdream.journal.records import MutationRecord, PassRecord
from graphdream.journal.unusual import Unusual
from graphdream.journal.verify import VerifyReport

_BESIDES = {
    "directive_hash": (str, 'hash of the instructions that a model was given; "" for none'),
    "first_change": (either(int, None), "number of its first change of a row; `null` where it made none"),
    "last_change": (either(int, None), "number of its last one"),
    "chain": (str, "its link of the hash chain of passes"),
}
_SPOKEN = shape(
    "Spoken", "One conversation with a model",
    {"what": (str, "what was asked"), "model": (str, ""), "text": (str, "all of it, credentials taken out")},
)  # fmt: skip
_CALL = shape(
    "Conversation", "What one conversation with a model took",
    {
        "what": (str, "what was asked"), "model": (str, ""), "ended": (str, "`answered`, or how else it ended"),
        "attempts": (int, "how often it was asked"), "faults": (int, "answers that could not be used"),
        "tokens_in": (int, ""), "tokens_out": (int, ""), "tokens_cached": (int, ""), "cost": (either(float, None), ""),
    },
)  # fmt: skip
_COST = shape(
    "CostSheet", "What a pass took",
    {
        "calls": (many(_CALL), "each conversation"),
        "requests": (many(dict[str, Any]), "each request, those that were repeated too"),
        "tokens_in": (int, ""), "tokens_out": (int, ""), "tokens_cached": (int, ""), "cost": (either(float, None), ""),
        "applied": (int, "mutations of the model that were applied"),
        "tokens_per_applied": (either(float, None), "`null` where none was"),
        "cost_per_applied": (either(float, None), "`null` where none was, or the price is not known"),
    },
)  # fmt: skip
_REPLAYED = shape(
    "Replayed", "A recorded pass, run again",
    {
        "pass": (int, "number of the pass"), "level": (int, "1: the log again; 2: judged anew"),
        "same": (bool, "whether everything came out as it did then"),
        "same_hash": (bool, "whether the graph is the same"), "hash_then": (str, "of the graph, then"),
        "hash_now": (str, "and now"), "mutations": (int, "how many it has"),
        "differences": (
            many(
                shape("Difference", "A mutation that came out in another way", {
                    "position": (int, ""), "op": (str, ""), "was": (str, "what became of it then"),
                    "now": (str, "and now"),
                })
            ),
            "those that came out in another way",
        ),
    },
)  # fmt: skip

FORMS = (
    Form("passes", many(printed(PassRecord, without=("inputs",), other=_BESIDES))),
    Form(
        "show",
        printed(
            PassRecord, "PassShown",
            other={
                **_BESIDES, "answer": (str, 'what a model said, in full; "" where none was asked'),
                "unusual": (many(Unusual), "what it did far more of than the passes before it"),
                "mutations": (many(printed(MutationRecord, other={
                    "pass_id": (int, "number of the pass"),
                })), "what was proposed in it, in order, and what became of each"),
            },
        ),
    ),
    Form("show --merges", many(Kind), note="So do the options for the other kinds: `--replaced`, `--archived`, …"),
    Form("show --prompt", many(_SPOKEN)),
    Form("show --transcript", many(_SPOKEN)),
    Form("show --cost", _COST),
    Form("diff", GraphDiff),
    Form("replay", _REPLAYED),
    Form(
        "replay --level 3",
        printed(Comparison, named={"pass_id": "pass"}, also=("same",), other={"level": (int, "3")}),
    ),
    Form("verify", printed(VerifyReport, also=("ok",))),
)  # fmt: skip
