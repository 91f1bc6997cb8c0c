"""The option `--by`: whether a person or an agent gives a command that tells or changes something."""

from __future__ import annotations

from argparse import ArgumentParser


def add_by(parser: ArgumentParser) -> None:
    """Add `--by`."""
    parser.add_argument(
        "--by", choices=("user", "agent"), default="user",
        help="who tells it: no pass takes away what the user told; an agent's word is an observation (default: user)",
    )  # fmt: skip
