"""What commands print that bring something in and find it again."""

from __future__ import annotations

from typing import Any

from graphdream.events.adding import Recorded
from graphdream.events.observed import ObserveReport
from graphdream.interfaces.importers import ImportReport
from graphdream.interfaces.shapes.changes import WAITING
from graphdream.interfaces.shapes.declaring import Form, either, many, printed, shape
from graphdream.recall.feedback import Counts, Feedback
from graphdream.recall.hit import Other
from graphdream.recall.injection import Entry, Injection

_RECALLED = shape(
    "Recalled", "One thing that recall returns; what is empty is left out",
    {
        "handle": (str, "`a345` a fact, `t12` a turn, `sum7` the summary of a session"),
        "kind": (str, "`fact`, `turn` or `summary`"), "text": (str, "the text as it is on record"),
        "score": (float, "higher is better; comparable within one answer only"),
        "parts": (dict[str, float], "what the score is made of; it is their sum"),
    },
    sometimes={
        "category": (str, ""), "time": (str, "when it was said, or since when it is known or true, UTC"),
        "session": (str, ""), "turns": (many(str), "the host's own ids of the turns it rests on"),
        "speaker": (str, "who said a turn"), "beside": (many(str), "handles of the turns that are told together"),
        "status": (str, "`superseded` where another fact took its place"),
        "constraint": (bool, "true: a rule that always holds"),
        "contradicts": (many(Other), "facts that say otherwise, unresolved"),
        "via": (str, "handle of the entity over whose links it was reached"), "authority": (str, ""),
        "terms": (dict[str, Any], "with `--explain`: how each word of the question counted"),
    },
)  # fmt: skip
_BATCH = shape(
    "BatchAnswer", "The answer to one question of a batch",
    {
        "id": (Any, "as the question has it"),
        "results": (
            many(
                shape(
                    "BatchResult", "One thing that was found",
                    {
                        "id": (str, "of a turn the host's own id, of the rest the handle"),
                        "handle": (str, "`a345` a fact, `t12` a turn, `sum7` the summary of a session"),
                        "sources": (many(str), "the host's own ids of the turns it rests on"), "text": (str, ""),
                        "score": (float, "higher is better"),
                    },
                )
            ),
            "what was found, best first",
        ),
    },
)  # fmt: skip
_NOTE = shape(
    "Note", "A short-lived note",
    {
        "key": (str, ""), "value": (str, "what was put"), "category": (str, "its category"), "tags": (many(str), ""),
        "stored_at": (str, "when it was put, UTC"), "expires_at": (str, "when it goes, UTC"),
    },
)  # fmt: skip
_REMEMBERED = shape(
    "Remembered", "What became of a fact",
    {
        "handle": (either(str, None), "of the fact; `null` while it waits"),
        "known": (either(bool, None), "whether it was known and is reinforced; `null` while it waits"),
        "pass": (either(int, None), ""), "waits": (bool, "true: the next command puts it in its place"),
    },
)  # fmt: skip
_FED_BACK = shape(
    "FedBack", "What is known of a fact's use now",
    {
        "handle": (str, "of the fact"), "signal": (str, "what was said: `used`, `ignored` or `wrong`"),
        "new": (bool, "whether the session had not said so already"),
        "counts": (printed(Counts), "how often each was said"),
    },
)  # fmt: skip
_SAID_OF_SESSION = shape(
    "SaidOfSession", "What was said of a session",
    {"session": (str, ""), "kind": (str, "what was said: as `--kind` has it"), "new": (bool, "")},
)  # fmt: skip
_EXPORTED = {"format": (str, "as `--format` has it"), "at": (either(int, None), "the pass, where `--at` named one")}

FORMS = (
    Form("import", ImportReport),
    Form("import --dry-run", ImportReport),
    Form(
        "export --out FILE",
        shape("Exported", "A file that was written", {
            "file": (str, "its path, as it was given"), **_EXPORTED, "bytes": (int, "its size"),
        }),
        note="Without `--out` the graph itself is printed, in the format that is asked for, and `--json` is refused.",
    ),
    Form(
        "export --format memory --out FOLDER",
        shape("ExportedFolder", "A folder of notes that was written", {
            "folder": (str, "its path, as it was given"), **_EXPORTED, "files": (many(str), "names of the files in it"),
        }),
    ),
    Form("record", printed(Recorded)),
    Form("observe", ObserveReport),
    Form("remember", _REMEMBERED),
    Form("remember --wait", _REMEMBERED),
    Form("recall", many(_RECALLED)),
    Form("recall --batch FILE", _BATCH, lines=True, note="With and without `--json`."),
    Form(
        "context",
        printed(
            Injection, without=("unmarked",),
            other={"entries": (many(printed(Entry, without=("line", "beside"))), "its lines, in their order")},
        ),
    ),
    Form("categories", dict[str, int], note="Category and number of facts."),
    Form("working put", either(many(_NOTE), WAITING)),
    Form("working get", _NOTE),
    Form("working list", many(_NOTE)),
    Form("working search", many(_NOTE)),
    Form("working drop", shape("Dropped", "A note that is gone", {"dropped": (str, "its key")})),
    Form("feedback HANDLE SIGNAL", either(_FED_BACK, WAITING)),
    Form("feedback --kind", either(_SAID_OF_SESSION, WAITING)),
    Form("feedback", many(printed(Feedback, "GivenFeedback", other={
        "fact": (either(str, None), "its handle; `null` for what was said of a session"),
        "signal": (str, "`used`, `ignored` or `wrong`; of a session as `--kind` has it"),
        "session": (str, 'the session that it is about, or that said so of a fact; "" for none'),
    }))),
)  # fmt: skip
