"""What commands print about skills and self, who is who, the tools, and the installation."""

from __future__ import annotations

from graphdream.dream.flags import Flag
from graphdream.dream.introspect import Introspection, RecentPass
from graphdream.dream.project import ProjectReport
from graphdream.entities.calibrate import Solved
from graphdream.entities.explain import Explanation
from graphdream.facts.explain import FactExplanation
from graphdream.interfaces.checks.base import Finding
from graphdream.interfaces.shapes.declaring import Form, by_name, either, many, printed, shape
from graphdream.views.self_model import SelfModel
from graphdream.views.skills import Skill

_WHEN_JUDGED = {
    "before_pass": (
        either(int, None),
        "the pass that made one of them another or took it away: the judgement is about the graph before it",
    ),
}
_RATE = shape(
    "Rate", "How often something went well",
    {"success": (int, "how often it did"), "total": (int, "of so many outcomes")},
)  # fmt: skip
_SELF = printed(SelfModel, other={"success_rates": (by_name(_RATE), "name -> outcomes, of everything that has some")})
_SKILL = printed(
    Skill, "SkillListed",
    other={
        "uses": (int, "uses in the last days"), "ok": (int, "of these, those that went well"),
        "failed": (int, "and those that did not"), "last_used_at": (str, 'when it was used last, UTC; "" for never'),
        "sparse": (bool, "whether it says little and is not new"),
        "at_risk": (many(str), "what went wrong in sessions that used it, oldest first"),
    },
)  # fmt: skip
_SKILLS = shape(
    "SkillsKnown", "What the agent knows how to do",
    {
        "skills": (many(_SKILL), "each skill, by name"),
        "pairs": (
            many(shape("UsedTogether", "Two skills that were used together", {
                "skills": (tuple[str, str], "their names"), "sessions": (int, "in so many sessions"),
            })),
            "skills used together, most often first",
        ),
        "clusters": (dict[str, list[str]], "what stands before the slash -> names"),
        "unknown": (dict[str, int], "names that were used and are no skill -> how often"),
        "covered": (float, "share of the uses that were of a known skill, 0..1"),
    },
)  # fmt: skip
_WRITTEN = shape(
    "SetUp", "What was written into the settings of the tools, or would be",
    {
        "files": (
            many(shape("SettingsFile", "A file of a tool's settings", {
                "tool": (str, "as `--tool` has it"), "path": (str, "of the file"),
                "holds": (str, "what of graphdream it holds: `hooks`, `server`, …"),
                "change": (str, "`new`, `changed`, or `same` where nothing is to do"),
                "diff": (str, 'the change as a diff; "" where there is none'),
            })),
            "each file",
        ),
        "written": (bool, "whether something was"),
    },
)  # fmt: skip
_TAKEN_BACK = shape(
    "SetUpUndone", "What was taken back",
    {
        "files": (
            many(shape("RestoredFile", "A file of a tool's settings", {
                "tool": (str, "as `--tool` has it"), "path": (str, "of the file"),
                "as_before": (bool, "false where it was changed since: only graphdream's part was taken out"),
            })),
            "each file",
        ),
        "written": (bool, "whether something was"),
    },
)  # fmt: skip
_CHECKED = shape(
    "SetUpChecked", "How the tools are set up",
    {
        "tools": (
            many(shape("ToolChecked", "How one tool is set up", {
                "tool": (str, "as `--tool` has it"), "lacking": (many(str), "what is missing, in words"),
                "fired": (dict[str, str], "event -> when its hook fired last, UTC"),
            })),
            "each tool",
        ),
        "database": (str, ""), "last_failure": (either(str, None), "of a hook, in words; `null` for none"),
    },
)  # fmt: skip
_BY_HAND = shape(
    "ByHand", "What belongs into the settings of the tools",
    {
        "files": (
            many(shape("SettingsText", "A file of a tool's settings", {
                "tool": (str, "as `--tool` has it"), "path": (str, "of the file"),
                "text": (str, "what belongs into it"),
            })),
            "each file",
        )
    },
)  # fmt: skip
_RESOLVED = (
    shape("ClusterOf", "Which cluster an entity is in", {
        "id": (str, "as it was given"), "cluster": (str, "id of the entity that stands for its cluster"),
    }),
    shape("Candidate", "A pair that was compared", {"candidate": (tuple[str, str], "ids of the two")}),
    shape("ScoredPair", "How likely a pair is one", {
        "pair": (tuple[str, str], "ids of the two"), "score": (float, "calibrated, 0..1"),
    }),
)  # fmt: skip

FORMS = (
    Form("skills list", _SKILLS),
    Form("skills show", Skill),
    Form("skills use", shape("SkillUsed", "A use that was noted", {"skill": (str, ""), "new": (bool, "")})),
    Form("skills export", list[str], note="Paths of the files."),
    Form("skills import", dict[str, int | None], note="Skill, and the pass that took it; `null` for none."),
    Form("self", _SELF),
    Form(
        "introspect",
        printed(Introspection, other={
            "self_model": (_SELF, "what the agent knows of itself"),
            "recent": (
                many(printed(RecentPass, named={"pass_id": "pass", "finished_at": "finished"})),
                "the newest passes, newest first",
            ),
        }),
    ),
    Form("review", many(Flag)),
    Form("review --root DIR", ProjectReport),
    Form("resolve", either(*_RESOLVED), lines=True, note="With and without `--json`; entities, then pairs."),
    Form(
        "explain ENTITY ENTITY",
        printed(Explanation, other={**_WHEN_JUDGED, "told": (str, 'what that pass did, in words; "" for none')}),
    ),
    Form(
        "explain FACT FACT",
        printed(FactExplanation, other={
            **_WHEN_JUDGED, "verdict": (str, "what came of it, in words"),
            "happened": (str, 'what that pass did, in words; "" for none'),
        }),
    ),
    Form("calibrate", Solved),
    Form("doctor", many(printed(Finding))),
    Form("doctor --mend-schema", shape("Mended", "What was done about the schema", {
        "backup": (either(str, None), "the file as it was; `null` where the schema was right"),
        "done": (many(str), "what was done, in words"),
    })),
    Form("completion", shape("CompletionScript", "What makes a shell complete commands", {
        "shell": (str, "as it was given"), "script": (str, "what it is to read"),
    })),
    Form("init --dry-run", _WRITTEN),
    Form("init --yes", _WRITTEN),
    Form("init --undo", _TAKEN_BACK),
    Form("init --check", _CHECKED),
    Form("init --print", _BY_HAND),
)  # fmt: skip
