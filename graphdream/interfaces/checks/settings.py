"""The settings, and whether what they ask for can be had."""

from __future__ import annotations

from collections.abc import Iterator

from graphdream.config import ConfigError, Settings, load_settings
from graphdream.errors import GraphdreamError
from graphdream.interfaces.checks.base import FAULT, OK, Finding, Scene
from graphdream.paths import data_home, settings_path


def look(scene: Scene) -> Iterator[Finding]:
    """The settings file, and the model that it names."""
    try:
        path = settings_path(scene.agent)
        settings = load_settings(path)
    except ConfigError as fault:
        for line in (str(fault), *getattr(fault, "faults", ())):
            yield Finding("settings", FAULT, line, "docs/configuration.md lists every setting")
        return
    except GraphdreamError as fault:
        yield Finding("settings", FAULT, str(fault), fault.hint)
        return
    yield Finding("home", OK, str(data_home()))
    yield Finding("settings", OK, str(path) if path else "defaults; there is no agent.yaml")
    yield from _model(settings)


def _model(settings: Settings) -> Iterator[Finding]:
    """Whether the key of the model that is to be asked is there. Without a model nothing is looked for: litellm takes
    seconds to load."""
    model = settings.dreaming.model
    if not model:
        return
    from graphdream.dreamers.client.loading import load_litellm

    told = load_litellm().validate_environment(model)
    missing = ", ".join(told.get("missing_keys", ()))
    if missing and not told.get("keys_in_environment"):
        yield Finding("model", FAULT, f"{model} is to be asked, and its key is not there", f"export {missing}=...")
    else:
        yield Finding("model", OK, model)
