"""`graphdream completion SHELL`: the script by which a shell completes commands and options, made of their parsers."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from importlib import import_module

from graphdream.interfaces.output import print_json

_HOW = """\
bash, for this user:
  graphdream completion bash > ~/.local/share/bash-completion/completions/graphdream
zsh, where ~/.zfunc is in $fpath and compinit runs after it:
  graphdream completion zsh > ~/.zfunc/_graphdream
fish:
  graphdream completion fish > ~/.config/fish/completions/graphdream.fish
It is made new when graphdream is upgraded; a shell that is open reads it with `source`."""
_FILES = ("PATH", "FILE", "DATABASE")
_FOLDERS = ("FOLDER", "DIR")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the shell; the help tells where the script goes."""
    parser.add_argument("shell", choices=("bash", "zsh", "fish", "powershell"), help="which shell")
    parser.epilog = _HOW
    parser.formatter_class = RawDescriptionHelpFormatter


def run(args: Namespace) -> int:
    """Print the script."""
    import shtab

    script = shtab.complete(whole_parser(), shell=args.shell)
    if args.json:
        print_json({"shell": args.shell, "script": script})
    else:
        print(script)
    return 0


def whole_parser() -> ArgumentParser:
    """All commands as one parser; the program itself never makes it, since a hook would have to wait for it."""
    from graphdream.interfaces.cli import COMMANDS, add_common

    parser = ArgumentParser(prog="graphdream", description="An agent's long-term memory", allow_abbrev=False)
    commands = parser.add_subparsers(dest="command")
    for name, command in COMMANDS.items():
        one = commands.add_parser(name, help=command.line, description=command.line, allow_abbrev=False)
        one.set_defaults(command=name)
        import_module(f"graphdream.interfaces.cli.{command.module}").add_arguments(one)
        add_common(one)
        _complete_files(one)
    return parser


def _complete_files(parser: ArgumentParser) -> None:
    """Options that take a file or a folder are completed by what is there."""
    import shtab

    for action in parser._actions:
        named = str(action.metavar or action.dest).upper()
        if named in _FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif named in _FOLDERS:
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
