"""`python -m graphdream`, and what the `graphdream` command starts."""

from graphdream.interfaces.cli import main

__all__ = ["main"]

if __name__ == "__main__":
    raise SystemExit(main())
