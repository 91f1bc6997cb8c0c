"""The options that say when a fact holds in the world, and when to look at it again."""

from __future__ import annotations

from argparse import ArgumentParser

TIMES = {
    "valid_from": "since when it holds: 2026, 2026-03, 2026-03-01 or a time",
    "valid_to": "until when it holds",
    "occurred_at": "when it happened",
    "review_after": "when to look whether it still holds",
}


def add_times(parser: ArgumentParser) -> None:
    """Add `--valid-from`, `--valid-to`, `--occurred-at`, `--review-after`."""
    for name, says in TIMES.items():
        parser.add_argument(f"--{name.replace('_', '-')}", default="", metavar="TIME", help=says)
