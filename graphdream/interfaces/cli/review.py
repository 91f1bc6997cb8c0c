"""`graphdream plan review`: a plan is read and decided cluster by cluster, and what was decided is done at the end."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graphdream.dream.plan_clusters import Cluster, Line, clusters_of
from graphdream.errors import GraphdreamError
from graphdream.interfaces.output import plural, shortened, table
from graphdream.interfaces.terminal import strong
from graphdream.shown import printable

if TYPE_CHECKING:
    from graphdream import Graph

_LINES = 12  # of a cluster that are shown before somebody asks for all
_MEMBERS = 24
_FACTS = 3  # of a member
_ROOM = 44  # columns for each of them

_HELP = """\
  y  do it            n  do not            l  later: it stays open
  a  do it, and the rest of this kind      x  do none of the rest of this kind
  o  decide one by one                     w  why: the evidence, or every line with its reason
  q  stop; what is decided is done, the rest stays open (the end of the input means the same)
  Ctrl-C stops and does nothing at all"""


@dataclass(slots=True)
class Decided:
    """Positions that a person approved and rejected."""

    approved: list[int] = field(default_factory=list)
    rejected: list[int] = field(default_factory=list)


def review(graph: Graph, plan_id: int) -> Decided:
    """Ask a person about each cluster of a plan that is open. Nothing is done yet.

    Raises:
        NotFoundError: there is no such plan.
    """
    walk = _Walk(graph, [one for one in clusters_of(graph.store, plan_id, graph.plan(plan_id)) if one.open])
    walk.go()
    return walk.decided


class _Stop(Exception):
    """Somebody wants no further question."""


class _Walk:
    def __init__(self, graph: Graph, clusters: Sequence[Cluster]) -> None:
        self._graph, self._clusters = graph, clusters
        self._of_kind: dict[str, str] = {}  # the answer for the rest of a kind
        self.decided = Decided()

    def go(self) -> None:
        counts = [f"{sum(one.open for one in of):,} {kind}" for kind, of in _by_kind(self._clusters)]
        print(f"{plural(len(self._clusters), 'cluster')} to decide: {'; '.join(counts)}")
        print("y does it, n does not, l leaves it for later, ? tells the rest")
        try:
            for at, cluster in enumerate(self._clusters, 1):
                self._ask(cluster, f"{at} of {len(self._clusters)}")
        except _Stop:
            pass

    def _ask(self, cluster: Cluster, place: str) -> None:
        answer = self._of_kind.get(cluster.op)
        if answer is None:
            print(f"\n{place} · {strong(printable(f'{cluster.kind}: {cluster.title}'))}")
            print(self._told(cluster, _LINES), end="")
        while answer is None:
            word = _answer("do it? [y/n/l/a/x/o/w/q/?] ")
            if word in ("y", "n", "l"):
                answer = word
            elif word in ("a", "x"):
                answer = self._of_kind[cluster.op] = "y" if word == "a" else "n"
            elif word == "o":
                self._one_by_one(cluster)
                return
            elif word == "w":
                print(self._why(cluster), end="")
            else:
                print(_HELP)
        self._decide(answer, _still_open(cluster))

    def _one_by_one(self, cluster: Cluster) -> None:
        lines = {line.position: line for line in cluster.lines}
        for position in _still_open(cluster):
            line = lines.get(position)
            print(printable(_words(line)) if line else f"  #{position}")
            while (word := _answer("do it? [y/n/l/q] ")) not in ("y", "n", "l"):
                print("  y does it, n does not, l leaves it for later, q stops")
            self._decide(word, [position])

    def _decide(self, answer: str, positions: Sequence[int]) -> None:
        if answer == "y":
            self.decided.approved += positions
        elif answer == "n":
            self.decided.rejected += positions

    def _told(self, cluster: Cluster, most: int) -> str:
        """A cluster in lines: the entities of a merge side by side, else what would become of each thing."""
        if cluster.op == "merge_entities":
            return self._members(cluster)
        still = [line for line in cluster.lines if line.verdict == "open"]
        told = "".join(printable(_words(line)) + "\n" for line in still[:most])
        left = cluster.open - min(most, len(still))
        return told + (f"  ... and {left:,} more; w shows them\n" if left > 0 else "")

    def _members(self, cluster: Cluster) -> str:
        handles = _entities(cluster)
        stays = _target(cluster)
        rows = []
        for handle in handles[:_MEMBERS]:
            page = self._graph.entity(handle)
            facts = [fact.content for of in page.facts.values() for fact in of]
            more = f" (+{len(facts) - _FACTS:,})" if len(facts) > _FACTS else ""
            head = page.entity
            known = "; ".join(shortened(fact, _ROOM) for fact in facts[:_FACTS]) + more
            rows.append((
                handle, head.name, head.type, (head.first_seen or "")[:10], (head.last_seen or "")[:10], head.mentions,
                ", ".join(page.aliases[:_FACTS]), known, "stays" if handle == stays else "",
            ))  # fmt: skip
        headings = ("", "name", "type", "first seen", "last seen", "mentions", "also called", "facts", "")
        left = f"  ... and {len(handles) - _MEMBERS:,} more\n" if len(handles) > _MEMBERS else ""
        return table(rows, headings) + left

    def _why(self, cluster: Cluster) -> str:
        if cluster.op != "merge_entities":
            return self._told(cluster, len(cluster.lines))
        stays = _target(cluster)
        told = []
        for handle in _entities(cluster)[:_MEMBERS]:
            if handle != stays:
                try:
                    told += [f"{handle} and {stays}:", *self._graph.explain(stays, handle).lines()]
                except GraphdreamError as error:  # one of them is gone since the plan was made
                    told.append(f"{handle} and {stays}: {error}")
        reasons = dict.fromkeys(line.reason for line in cluster.lines if line.reason)
        return "".join(f"  {printable(line)}\n" for line in (*reasons, *told))


def _by_kind(clusters: Sequence[Cluster]) -> Iterator[tuple[str, list[Cluster]]]:
    kinds: dict[str, list[Cluster]] = {}
    for one in clusters:
        kinds.setdefault(one.kind, []).append(one)
    yield from kinds.items()


def _still_open(cluster: Cluster) -> list[int]:
    decided = {line.position for line in cluster.lines if line.verdict != "open"}
    return [at for at in cluster.positions if at not in decided]


def _entities(cluster: Cluster) -> list[str]:
    return list(dict.fromkeys(one for line in cluster.lines for one in line.handles if one.startswith("e")))


def _target(cluster: Cluster) -> str:
    handles = cluster.lines[0].handles
    return handles[-1] if handles else ""


def _words(line: Line) -> str:
    """`  - was: what there is` or, where something takes its place, `  was → what would be`, with the reason."""
    before = " + ".join(line.before)
    told = f"  {before} → {line.after}" if line.after else f"  {before}"
    moved = f"  [{plural(len(line.moved), 'row')} of it changed since: it will not be done]" if line.moved else ""
    return told + (f"  ({line.reason})" if line.reason else "") + moved


def _answer(question: str) -> str:
    print(question, end="", flush=True)
    line = sys.stdin.readline()
    if not sys.stdin.isatty():
        print(line.strip())  # what a terminal would have echoed
    word = line.strip().casefold()[:1]
    if not line or word == "q":
        raise _Stop
    return word
