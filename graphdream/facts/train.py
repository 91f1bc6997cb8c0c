"""Make the shipped calibration of facts from labelled memories.

    bloat.py --entities 1k --vocab VOCABULARY --profile PROFILE --seed SEED --out graphs/NAME
    history.py GITDIR histories/NAME.jsonl.gz histories/NAME.gold.json --limit 3000
    tools/both_hold.py fixtures/both_hold/PACK.toml beside/NAME.jsonl.gz --seed SEED
    tools/told_history.py histories/NAME.jsonl.gz beside/told_NAME.jsonl.gz
    python -m graphdream.facts.train --graphs graphs/*.jsonl.gz --histories histories/*.jsonl.gz \\
        --besides beside/*.jsonl.gz --openings fixtures/questions.txt --out FOLDER

First it is learned which sentences have one answer at a time (oneanswer.py); what a memory is measured with was learned
from other vocabularies.

Questions about two statements have a scorer for what is told in sessions, trained on the graphs, and one for lines of
files, trained on the histories. In the graphs the subject of a sentence is nearly always its entity, and nothing is
narrowed to a day or a place: what of such things holds beside what, word packs and told histories teach. What replaced
what among things that were told (changes.py) is learned from the answers of scorers that had not seen the family: once
of the graphs, and once of these others, too, with what own words tell (secondopinion.py). Only these see memories of a
few tellings, with which everybody begins.

Scorers are trained on all sets of their kind; what their scores are worth is read off scorers that had not seen the
set's family: the repository of a history, the whole vocabulary of a generated graph, a word pack. Nothing of a text is
kept; the artefact is numbers.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphdream.facts import changes, emptiness, ownweights, secondopinion, signals
from graphdream.facts.answers import Sentences, learn_one_answer, read_openings
from graphdream.facts.calibration import ASKED_BY_KIND, Calibration, Judge, PairJudge, SecondOpinion
from graphdream.facts.cuts import Cuts
from graphdream.facts.groups import group
from graphdream.facts.labelled import OF_FEW, read_labelled, read_sentences
from graphdream.facts.labelledgraphs import OF_A_HISTORY, OF_A_PACK
from graphdream.facts.labelledsets import Asked, LabelledFacts, LabelledMemory
from graphdream.facts.learnedwords import PairsOfWords, learn_own_words
from graphdream.facts.odds import odds_of
from graphdream.facts.ownweights import OwnWeights, unknown_words
from graphdream.facts.ownwords import words_of_its_own
from graphdream.facts.says import find_says
from graphdream.facts.wordweights import WordWeights
from graphdream.scoring.boosting import Boosting, fit_trees
from graphdream.scoring.curve import Curve, isotonic, rising
from graphdream.scoring.trees import Floats, Trees

SETTINGS = Boosting(rounds=240, depth=5)
FOLDS = 2
"""Parts that repositories are left out in."""
VOCABULARY_FOLDS = 4
"""Parts that vocabularies are left out in."""
MOST_FALSE = {"same": 3000, "replaces": 1200, "changes": 1200, "second": 1200, "empty": 1200}
"""Rows with the answer no that are drawn from one set, at most, those of like texts four times as often. Those that
mislead a scorer most are few among all."""
_LIKE, _OFTENER = 0.5, 4.0
_OF_PARTS = 0.35
_SETTINGS_OF = {"changes": Boosting(rounds=150, depth=4), "second": Boosting(rounds=200, depth=5)}
_NAMES = {
    "same": signals.SIGNALS, "replaces": signals.SIGNALS, "changes": changes.SIGNALS, "empty": emptiness.SIGNALS,
    "second": secondopinion.SIGNALS,
}  # fmt: skip
_DIRECTION = {
    "same": {"cover_a": 1, "ratio": 1, "marks_differ": -1, "beside_differs": -1, "one_value": -1},
    "replaces": {"one_occasion": -1, "after": 1, "siblings_together": -1, "apart": 1, "alike_together_a": -1},
    "changes": {"best": 1, "gap_told": 1},
    "second": {"best": 1, "gap_told": 1},
    "empty": {"cut_begin": 1, "cut_end": 1, "piece": 1, "name_piece": 1, "faulty": 1},
}
"""What is known of a signal before anything is seen: +1 speaks for yes, -1 against."""
_OF_VALUES = ("kind_meets", "kind_lacks_a", "kind_lacks_b", "form_meets", "company")
_UNSEEN = {"same": ("written", *_OF_VALUES), "replaces": ("written",), "changes": ("written",), "second": ("written",)}
"""Signals that a scorer is not shown. It is to go by what is said, not by where its examples come from; and what kinds
of values differ made the scorer of what says the same find less in vocabularies left out."""
REPORTED = (0.5, 0.8, 0.9, 0.95, 0.97, 0.98, 0.99, 0.995)


def _drawn(asked: Asked, most: int) -> NDArray[np.int64]:
    known = np.flatnonzero(~np.isnan(asked.truth))
    no = known[asked.truth[known] == 0]
    if len(no) <= most:
        return known
    odds = np.where(asked.table[no, 0] > _LIKE, _OFTENER, 1.0)
    kept = np.random.default_rng(len(no)).choice(no, most, replace=False, p=odds / odds.sum())
    return np.sort(np.concatenate([known[asked.truth[known] == 1], kept]))


def _share(one: LabelledFacts) -> float:
    """Of the small memories made of one, all together weigh about as much as the whole."""
    return _OF_PARTS if "/" in one.name else 1.0


def _fit(sets: Sequence[LabelledFacts], question: str) -> Trees:
    rows = [_drawn(one.asked[question], MOST_FALSE[question]) for one in sets]
    table = np.concatenate([one.asked[question].table[r] for one, r in zip(sets, rows, strict=True)])
    for name in _UNSEEN.get(question, ()):
        table[:, _NAMES[question].index(name)] = np.nan
    truth = np.concatenate([one.asked[question].truth[r] for one, r in zip(sets, rows, strict=True)])
    weight = np.concatenate(
        [np.full(len(r), _share(one) * max(1, len(r)) ** -0.5) for one, r in zip(sets, rows, strict=True)]
    )
    direction = [_DIRECTION[question].get(name, 0) for name in _NAMES[question]]
    return fit_trees(
        table, truth > 0.5, weight / weight.mean(), _NAMES[question], direction, _SETTINGS_OF.get(question, SETTINGS)
    )


def _parts(sets: Sequence[LabelledFacts]) -> list[set[str]]:
    """Families that are left out together."""
    real = sorted({one.family for one in sets if not one.generated})
    made = sorted({one.family for one in sets if one.generated})
    return [
        set(families[at::folds])
        for families, folds in ((real, FOLDS), (made, VOCABULARY_FOLDS))
        for at in range(min(folds, len(families)))
    ]


def _left_out(sets: Sequence[LabelledFacts], question: str) -> list[tuple[set[str], Trees]]:
    """Families that are left out together, and the scorer that never saw them."""
    return [(part, _fit([one for one in sets if one.family not in part], question)) for part in _parts(sets)]


def _scores(
    sets: Sequence[LabelledFacts], unseen: Sequence[tuple[set[str], Trees]], question: str
) -> dict[str, Floats]:
    """Log-odds of each set's rows by the scorer that never saw its family."""
    return {
        one.name: trees.log_odds(one.asked[question].table, _NAMES[question])
        for part, trees in unseen
        for one in sets
        if one.family in part
    }


def _calibrated(sets: Sequence[LabelledFacts], scores: dict[str, Floats], question: str) -> Curve:
    known = {one.name: ~np.isnan(one.asked[question].truth) for one in sets}
    blocks = isotonic(
        np.concatenate([scores[one.name][known[one.name]] for one in sets]),
        np.concatenate([one.asked[question].truth[known[one.name]] for one in sets]),
        np.concatenate([np.full(n, max(1, n) ** -0.5) for n in (int(known[one.name].sum()) for one in sets)]),
    )
    return Curve(tuple(b.mean for b in blocks), rising([b.share for b in blocks]))


def _measured(sets: Sequence[LabelledFacts], scores: dict[str, Floats], curve: Curve, question: str) -> dict[str, Any]:
    """By kind of set and family of graphs: at each probability, how many rows, how many wrong, share of the true."""
    out: dict[str, Any] = {}
    kinds = [_kind(one) for one in sets]
    for kind in sorted(set(kinds)):
        mine = [one for one, found in zip(sets, kinds, strict=True) if found == kind]
        truth = np.concatenate([one.asked[question].truth for one in mine])
        worth = np.concatenate([curve.at(scores[one.name]) for one in mine])
        figures = {}
        for cut in REPORTED:
            above = worth >= cut
            yes, no = int((above & (truth == 1)).sum()), int((above & (truth == 0)).sum())
            share = yes / max(1, int((truth == 1).sum()))
            figures[str(cut)] = {"rows": yes + no, "wrong": no, "found": round(share, 4)}
        out[kind] = figures
    return out


def _kind(one: LabelledFacts) -> str:
    """What figures are given for: a vocabulary, a word pack, or all histories."""
    if not one.generated:
        return "histories"
    return "told histories" if one.family.startswith(OF_A_HISTORY) else one.family


@dataclass(frozen=True, slots=True)
class _Trained:
    """A judge, and with which scorers it was calibrated: families left out together, and the scorer for them."""

    judge: Judge
    unseen: Sequence[tuple[set[str], Trees]]

    def left_out(self, family: str) -> PairJudge:
        """The scorer that never saw a family, for pairs of any kind."""
        judge = Judge(next(trees for part, trees in self.unseen if family in part), self.judge.calibrated)
        return PairJudge(judge, judge)


def _train(sets: Sequence[LabelledFacts], of_kind: Sequence[LabelledFacts], question: str) -> _Trained:
    """Train on all sets; read what scores are worth off those of the kind that is asked about, each left out."""
    unseen = _left_out(sets, question)
    scores = _scores(of_kind, unseen, question)
    curve = _calibrated(of_kind, scores, question)
    return _Trained(Judge(_fit(sets, question), curve, _measured(of_kind, scores, curve, question)), unseen)


def _with_changes(one: LabelledFacts, question: str, same: PairJudge, replaces: PairJudge) -> LabelledFacts:
    """A set that asks what replaced what, too, by the answers of scorers that never saw its family."""
    asked = [_changes_of(memory, question, same, replaces) for memory in one.memories]
    own = [pair for a in asked for pair in a.own]
    joined = Asked(np.concatenate([a.table for a in asked]), np.concatenate([a.truth for a in asked]), own)
    return LabelledFacts(one.name, one.family, one.generated, {**one.asked, question: joined})


def _changes_of(memory: LabelledMemory, question: str, same: PairJudge, replaces: PairJudge) -> Asked:
    evidence = memory.evidence
    odds = odds_of(evidence, same, replaces, replaces.told)
    says, _ = find_says(evidence, same, replaces, odds.same, Cuts(), memory.names)
    groups = group(evidence.said, says, memory.names, memory.junk)
    told = changes.told_of(groups, evidence)
    if question == "second":
        found = secondopinion.find_candidates(groups, told, evidence, odds, unknown_words(), least=changes.LEAST)
    else:
        found = changes.find_candidates(groups, told, evidence, odds.replaces, odds.timeless, odds.same)
    members = [[statement.at for statement in one.members] for one in groups]
    truth = [memory.replaced(members[a], members[b]) for a, b in zip(found.old, found.new, strict=True)]
    older, newer, _ = evidence.in_time()
    said = [(evidence.said[older[row]].reading, evidence.said[newer[row]].reading) for row in found.row]
    own = [(words_of_its_own(before, after), words_of_its_own(after, before)) for before, after in said]
    return Asked(found.table, np.array(truth, dtype=np.float64), own)


def _train_with_words(sets: Sequence[LabelledFacts]) -> tuple[Judge, OwnWeights]:
    """Train the second scorer of changes, and what own words tell of them.

    What words tell of a set is learned of other parts; for a scorer that leaves a part out, without that, too.
    """
    parts = _parts(sets)
    place = {one.name: next(at for at, part in enumerate(parts) if one.family in part) for one in sets}
    without = {frozenset((a, b)) for a in range(len(parts)) for b in range(len(parts))} | {frozenset[int]()}
    learned = {out: learn_own_words([_of_words(one) for one in sets if place[one.name] not in out]) for out in without}
    whole = [_with_words(one, learned[frozenset((place[one.name],))]) for one in sets]
    unseen = list[tuple[set[str], Trees]]()
    for out, part in enumerate(parts):
        seen = [_with_words(one, learned[frozenset((out, at))]) for one in sets if (at := place[one.name]) != out]
        unseen.append((part, _fit(seen, "second")))
    scores = _scores(whole, unseen, "second")
    curve = _calibrated(whole, scores, "second")
    measured = _measured(whole, scores, curve, "second")
    return Judge(_fit(whole, "second"), curve, measured), learned[frozenset()]


def _of_words(one: LabelledFacts) -> PairsOfWords:
    asked = one.asked["second"]
    source = OF_A_HISTORY if one.family.startswith(OF_A_HISTORY) else one.family
    best = asked.table[:, secondopinion.SIGNALS.index("best")].astype(np.float64)
    return PairsOfWords(source, best, asked.truth, asked.own, _share(one))


def _with_words(one: LabelledFacts, learned: OwnWeights) -> LabelledFacts:
    """A set with the columns of what own words tell."""
    asked = one.asked["second"]
    table = asked.table.copy()
    columns = [secondopinion.SIGNALS.index(name) for name in ownweights.COLUMNS]
    table[:, columns] = learned.columns_of_words(asked.own)
    return replace(one, asked={"second": Asked(table, asked.truth)})


_SETS: list[LabelledFacts] = []
"""What forked processes work on; it is too large to be sent to each."""


_SEEN_BY = {
    ("same", "told"): (True, False), ("same", "written"): (False,), ("replaces", "told"): (True,),
    ("replaces", "written"): (False,), ("second", "told"): (True,), ("empty", ""): (True, False),
}  # fmt: skip
"""What a scorer is trained on, graphs (True), histories (False), or both: whichever found more on sets left out. What
says the same in notes says it in sessions, too; what replaces a line of notes is nothing that is told."""


def _is_besides(one: LabelledFacts) -> bool:
    """Whether a set is no bloated graph, but a memory in which much holds beside."""
    return one.family.startswith((OF_A_HISTORY, OF_A_PACK))


def _job(what: tuple[str, str]) -> _Trained:
    """A scorer of sentences; `second` is one of what replaces what that is taught by memories besides graphs, too."""
    question, kind = what
    seen = [one for one in _SETS if one.generated in _SEEN_BY[what] and not one.name.endswith(OF_FEW)]
    seen = [one for one in seen if question != "replaces" or not _is_besides(one)]
    worth = [one for one in seen if kind != "told" or one.generated]
    return _train(seen, worth, "replaces" if question == "second" else question)


def _changes_job(what: tuple[str, str, PairJudge, PairJudge]) -> LabelledFacts:
    name, question, same, replaces = what
    return _with_changes(next(one for one in _SETS if one.name == name), question, same, replaces)


def _asking_changes(
    pool: ProcessPoolExecutor, sets: Sequence[LabelledFacts], question: str, same: _Trained, replaces: _Trained
) -> list[LabelledFacts]:
    """Sets that ask what replaced what, too."""
    jobs = [(one.name, question, same.left_out(one.family), replaces.left_out(one.family)) for one in sets]
    return list(pool.map(_changes_job, jobs))


def train(
    sets: Sequence[LabelledFacts],
    command: str,
    kept: Calibration | None = None,
    *,
    only: str = "",
) -> Calibration:
    """Train and calibrate all judges.

    Args:
        sets: generated graphs of two vocabularies or more, and histories of two repositories or more.
        command: that is noted in the artefact.
        kept: where the scorers of lines of files are taken from; else they are trained, too.
        only: `same`: train only what says the same among things told; `second`: only the second opinion of changes.
            All others are taken from `kept`.
    """
    _SETS[:] = sets
    made = [one for one in sets if one.generated]
    wanted = [what for what in _SEEN_BY if kept is None or what[1] != "written"]
    wanted = [what for what in wanted if not only or what in {("same", "told"), (only, "told")}]
    with ProcessPoolExecutor(2, mp_context=get_context("fork")) as pool:
        trained: Mapping[tuple[str, str], _Trained] = dict(zip(wanted, pool.map(_job, wanted), strict=True))
        same = trained["same", "told"]
        if kept is not None and only == "same":
            command = f"{command} --only same --keep ({kept.command})"
            return replace(kept, same=PairJudge(same.judge, kept.same.written), command=command)
        again = trained["second", "told"]
        second = SecondOpinion(again.judge, *_train_with_words(_asking_changes(pool, made, "second", same, again)))
        if kept is not None and only == "second":
            return replace(kept, second=second, command=f"{command} --only second --keep ({kept.command})")
        replaces = trained["replaces", "told"]
        graphs = [one for one in made if not (_is_besides(one) or one.name.endswith(OF_FEW))]
        asking = _asking_changes(pool, graphs, "changes", same, replaces)
    changed = _train(asking, asking, "changes").judge
    if kept is not None:
        written = kept.same.written, kept.replaces.written
        command = f"{command} --keep ({kept.command})"
    else:
        written = trained["same", "written"].judge, trained["replaces", "written"].judge
    return Calibration(
        PairJudge(same.judge, written[0]),
        PairJudge(replaces.judge, written[1]),
        changed,
        trained["empty", ""].judge,
        second,
        command,
    )


def read_all(
    paths: Sequence[Path], besides: Sequence[Path], openings: Sequence[Sentences], pool: ProcessPoolExecutor
) -> tuple[list[LabelledFacts], WordWeights]:
    """All memories, each measured by what others taught of questions with one answer; and what all teach together.

    Those `besides` teach nothing of questions: in them hardly one is answered more than once.
    """
    graphs = [path for path in paths if path.with_name(path.name.replace(".jsonl", ".gold.jsonl")).exists()]
    sentences = list(pool.map(read_sentences, graphs))
    families = {path: one.family for path, one in zip(graphs, sentences, strict=True)}
    others = {
        family: learn_one_answer([*openings, *(one for one in sentences if one.family != family)])
        for family in set(families.values())
    }
    learned = learn_one_answer([*openings, *sentences])
    everything = [*paths, *besides]
    by_path = [others[families[path]] if path in families else learned for path in everything]
    sets = [one for found in pool.map(read_labelled, everything, by_path) for one in found]
    return sets, learned


def _memories(paths: Sequence[Path]) -> list[Path]:
    """Memories among files, without those of the truth beside them."""
    return sorted(path for path in paths if ".gold." not in path.name)


def main(argv: Sequence[str] | None = None) -> None:
    """Command line; see the module's text."""
    parser = argparse.ArgumentParser(description="Train and calibrate the judgement of facts.")
    parser.add_argument("--graphs", nargs="+", type=Path, required=True, help="bloated graphs, truth beside them")
    parser.add_argument("--histories", nargs="+", type=Path, required=True, help="histories of real notes, likewise")
    parser.add_argument(
        "--besides", nargs="*", type=Path, default=[], help="memories in which much holds beside (tools/)"
    )
    parser.add_argument("--openings", type=Path, required=True, help="fixtures/questions.txt")
    parser.add_argument("--keep", type=Path, help="a calibration whose scorers of lines of files stay")
    parser.add_argument(
        "--only", choices=("same", "second"), default="", help="train only what says the same, or the second opinion"
    )
    parser.add_argument("--out", type=Path, required=True, help="folder of the artefacts")
    args = parser.parse_args(argv)
    if args.only and not args.keep:
        parser.error("--only needs --keep: the calibration that all other scorers are taken from")
    paths, besides = _memories((*args.graphs, *args.histories)), _memories(args.besides)
    with ProcessPoolExecutor(2) as pool:
        sets, one_answer = read_all(paths, besides, read_openings(args.openings), pool)
    kept = Calibration.from_json(json.loads(args.keep.read_text(encoding="utf-8"))) if args.keep else None
    graphs = " ".join(path.name.split(".")[0] for path in _memories(args.graphs))
    count = len(_memories(args.histories))
    command = (
        f"python -m graphdream.facts.train --graphs {graphs} --histories ({count} repositories)"
        f" --besides ({len(besides)} memories)"
    )
    calibration = train(sets, command, kept, only=args.only)
    for name, artefact in (("calibration", calibration.to_json()), ("one_answer", one_answer.to_json())):
        text = json.dumps(artefact, separators=(",", ":")) + "\n"
        args.out.joinpath(f"{name}.json").write_text(text, encoding="utf-8")
    told = {name: getattr(calibration, name).told for name in ASKED_BY_KIND}
    written = {f"{name} written": getattr(calibration, name).written for name in ASKED_BY_KIND}
    others = {"changes": calibration.changes, "second": calibration.second.changes, "empty": calibration.empty}
    for name, judge in {**told, **written, **others}.items():
        for kind, figures in judge.measured.items():
            for cut, found in figures.items():
                print(f"{name} {kind} {cut}: {found['rows']}, wrong {found['wrong']}, found {found['found']:.3f}")


if __name__ == "__main__":
    main()
