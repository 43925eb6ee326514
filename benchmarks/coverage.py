"""Coverage against gold by area: does "covered" mean that the pool has the evidence?

    python -m benchmarks.coverage CORPUS QUERIES QRELS [--areas FILE] [--ontology FILE]
        [--kinds FILE ...] [--types FILE] [--most N] [--preset P]

Each question is investigated and paired with each area of the corpus's ontology (or of ``--ontology``). A
pair is true if the pool has a gold passage of the area: by the lines ``query-id, area, corpus-id`` of
``--areas``, or else if a gold passage is in the document with the area's id as its title. Prints the AUC of
the areas' scores and of their three states, the share of true pairs in each state, and the areas without gold
in the scan for which the rounds found some. ``--kinds``: JSON lines with a ``text`` and its type of
transaction (``transaction``, null for none).
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray

from benchmarks import new_parser
from engine.corpus import open_corpus
from engine.corpus.ontology import ontology_from, read_ontology
from engine.corpus.protocol import Corpus
from engine.corpus.related import with_ontology
from engine.evaluation import Question, read_questions
from engine.evaluation.questions import choose_questions
from engine.investigation import Case, run_case
from engine.investigation.facets import NONE
from engine.investigation.strategies.gaps import Gaps
from engine.model import AreaState
from engine.settings import preset

RANK = {AreaState.MISSING: 0, AreaState.WEAK: 1, AreaState.COVERED: 2}
Gold = Mapping[str, frozenset[str]]


@dataclass(slots=True)
class Measured:
    """One list entry for each pair of question and area; counts of areas without gold in the scan."""

    true: list[bool] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    states: list[int] = field(default_factory=list)
    gaps: int = 0
    closed: int = 0
    kinds: list[bool] = field(default_factory=list)
    # Whether gold of the area is among the cards, and whether the area is required.
    cards: list[bool] = field(default_factory=list)
    required: list[bool] = field(default_factory=list)
    # Passages that gap queries brought, and those of them that are gold.
    brought: int = 0
    brought_gold: int = 0

    def add(self, case: Case, gold: Gold, judged: Collection[str] = ()) -> None:
        """Add a finished case; ``gold`` by area, as ids of the corpus, and all ``judged`` ids."""
        pool = {entry.passage_id for entry in case.pool.entries()}
        scan = {entry.passage_id for entry in case.pool.entries() if entry.round == 0}
        ranked = {member for one in case.ranking for member in (*one.assembled_ids, one.passage.id)}
        for area in case.areas:
            self.required.append(area.required)
            self.cards.append(bool(gold.get(area.id, frozenset()) & ranked))
            self.true.append(bool(gold.get(area.id, frozenset()) & pool))
            self.scores.append(area.score)
            self.states.append(RANK[area.state])
        brought = [entry.passage_id for entry in case.pool.entries() if entry.strategy == Gaps.name]
        self.brought += len(brought)
        self.brought_gold += sum(passage in judged for passage in brought)
        for passages in gold.values():
            if not passages & scan:
                self.gaps += 1
                self.closed += bool(passages & pool)

    def lines(self) -> list[str]:
        """Return the results as lines for a terminal."""
        true, cards, states = np.array(self.true), np.array(self.cards), np.array(self.states)
        required, open_ = np.array(self.required), states < RANK[AreaState.COVERED]
        lines = [
            f"{len(true)} pairs, {float(true.mean()):.2f} true; AUC of scores {auc(self.scores, true):.3f}, "
            f"of states {auc(self.states, true):.3f}",
            f"share true: {self._by_state(true, np.ones(len(true), np.bool_))}",
            f"gold among the cards: AUC of states {auc(self.states, cards):.3f}; "
            f"{self._by_state(cards, np.ones(len(true), np.bool_))}; "
            f"weak or missing {float(cards[open_].mean()):.3f} of {int(open_.sum())}",
            f"passages that gap queries brought: {self.brought}, gold: {self.brought_gold}",
            f"areas without gold in the scan: {self.gaps}, closed by the rounds: {self.closed}",
        ]
        if required.any():
            lines.append(f"required areas with gold among the cards: {self._by_state(cards, required)}")
        if self.kinds:
            lines.append(f"type of transaction right: {np.mean(self.kinds):.3f} of {len(self.kinds)}")
        return lines

    def _by_state(self, true: NDArray[np.bool_], of: NDArray[np.bool_]) -> str:
        """Return the share of true pairs in each state among some pairs."""
        found = [(state, true[of & (np.array(self.states) == rank)]) for state, rank in RANK.items()]
        return ", ".join(
            f"{state.value} {float(own.mean()):.2f} of {len(own)}" for state, own in found if len(own)
        )


def auc(scores: Sequence[float], true: np.ndarray) -> float:
    """Return the probability that a true pair has a higher score than a false one (Mann and Whitney 1947)."""
    _, indexes, counts = np.unique(np.asarray(scores, np.float64), return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[indexes]
    positive = int(true.sum())
    negative = len(true) - positive
    if not positive or not negative:
        return float("nan")
    return float((ranks[true].sum() - positive * (positive + 1) / 2) / (positive * negative))


def gold_of(corpus: Corpus, question: Question, lines: Mapping[str, Gold] | None) -> Gold:
    """Return the gold of a question by area, from lines, or by the titles of documents."""
    if lines is not None:
        return lines.get(question.id, {})
    documents = corpus.documents()
    found: defaultdict[str, set[str]] = defaultdict(set)
    rows = np.arange(len(corpus), dtype=np.int32)
    for passage, number in zip(corpus.passages(rows), corpus.document_numbers(rows).tolist(), strict=True):
        if passage.source_id in question.gold:
            found[documents[number].title].add(passage.id)
    return {area: frozenset(ids) for area, ids in found.items()}


def read_areas(path: Path) -> dict[str, Gold]:
    """Read gold by question and area."""
    found: defaultdict[str, defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        question, area, passage = line.split("\t")
        found[question][area].add(passage)
    return {
        question: {area: frozenset(ids) for area, ids in areas.items()} for question, areas in found.items()
    }


def kinds_in(path: Path) -> list[tuple[str, str | None]]:
    """Read texts with their types of transaction; lines without the field are left out."""
    found = []
    for line in path.read_bytes().splitlines():
        record = orjson.loads(line)
        known = record.get("metadata") or record
        if "transaction" in known:
            found.append((record["text"], known["transaction"]))
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; return the exit code."""
    options = _parser().parse_args(arguments)
    corpus = open_corpus(options.corpus)
    if options.ontology is not None:
        corpus = with_ontology(corpus, ontology_from(read_ontology(options.ontology)))
    settings = preset(options.preset)
    lines = None if options.areas is None else read_areas(options.areas)
    types = dict(kinds_in(options.types)) if options.types else {}
    measured = Measured()
    for question in choose_questions(
        read_questions(options.queries, options.qrels), None, None, options.most
    ):
        chosen_type = (
            settings.changed(transaction_type=types.get(question.text) or NONE) if types else settings
        )
        measured.add(
            run_case(corpus, question.text, chosen_type), gold_of(corpus, question, lines), question.gold
        )
    for path in options.kinds:
        for text, kind in kinds_in(path):
            detected = run_case(corpus, text, settings.changed(rounds=0)).transaction
            measured.kinds.append(kind == (detected.id if detected is not None else None))
    print("\n".join(measured.lines()))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = new_parser(__doc__)
    parser.add_argument("corpus", type=Path, metavar="CORPUS")
    parser.add_argument("queries", type=Path, metavar="QUERIES")
    parser.add_argument("qrels", type=Path, metavar="QRELS")
    parser.add_argument("--areas", type=Path, metavar="FILE", help="gold by question and area")
    parser.add_argument("--ontology", type=Path, metavar="FILE", help="areas instead of the corpus's own")
    parser.add_argument(
        "--kinds", type=Path, action="append", default=[], metavar="FILE", help="texts with their type"
    )
    parser.add_argument(
        "--types",
        type=Path,
        metavar="FILE",
        help="the type of transaction of each question, as a user chooses it",
    )
    parser.add_argument("--most", type=int, metavar="N", help="N questions at even distances")
    parser.add_argument("--preset", default="auto", metavar="P")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
