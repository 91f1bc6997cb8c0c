"""The settings of an agent: `agent.yaml`, the environment over it, flags over both.

Every key that Signet also has keeps Signet's name and unit, in camelCase or snake_case (docs/configuration.md lists
them). All faults of all layers are reported at once, each with the place it stands in and what was expected there.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator
from pydantic.alias_generators import to_camel

from graphdream.errors import GraphdreamError
from graphdream.given import MOST_WRONG_MERGES
from graphdream.layers import Given, KeyPath, Layer, environment_layer, file_layer, flag_layer, nested

# Sections of a Signet agent.yaml that steer Signet alone. One file may serve both programs, so these are passed over;
# anything else that is not a setting is a fault. Source: Signet's configuration reference as of 2026.
_SIGNET_KEYS: Mapping[KeyPath, frozenset[str]] = {
    (): frozenset(
        {"version", "schema", "agent", "owner", "harnesses", "embedding", "search", "hooks", "auth", "trust"}
    ),
    ("memory",): frozenset({"database", "session_budget", "decay_rate", "synthesis", "pipelineV2"}),
}

_LARGEST = 10**12  # of any number: more than anybody could mean, and still one that can be reckoned with

# How the keys of the largest providers begin; a key that is taken for a model's name would be journalled with the pass.
_KEY_BEGINNINGS = ("sk-", "sk_", "gsk_", "xai-", "AIza", "hf_")


class ConfigError(GraphdreamError):
    """The configuration is wrong. `faults` has a line for each fault: its place, its key, what was expected."""

    exit_code = 2

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__("\n".join(faults), "docs/configuration.md lists every key with its unit and its default")
        self.faults = tuple(faults)


class _Section(BaseModel):
    """Strict, because YAML is typed already: `tokenThreshold: true` is a mistake and not the number 1."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        allow_inf_nan=False,
        extra="forbid",
        frozen=True,
        loc_by_alias=False,
        populate_by_name=True,
        strict=True,
    )

    @field_validator("*")
    @classmethod
    def _is_within_reach(cls, value: object) -> object:
        # A column of SQLite has no larger number than 2**63, and what is counted in seconds grows by a few thousand.
        if isinstance(value, int | float) and abs(value) > _LARGEST:
            raise ValueError(f"should lie between -{_LARGEST:,} and {_LARGEST:,}")
        return value


class Dreaming(_Section):
    """`memory.dreaming`: when a pass runs, what it may spend, and how far it may go.

    Source of the defaults: Signet's dreaming (thresholds, budgets, back-off, halt); `max_false_merge_rate` is the error
    budget of merges, `loss_cap` the share of facts that a pass may archive, `harm_tolerance` how far recall may fall.
    """

    enabled: bool = Field(
        default=True, description="whether passes run; `false` leaves the local tier: facts from summaries, no model"
    )
    token_threshold: int = Field(
        default=100_000, ge=1, description="tokens of unread session summaries at which a pass is due"
    )
    max_interval: float = Field(
        default=6, gt=0, le=8760, description="hours after the last pass at which one is due for any unread session"
    )
    backfill_on_first_run: bool = Field(default=True, description="whether the first pass compacts the whole graph")
    model: str | None = Field(
        default=None,
        min_length=1,
        description="model as litellm names it, `provider/model`; none means the local dreamer; never a key",
    )
    max_input_tokens: int = Field(default=128_000, ge=1_000, description="tokens of context in one call of the model")
    max_output_tokens: int = Field(default=16_000, ge=100, description="tokens of answer to one call of the model")
    looks: int = Field(
        default=6, ge=0, le=100, description="how often a model that reads sessions may look at the graph in one call"
    )
    parallel_calls: int = Field(default=4, ge=1, le=64, description="calls of the model at the same time")
    requests_per_minute: int | None = Field(
        default=None, ge=1, description="requests to the model in any 60 seconds, of one process or one fleet together"
    )
    tokens_per_minute: int | None = Field(
        default=None, ge=1, description="tokens of these requests and their answers in any 60 seconds"
    )
    timeout: int = Field(
        default=1_200_000, ge=5_000, le=86_400_000, description="milliseconds after which a pass is given up"
    )
    backoff: float = Field(
        default=5, gt=0, le=1_440, description="minutes to wait after a failed pass, doubled with each further failure"
    )
    max_backoff_doublings: int = Field(default=6, ge=0, le=16, description="how many times the wait doubles at most")
    halt_after_failures: int = Field(default=5, ge=1, description="failed passes in a row after which dreaming halts")
    halt_duration: float = Field(default=24, gt=0, le=8760, description="hours a halt lasts, unless a person overrides")
    max_false_merge_rate: float = Field(
        default=0.005,
        gt=0,
        le=MOST_WRONG_MERGES,
        description="share of merges allowed to be wrong; sets the merge threshold",
    )
    # Junk made up 16 to 24 % of the facts of the bloated graphs the project is measured on, and a peer archives a
    # quarter of its entries in one pass as a matter of course (OpenClaw): a third and a bit lets a very noisy first
    # import through and stops a dreamer that has gone wrong. Folded copies and superseded values stay findable under
    # what replaced them and are often half of such a graph, so they do not count.
    loss_cap: float = Field(
        default=0.35, gt=0, le=1, description="share of the active facts one pass may archive as junk before it asks"
    )
    harm_tolerance: float = Field(
        default=0.0, ge=0, le=1, description="recall on the graph's own facts that a pass may cost, as a share"
    )

    @field_validator("model")
    @classmethod
    def _names_a_model(cls, model: str | None) -> str | None:
        return _model_name(model)


class Recall(_Section):
    """`memory.recall`: what recall may use beside words."""

    embedding_model: str | None = Field(
        default=None,
        min_length=1,
        description="model of the vectors as litellm names it, `provider/model`; none means the local one; never a key",
    )

    @field_validator("embedding_model")
    @classmethod
    def _names_a_model(cls, model: str | None) -> str | None:
        return _model_name(model)


def _model_name(model: str | None) -> str | None:
    if model is not None and (model.startswith(_KEY_BEGINNINGS) or any(c.isspace() for c in model)):
        raise ValueError("should be a model's name; keys belong into the provider's environment variable")
    return model


class Cycle(_Section):
    """`memory.cycle`: the passes over the views, and when they run.

    Source of the defaults: RockBot's dream service and WASP's dream mode, two agents that publish theirs.
    """

    off: tuple[str, ...] = Field(default=(), strict=False, description="passes that never run, by name")
    model_passes: bool = Field(default=True, description="whether passes ask the configured model")
    prompt_tokens: int = Field(default=32_000, ge=1_000, description="tokens that one question to a model may have")

    decay_grace_days: float = Field(
        default=30, ge=0, description="days after it was last seen in which a fact keeps its importance"
    )
    decay_half_life_days: float = Field(
        default=45, description="days in which importance halves; 0 or less: it never does"
    )
    decay_floor: float = Field(default=0.10, ge=0, le=1, description="importance below which nothing decays")
    decay_every: float = Field(
        default=24, ge=0, description="hours between two decays at least; the curve is the same for any"
    )

    consolidation_entries: int = Field(
        default=1000, ge=2, description="entries of the memory that a consolidation is shown at most"
    )
    consolidation_every: float = Field(default=6, ge=0, description="hours between two consolidations at least")
    protected_importance: float = Field(
        default=0.80, ge=0, le=1, description="importance from which an entry is merged, and never archived alone"
    )
    protected_sightings: int = Field(
        default=5, ge=1, description="sightings from which an entry is merged, and never archived alone"
    )
    feedback_days: float = Field(
        default=7, gt=0, description="days of feedback that consolidation and preferences read"
    )
    feedback_most: int = Field(default=50, ge=1, description="newest feedback that they read at most")

    gap_sessions: int = Field(default=2, ge=2, description="sessions in which a request recurs before it is a gap")
    gap_terms: int = Field(default=15, ge=1, description="recurring terms that are told at most")
    gap_term_chars: int = Field(default=4, ge=1, description="characters of a term at least")
    gap_feedback_days: float = Field(
        default=14, gt=0, description="days of feedback on sessions without a skill that the gap pass reads"
    )
    gap_feedback_most: int = Field(default=200, ge=1, description="newest of that feedback that it reads at most")

    usage_days: float = Field(
        default=30, gt=0, description="days of skill uses and feedback that the skill passes read"
    )
    sparse_chars: int = Field(default=200, ge=1, description="characters below which the content of a skill is sparse")
    sparse_days: float = Field(default=7, ge=0, description="days that a sparse skill is old before it is told")
    co_used_pairs: int = Field(default=10, ge=1, description="pairs of skills used together that are told at most")
    co_used_sessions: int = Field(
        default=2, ge=1, description="sessions in which two skills were used before they are linked"
    )
    skill_chars: int = Field(default=800, ge=100, description="characters of a skill's content that a model is shown")

    failure_days: float = Field(default=14, gt=0, description="days of executions that failure analysis reads")
    failure_records: int = Field(default=500, ge=1, description="newest executions that it reads at most")
    failure_fewest: int = Field(default=5, ge=1, description="executions below which there is nothing to analyse")
    failure_pattern: int = Field(default=3, ge=2, description="failures alike that are a pattern")
    failure_groups: int = Field(
        default=30, ge=1, description="kinds of executions that are looked at, those that fail most first"
    )
    failure_shown: int = Field(default=5, ge=1, description="newest executions of a kind that a model is shown")
    failure_skills: int = Field(default=30, ge=1, description="skills they came from that a model is shown")
    success_runs: int = Field(default=5, ge=1, description="runs from which success is worth keeping")
    success_share: float = Field(default=0.8, ge=0, lt=1, description="share of them that must be exceeded")

    preference_strong: int = Field(
        default=1, ge=1, description="times that a preference shows which was said with irritation"
    )
    preference_mild: int = Field(default=2, ge=1, description="times that one shows which was said with mild annoyance")
    preference_casual: int = Field(default=3, ge=1, description="times that one shows which was said in passing")
    episode_low: float = Field(default=0.2, ge=0, le=1, description="lowest importance of an episode")
    episode_high: float = Field(default=0.95, ge=0, le=1, description="highest importance of an episode")
    episodes_known: int = Field(default=100, ge=1, description="newest episodes that the episode pass is shown")

    promotion_uses: int = Field(
        default=3, ge=1, description="sessions that used an episode before it is lasting knowledge"
    )
    reflection_every: float = Field(
        default=24, gt=0, description="hours between two reflections, and that each looks back"
    )
    insight_every: float = Field(
        default=6, gt=0, description="hours between two lighter reflections, and that each looks back"
    )
    confidence_step: float = Field(
        default=0.015, gt=0, lt=1, description="how far one outcome moves confidence towards 0 or 1"
    )
    confidence_low: float = Field(default=0.05, ge=0, le=1, description="lowest confidence")
    confidence_high: float = Field(default=0.98, ge=0, le=1, description="highest confidence")
    procedure_calls: int = Field(
        default=3, ge=2, description="uses of skills in a session before a procedure is made of it"
    )
    procedure_skills: int = Field(default=2, ge=1, description="different skills among them at least")
    head_tokens: int = Field(default=1000, ge=50, description="tokens of the head of MEMORY.md")
    refresh_seconds: float = Field(default=10, gt=0, le=300, description="seconds that a refresh provider may take")

    enabled: bool = Field(default=True, description="whether `serve` runs cycles")
    initial_delay: float = Field(
        default=5, ge=0, description="minutes after the start of `serve` before the first cycle"
    )
    interval: float = Field(default=4, gt=0, description="hours between two cycles")
    cron: str | None = Field(default=None, description="five fields of cron in local time instead of the interval")
    when_idle: bool = Field(default=False, description="run only when the agent was idle: at night, or for long")
    idle_hours: float = Field(default=2, ge=0, description="hours without a word before a cycle, with whenIdle")
    idle_alone_hours: float = Field(default=4, ge=0, description="hours without a word that do at any time of day")
    night_from: int = Field(default=1, ge=0, le=23, description="first local hour of the night")
    night_to: int = Field(default=7, ge=0, le=24, description="local hour at which the night is over")
    cool_down: float = Field(default=6, ge=0, description="hours between two cycles at least, with whenIdle")
    busy_seconds: float = Field(
        default=30, ge=0, description="seconds after the last word in which the agent counts as busy"
    )
    busy_poll: float = Field(default=5, gt=0, description="seconds after which a busy agent is looked at again")
    retry: float = Field(
        default=5, gt=0, description="minutes to wait after a cycle that failed, doubled up to an hour"
    )


class Witness(_Section):
    """`memory.witness`: where it is noted how far the agent's memory had come, out of reach of whoever puts all of its
    files back. One of the three, or none."""

    folder: str | None = Field(
        default=None, min_length=1, description="folder that notes of how far the memory has come are added to"
    )
    git: str | None = Field(default=None, min_length=1, description="git repository that such notes are committed to")
    command: str | None = Field(
        default=None,
        min_length=1,
        description="command that is given such notes with `note NAME` and prints them with `read NAME`",
    )

    @field_validator("folder", "git")
    @classmethod
    def _is_whole(cls, folder: str | None) -> str | None:
        # From the folder where a command happens to be run, another one would be meant each time.
        if folder is not None and not (Path(folder).is_absolute() or folder.startswith("~")):
            raise ValueError("should be the whole path of a folder, or begin with ~")
        return folder

    @field_validator("command")
    @classmethod
    def _can_be_run(cls, command: str | None) -> str | None:
        if command is not None:
            try:
                words = shlex.split(command)
            except ValueError as fault:
                raise ValueError(f"should be a command as a shell reads it: {fault}") from None
            if not words:
                raise ValueError("should be a command")
        return command

    @field_validator("git", "command")
    @classmethod
    def _is_the_only_one(cls, value: str | None, info: ValidationInfo) -> str | None:
        before = [name for name, other in info.data.items() if other is not None]
        if value is not None and before:
            raise ValueError(f"should not be set besides memory.witness.{before[0]}: there is one witness, or none")
        return value


class Memory(_Section):
    """`memory`: of it, `dreaming`, `recall`, `cycle` and `witness` are graphdream's."""

    dreaming: Dreaming = Dreaming()
    recall: Recall = Recall()
    cycle: Cycle = Cycle()
    witness: Witness = Witness()


class Startup(_Section):
    """`identity.startup`: who the agent is when it dreams."""

    load: tuple[str, ...] = Field(
        default=("AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "MEMORY.md"),
        strict=False,
        description="identity files in the order they are read, inside the agent's folder; missing ones are skipped",
    )

    @field_validator("load")
    @classmethod
    def _stays_inside(cls, load: tuple[str, ...]) -> tuple[str, ...]:
        # These files go to a model, so none may lie outside the agent's folder, whichever platform reads the list.
        for name in load:
            for path in (PurePosixPath(name), PureWindowsPath(name)):
                if not path.parts or path.anchor or ".." in path.parts:
                    raise ValueError("should name files inside the agent's folder")
        return load


class Identity(_Section):
    """`identity`: of it, only `startup` is graphdream's."""

    startup: Startup = Startup()


class Settings(_Section):
    """Everything that can be configured; `Settings()` is the defaults. Immutable."""

    memory: Memory = Memory()
    identity: Identity = Identity()

    @property
    def dreaming(self) -> Dreaming:
        """Short for `memory.dreaming`."""
        return self.memory.dreaming

    @property
    def cycle(self) -> Cycle:
        """Short for `memory.cycle`."""
        return self.memory.cycle


def load_settings(
    path: Path | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    flags: Mapping[str, object] | None = None,
) -> Settings:
    """Read the settings: defaults, then the file, the environment and the flags, each over the one before.

    Args:
        path: the `agent.yaml` to read (`graphdream.paths.settings_path` finds it); None when there is none.
        environ: the environment, None for the process's own; `GRAPHDREAM_DREAMING__TOKEN_THRESHOLD=5000` sets
            `memory.dreaming.tokenThreshold`.
        flags: values of command-line options under dotted keys (`dreaming.model`); None values were not given.

    Raises:
        ConfigError: the file cannot be read, or a key or value of any layer is wrong. All faults of all layers are in
            it, also those that a later layer would have covered.
    """
    layers = [
        environment_layer(os.environ if environ is None else environ, Settings),
        flag_layer(flags or {}, Settings),
    ]
    if path is not None:
        layers.insert(0, file_layer(path, Settings, others=_SIGNET_KEYS))
    faults = [fault for layer in layers for fault in layer.all_faults(Settings)]
    if faults:
        raise ConfigError(faults)
    given: dict[KeyPath, Given] = {}
    for layer in layers:
        given |= layer.given
    merged = Layer(given)
    if faults := merged.all_faults(Settings):  # what goes together in no layer by itself
        raise ConfigError(faults)
    return Settings.model_validate(nested(merged.values()))
