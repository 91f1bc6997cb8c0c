"""The local dreamer: no model, no network. The resolver says who is who, the rules say what is one fact."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from graphdream.collector import collector_paused
from graphdream.dreamers.base import Judged, Thought
from graphdream.dreamers.diary import told_in_diary
from graphdream.dreamers.folders import told_apart
from graphdream.dreamers.foresight import Foresight
from graphdream.dreamers.gathered import Gathered
from graphdream.dreamers.judged import JudgedFacts, subjects_of
from graphdream.dreamers.openpairs import open_entities, open_facts, still_open
from graphdream.dreamers.reading import read_sessions
from graphdream.dreamers.vetoes import Vetoes
from graphdream.entities import Record
from graphdream.entities.beside import Beside, Clusters, ResolveCall
from graphdream.facts import Fact, FactFindings, Open, ReadingMemory, Subject, consolidate, read_ahead
from graphdream.facts.cover import covers, telling_dates
from graphdream.graph.categories import FOLDER, GENERAL
from graphdream.mutations import model
from graphdream.mutations.applier import Proposal

DEFAULT_FALSE_MERGE_RATE = 0.005
# Who bears a name too may lie in another part, and is no evidence against a merge in this one. Of a generated graph of
# 126,000 facts in two parts, 1.1 % of the merged pairs were wrong at the budget of .5 %, and .4 % at two fifths of it.
PART_OF_RATE = 0.4
ROUNDS = 10  # what one round finds can show the next something; three or four are the rule


class LocalDreamer:
    """Cleans what is certain enough for a stated error budget.

    Args:
        max_false_merge_rate: share of merged pairs of entities that may be wrong, 0..1.
        alone: ask no second process, because others are at work beside this one; who is who is then asked about what is
            tidied already.
    """

    name = "local"
    rethinks = True

    def __init__(self, max_false_merge_rate: float = DEFAULT_FALSE_MERGE_RATE, *, alone: bool = False) -> None:
        self.max_false_merge_rate = max_false_merge_rate
        self.local = self
        self._alone = alone
        self._memory = ReadingMemory()
        self._people: dict[int, tuple[ResolveCall, Clusters]] = {}
        self._judgements: dict[int, tuple[_JudgeCall, FactFindings]] = {}
        self._thought: tuple[object, list[list[model.Mutation]]] | None = None  # of the last thinking: view, steps

    def read(self, gathered: Gathered) -> Thought:
        """What the unread sessions say, as facts of those they speak of."""
        mutations, left_open = read_sessions(gathered)
        return Thought([Proposal.of(mutation) for mutation in mutations], left_open=left_open)

    @collector_paused()
    def think(self, gathered: Gathered) -> Thought:
        """Look, and look again at what that would make of the graph, until there is nothing more to find.

        Who is who and what is one fact are asked of the same view at the same time, in two processes where there are
        two cores. Only the first look at who is who comes alone, because what is one fact hangs on it; meanwhile the
        facts are read.

        Asked again about the same graph, with a veto on something, it begins with what it found before: a few rows
        that stay are no reason to look at all the others anew. What that has changed, the looks that follow see.
        """
        view, vetoes, foresight, facts = gathered, Vetoes(gathered), Foresight(gathered), JudgedFacts(gathered)
        steps = list[list[model.Mutation]]()
        with Beside(0 if self._alone else len(gathered.entities)) as beside:
            people = _Asked(beside, self._people)
            people.ask(0, self._resolve_call(view))
            if beside.process is not None:
                read_ahead(facts.of(view), subjects_of(view), self._memory)
            first = last = people.answer()
            steps += [
                foresight.take(vetoes.allowed(step))
                for step in self._found_before(gathered) or [[*_merges(first.clusters, view)]]
            ]
            view = foresight.view()
            for look in range(1, ROUNDS + 1):
                if not self._alone:
                    people.ask(look, self._resolve_call(view))
                found = self._judged(look, _JudgeCall.of(view, facts))
                tidied = foresight.take(vetoes.allowed(_fact_mutations(found, view)))
                tidied += foresight.take(vetoes.allowed(_removals(found, view, foresight.has_facts)))
                if self._alone:
                    view = foresight.view()
                    if tidied and look > 1:  # nobody works on that answer meanwhile, so it waits until all is tidy
                        steps.append(tidied)
                        continue
                    people.ask(look, self._resolve_call(view))
                last = people.answer()
                merges = foresight.take(vetoes.allowed(_merges(last.clusters, foresight.view())))
                view = foresight.view()
                if not tidied and not merges:
                    break
                steps += [tidied, merges]
        self._thought = _graph_of(gathered), steps
        mutations = [mutation for step in steps for mutation in step]
        of_pages = told_in_diary(view, facts.of(view)).asked()
        return Thought(
            [Proposal.of(mutation) for mutation in mutations],
            _summary(mutations),
            declined=frozenset(vetoes.passed_on),
            judged=_judged(mutations),
            open=still_open(found.open, view),
            figures={
                **self._figures(first),
                **open_entities(last, view),
                **open_facts([*found.open, *of_pages], view),
            },
        )

    def open_facts(self, gathered: Gathered) -> Sequence[Open]:
        """The pairs of facts of a view that nobody could decide, the likeliest first."""
        return still_open(_JudgeCall.of(gathered, JudgedFacts(gathered)).answer(self._memory).open, gathered)

    def _judged(self, look: int, call: _JudgeCall) -> FactFindings:
        """What is found about some facts; a question that was put at the same look before is answered so."""
        known = self._judgements.get(look)
        if known is None or known[0] != call:
            known = self._judgements[look] = call, call.answer(self._memory)
        return known[1]

    def _found_before(self, gathered: Gathered) -> Sequence[Sequence[model.Mutation]]:
        """What the thinking before found about the same graph, step by step."""
        if self._thought is None or self._thought[0] != _graph_of(gathered):
            return []
        return self._thought[1]

    def _resolve_call(self, view: Gathered) -> ResolveCall:
        changed = None
        if view.mode != "compact":
            changed = frozenset(str(entity.id) for entity in view.entities if entity.changed)
        return ResolveCall(
            tuple(records_of(view)),
            max_false_merge_rate=self.max_false_merge_rate * (PART_OF_RATE if view.partial else 1),
            distinct=tuple((str(low), str(high)) for low, high in sorted(view.distinct)),
            changed=changed,
        )

    def _figures(self, found: Clusters) -> dict[str, float | int]:
        return {
            "max_false_merge_rate": self.max_false_merge_rate,
            "candidate_pairs": found.compared,
            "undecided_pairs": found.undecided,
        }


class ReadingDreamer(LocalDreamer):
    """Makes facts of what sessions say, and leaves everything else as it is: for where dreaming is switched off."""

    rethinks = False
    thinks = False

    def think(self, gathered: Gathered) -> Thought:
        """Nothing."""
        return Thought(())


class _Asked:
    """Questions about who is who; one that was put at the same look before is answered by what is `known`."""

    def __init__(self, beside: Beside, known: dict[int, tuple[ResolveCall, Clusters]]) -> None:
        self._beside, self._known = beside, known
        self._look, self._call = 0, ResolveCall((), 0.0)

    def ask(self, look: int, call: ResolveCall) -> None:
        self._look, self._call = look, call
        if not self._is_known():
            self._beside.ask(call)

    def answer(self) -> Clusters:
        if not self._is_known():
            self._known[self._look] = self._call, self._beside.answer()
        return self._known[self._look][1]

    def _is_known(self) -> bool:
        return self._look in self._known and self._known[self._look][0] == self._call


def _graph_of(view: Gathered) -> tuple[object, ...]:
    """All of a view that thinking rests on, besides what is vetoed."""
    return (view.entities, view.facts, view.past, view.links, view.aspects, view.distinct, view.contradictions)


def records_of(gathered: Gathered) -> list[Record]:
    """The entities of a view as the resolver sees them; ids are the entities' own, as text.

    The folder of what is filed nowhere is nobody: what it says of somebody makes it no second one of them.
    """
    said: dict[int, list[str]] = defaultdict(list)
    for fact in gathered.facts:
        said[fact.entity_id].append(fact.content)
    names = {entity.id: entity.name for entity in gathered.entities}
    return [
        Record(
            id=str(entity.id),
            name=entity.name,
            type=entity.type,
            attributes=tuple(said[entity.id]),
            neighbors=tuple(names[other] for other in entity.neighbors if other in names),
            aliases=entity.aliases,
            pinned=entity.pinned,
        )
        for entity in gathered.entities
        if (entity.type, entity.name) != (FOLDER, GENERAL)
    ]


def _merges(clusters: Mapping[str, str], view: Gathered) -> Iterable[model.Mutation]:
    """The clusters as merges of what the view still holds; a cluster that lost its head waits for the next look."""
    there = {entity.id for entity in view.entities}
    groups: dict[int, list[int]] = defaultdict(list)
    for member, head in clusters.items():
        if member != head and {int(member), int(head)} <= there:
            groups[int(head)].append(int(member))
    for target, members in sorted(groups.items()):
        yield model.MergeEntities(
            source=tuple(f"e{number}" for number in sorted(members)), target=f"e{target}", reason="same entity"
        )


@dataclass(frozen=True, slots=True)
class _JudgeCall:
    """What is asked about the facts of entities that are merged by now: arguments of `consolidate`."""

    facts: list[Fact]
    subjects: list[Subject]
    summaries: Sequence[str]

    @classmethod
    def of(cls, view: Gathered, facts: JudgedFacts) -> _JudgeCall:
        """Of the graph as it will be."""
        return cls(facts.of(view), subjects_of(view), view.summaries)

    def answer(self, memory: ReadingMemory) -> FactFindings:
        """What is found. `memory`: how the facts were read in the look before."""
        return consolidate(self.facts, self.subjects, corpus=self.summaries, most_rounds=1, memory=memory)


def _fact_mutations(findings: FactFindings, view: Gathered) -> Iterable[model.Mutation]:
    said = {fact.id: fact for fact in view.facts}
    names = {entity.id: (entity.name, *entity.aliases) for entity in view.entities}
    are_apart = told_apart(view)
    for loser, survivor, how in sorted(findings.duplicates):
        if are_apart(loser, survivor):
            continue
        if covers(said[survivor].content, said[loser].content, names[said[survivor].entity_id]):
            if said[loser].entity_id != said[survivor].entity_id:
                if said[loser].successor:
                    continue  # what it has replaced stays with its own entity, and nothing there would stand for it
                yield model.MoveAttribute(
                    attribute=f"a{loser}",
                    entity=f"e{said[survivor].entity_id}",
                    aspect=said[survivor].aspect,
                    reason=f"copy under another name: {how}",
                )
            yield model.MergeAttributes(
                source=(f"a{loser}",),
                target=f"a{survivor}",
                reason=f"duplicate: {how}",
                apart=telling_dates(said[loser].content, said[survivor].content),
            )
    for old, new, slot, why in sorted(findings.superseded):
        if not are_apart(old, new):
            yield model.SupersedeAttribute(old=f"a{old}", new=f"a{new}", slot=slot, reason=f"superseded: {why}")
    for first, second, slot in sorted(findings.contradictions):
        if (min(first, second), max(first, second)) not in view.contradictions and not are_apart(first, second):
            yield model.FlagContradiction(first=f"a{first}", second=f"a{second}", slot=slot)
    for junk, why in sorted(findings.junk):
        if said[junk].successor:
            continue  # nothing would stand for what it has replaced
        yield model.DeleteAttribute(content=f"a{junk}", reason=f"junk: {why}")


def _judged(mutations: Iterable[model.Mutation]) -> Judged:
    """What mutations take away that were found by the calibrated scores."""
    empty, replaced = set[int](), set[int]()
    for one in mutations:
        if isinstance(one, model.DeleteAttribute):
            empty.add(_number(one.content))
        elif isinstance(one, model.SupersedeAttribute):
            replaced.add(_number(one.old))
    return Judged(frozenset(empty), frozenset(replaced))


def _number(handle: str) -> int:
    return int(handle[1:])


def _removals(findings: FactFindings, view: Gathered, has_facts: Callable[[int], bool]) -> Iterable[model.Mutation]:
    """What has nothing to hold any more.

    An entity of which a fact was to go and stayed (it has replaced another, or its going is vetoed) stays with it:
    nothing would stand for that fact.
    """
    empty = [(entity, why) for entity, why in sorted(findings.junk_subjects) if not has_facts(entity)]
    gone = {entity for entity, _ in empty}
    for entity, why in empty:
        yield model.DeleteEntity(name=f"e{entity}", reason=f"junk: {why}")
    for link in view.links:
        if link.source_id in gone or link.target_id in gone:
            continue
        if link.target_id is None:
            yield model.Unlink(link=f"l{link.id}", reason="dangling")
        elif link.source_id == link.target_id:
            yield model.Unlink(link=f"l{link.id}", reason="self-loop")
    for aspect in view.aspects:
        if not aspect.facts and aspect.entity_id not in gone:
            yield model.DeleteAspect(entity=f"e{aspect.entity_id}", aspect=aspect.name, reason="empty")


def _summary(mutations: Sequence[model.Mutation]) -> str:
    counts = Counter(mutation.op for mutation in mutations)
    return (
        "proposed " + ", ".join(f"{number} {op}" for op, number in sorted(counts.items()))
        if counts
        else "nothing to do"
    )
