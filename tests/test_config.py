"""agent.yaml, the environment and flags: what they set, and how what is wrong in them is told."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from graphdream.config import ConfigError, Cycle, Dreaming, Settings, load_settings

pytestmark = pytest.mark.wheel


@pytest.fixture
def write(tmp_path):
    def _write(text: str):
        path = tmp_path / "agent.yaml"
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return path

    return _write


def faults(path=None, *, environ=None, flags=None) -> list[str]:
    with pytest.raises(ConfigError) as refused:
        load_settings(path, environ=environ or {}, flags=flags)
    assert refused.value.exit_code == 2
    assert "docs/configuration.md" in refused.value.hint
    return [fault.replace(f"{path}:", "agent.yaml:") for fault in refused.value.faults]


def test_defaults_are_the_specification_s():
    dreaming = load_settings(environ={}).dreaming
    assert dreaming.enabled and dreaming.backfill_on_first_run and dreaming.model is None
    assert (dreaming.token_threshold, dreaming.max_input_tokens, dreaming.max_output_tokens) == (
        100_000,
        128_000,
        16_000,
    )
    assert dreaming.max_interval == 6 and dreaming.timeout == 20 * 60 * 1000


@pytest.mark.parametrize("key", ["tokenThreshold", "token_threshold"])
def test_both_spellings_of_a_key_are_read(write, key):
    path = write(f"""
        memory:
          dreaming:
            {key}: 5
    """)
    assert load_settings(path, environ={}).dreaming.token_threshold == 5


def test_flags_go_over_the_environment_over_the_file_over_defaults(write):
    path = write("""
        memory:
          dreaming: {tokenThreshold: 1, maxInputTokens: 1001, maxInterval: 1.5}
    """)
    environ = {"GRAPHDREAM_DREAMING__TOKEN_THRESHOLD": "2", "GRAPHDREAM_MEMORY__DREAMING__MAX_INPUT_TOKENS": "1002"}
    dreaming = load_settings(
        path, environ=environ, flags={"dreaming.token_threshold": 3, "dreaming.model": None}
    ).dreaming
    assert (dreaming.token_threshold, dreaming.max_input_tokens, dreaming.max_interval) == (3, 1002, 1.5)
    assert dreaming.max_output_tokens == 16_000


def test_lists_in_the_environment_are_yaml():
    environ = {"GRAPHDREAM_IDENTITY__STARTUP__LOAD": "[SOUL.md, AGENTS.md]"}
    assert load_settings(environ=environ).identity.startup.load == ("SOUL.md", "AGENTS.md")


def test_variables_that_are_no_settings_and_empty_ones_are_left_alone():
    environ = {"GRAPHDREAM_HOME": "/x", "GRAPHDREAM_DREAMING__TIMEOUT": "", "OTHER__KEY": "1"}
    assert load_settings(environ=environ) == Settings()


def test_a_signet_file_is_read_for_what_is_ours(write):
    path = write("""
        version: 1
        schema: signet/v1
        agent: {name: Ada}
        harnesses: [claude-code]
        memory:
          database: memory/memories.db
          pipelineV2: {enabled: false}
          dreaming:
            enabled: true
            tokenThreshold: 100000
            maxInputTokens: 128000
            timeout: 300000
            backfillOnFirstRun: true
        identity:
          startup:
            load: [AGENTS.md]
    """)
    loaded = load_settings(path, environ={})
    assert loaded.dreaming.timeout == 300_000
    assert loaded.identity.startup.load == ("AGENTS.md",)


@pytest.mark.parametrize("text", ["", "# nothing\n", "memory:\n", "memory:\n  dreaming:\n", "---\n", "\ufeffmemory:\n"])
def test_what_is_empty_is_the_defaults(write, text):
    assert load_settings(write(text), environ={}) == Settings()


def test_every_fault_of_every_layer_is_told_at_once_with_its_line(write):
    path = write("""\
        memory:
          dreaming:
            tokenTreshold: 5
            maxInputTokens: many
            max_input_tokens: 2000
            timeout: 1200
          dremaing: {}
        embeding: {}
        identity: AGENTS.md
    """)
    found = faults(path, environ={"GRAPHDREAM_DREAMING__ENABLE": "true"}, flags={"dreaming.loss_cap": 2.0})
    assert [fault.split(" ")[0] for fault in found] == [
        *(f"agent.yaml:{line}:" for line in (3, 4, 5, 6, 7, 8, 9)),
        "$GRAPHDREAM_DREAMING__ENABLE:",
        "flag:",
    ]
    unknown, wrong, twice, seconds, section, foreign, scalar, variable, flag = found
    assert "did you mean tokenThreshold?" in unknown
    assert "should be a valid integer, found 'many' (tokens of context" in wrong
    assert "max_input_tokens is set twice, first at" in twice and ":4" in twice
    assert "greater than or equal to 5000, found 1200 (milliseconds" in seconds
    assert "did you mean dreaming?" in section
    assert "expected one of memory, identity" in foreign
    assert "identity should be a section that holds startup" in scalar
    assert "did you mean ENABLED?" in variable
    assert "dreaming.loss_cap should be less than or equal to 1, found 2.0" in flag


def test_a_fault_that_a_later_layer_covers_is_still_told(write):
    path = write("memory: {dreaming: {tokenThreshold: 0}}")
    assert len(faults(path, environ={"GRAPHDREAM_DREAMING__TOKEN_THRESHOLD": "5"})) == 1


@pytest.mark.parametrize(
    "value", ["true", "'5'", "5.5", ".inf", "[5]", "{a: 5}", "null", "2025-02-31", "!!python/name:os.system", "-1"]
)
def test_a_value_of_another_kind_is_refused_not_converted(write, value):
    (fault,) = faults(write(f"memory:\n  dreaming:\n    tokenThreshold: {value}\n"))
    assert fault.startswith("agent.yaml:3: memory.dreaming.tokenThreshold ")


NUMBERS = [
    (section, name)
    for section, model in (("dreaming", Dreaming), ("cycle", Cycle))
    for name, info in model.model_fields.items()
    if info.annotation in (int, float, int | None)
]


@pytest.mark.parametrize(("section", "name"), NUMBERS)
def test_no_number_is_larger_than_can_be_reckoned_with(write, section, name):
    for value in ("99999999999999999999", "-99999999999999999999"):
        (fault,) = faults(write(f"memory: {{{section}: {{{name}: {value}}}}}"))
        assert fault.startswith(f"agent.yaml:1: memory.{section}.{name} should ")


def test_a_key_is_refused_as_a_model_and_not_repeated(write):
    (fault,) = faults(write("memory:\n  dreaming:\n    model: sk-very-secret\n"))
    assert "environment variable" in fault and "secret" not in fault
    (fault,) = faults(write("memory:\n  dreaming:\n    apiKey: sk-very-secret\n"))
    assert "is not a setting" in fault and "secret" not in fault


@pytest.mark.parametrize("name", ["../x.md", "/etc/passwd", "a/../../x", "C:\\x.md", "..\\x.md", "\\\\host\\x", ""])
def test_identity_files_stay_inside_the_agent_s_folder(name):
    (fault,) = faults(environ={"GRAPHDREAM_IDENTITY__STARTUP__LOAD": f"['{name}']"})
    assert "inside the agent's folder" in fault


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"memory: [", "should be YAML"),
        (b"memory:\n\t- x", "should be YAML"),
        (b"a: 1\n---\nb: 2\n", "should be YAML"),
        (b"- memory\n", "the file should be a section"),
        (b"just words\n", "the file should be a section"),
        (b"memory: \xff\n", "should be UTF-8"),
        (b"memory: \x00\n", "should be YAML"),
        (b"[" * 5_000, "nested too deep"),
        (b"? [a]\n: 1\n", "(sequence) is not a setting"),
        (b"<<: {memory: 1}\n", "<< is not a setting"),
        (b"memory: *nowhere\n", "should be YAML"),
    ],
)
def test_a_file_that_is_no_configuration_is_one_plain_fault(tmp_path, raw, words):
    path = tmp_path / "agent.yaml"
    path.write_bytes(raw)
    (fault,) = faults(path)
    assert words in fault


def test_a_file_that_cannot_be_read_is_a_fault(tmp_path):
    (fault,) = faults(tmp_path / "missing.yaml")
    assert "cannot be read" in fault
    (fault,) = faults(tmp_path)
    assert "cannot be read" in fault


def test_aliases_that_multiply_cost_nothing(write):
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    bomb += "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 30))
    found = faults(write(bomb + "memory: {dreaming: {tokenThreshold: *a29}}\nidentity: {startup: {load: *a29}}\n"))
    assert len(found) == 30 + 2 and all(len(fault) < 1_000 for fault in found)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60) | st.text("memorydaing:[]{}&*!?|>-#'\"\n \t,.1", max_size=80).map(str.encode))
def test_any_bytes_are_settings_or_faults(tmp_path, raw):
    path = tmp_path / "agent.yaml"
    path.write_bytes(raw)
    try:
        load_settings(path, environ={})
    except ConfigError as refused:
        assert refused.faults


def test_settings_do_not_change():
    with pytest.raises(ValidationError):
        Settings().dreaming.token_threshold = 1


# ---------------------------------------------------------------------- the witness, of which there is one


@pytest.mark.parametrize("name", ["GRAPHDREAM_WITNESS__FOLDER", "GRAPHDREAM_MEMORY__WITNESS__FOLDER"])
def test_a_witness_is_named_in_any_layer(write, name):
    path = write("""
        memory:
          witness: {folder: ~/second disk}
    """)
    assert load_settings(path, environ={}).memory.witness.folder == "~/second disk"
    assert load_settings(path, environ={name: "/mnt/disk"}).memory.witness.folder == "/mnt/disk"
    flags = {"witness.command": "vault --quiet", "witness.folder": None}
    assert load_settings(environ={}, flags=flags).memory.witness.command == "vault --quiet"
    assert load_settings(environ={}).memory.witness.command is None


def test_two_witnesses_in_one_layer_are_told_at_the_second(write):
    path = write("""
        memory:
          witness:
            command: vault
            folder: /mnt/disk
    """)
    words = "memory.witness.command should not be set besides memory.witness.folder: there is one witness, or none"
    assert faults(path) == [f"agent.yaml:4: {words}"]


def test_two_witnesses_in_two_layers_are_told_too_and_null_takes_one_back(write):
    path = write("""
        memory:
          witness: {folder: /mnt/disk}
    """)
    environ = {"GRAPHDREAM_WITNESS__GIT": "/srv/notes"}
    words = "memory.witness.git should not be set besides memory.witness.folder: there is one witness, or none"
    assert faults(path, environ=environ) == [f"$GRAPHDREAM_WITNESS__GIT: {words}"]
    named = load_settings(path, environ=environ | {"GRAPHDREAM_WITNESS__FOLDER": "null"}).memory.witness
    assert (named.folder, named.git) == (None, "/srv/notes")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("folder: notes", "memory.witness.folder should be the whole path of a folder, or begin with ~"),
        ("git: ../notes", "memory.witness.git should be the whole path of a folder, or begin with ~"),
        ('command: "say \'hm"', "memory.witness.command should be a command as a shell reads it: No closing quotation"),
        ("command: ' '", "memory.witness.command should be a command"),
        ("place: /mnt", "memory.witness.place is not a setting; expected one of folder, git, command"),
    ],
)
def test_a_witness_that_cannot_be_meant_is_told(write, value, words):
    assert faults(write(f"memory:\n  witness:\n    {value}\n")) == [f"agent.yaml:3: {words}"]
