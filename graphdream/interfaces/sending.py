"""Spans and measures of a command go where the environment says (docs/telemetry.md)."""

from __future__ import annotations

import sys

from graphdream.observed import is_sent


def send_if_named() -> None:
    """Set OpenTelemetry up where `OTEL_EXPORTER_OTLP_ENDPOINT` names a collector; say so where it is not installed."""
    if not is_sent():
        return
    try:
        from graphdream.telemetry import send
    except ImportError:
        print("graphdream: telemetry is asked for, and not installed: pip install 'graphdream[otel]'", file=sys.stderr)
        return
    send()
