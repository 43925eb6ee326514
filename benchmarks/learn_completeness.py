"""Learn the estimate of completeness from the gold sets, and measure it on other questions.

    python -m benchmarks.learn_completeness DATA_DIR CORPORA_DIR [--every SET=K ...] [--most N]
        [--keep FILE | --from FILE] [--write]

Every k-th question of each set is investigated with ``balanced``. After each round its evidence and the share
of the gold in the pool are recorded. Every third question is investigated again without the dense model.
Questions are split into halves by a hash of their words; each half is estimated by a model of the other, and
the figures are for both, with plain Chao1 for comparison. ``--write`` then learns from all questions and
writes the weights into the engine. ``--keep`` saves the observations, ``--from`` reads them.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import orjson

from benchmarks.learn_ranking import SETS
from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.evaluation import Question, read_questions
from engine.evaluation.learning_completeness import Observation, get_fold, learn_completeness, shares_by_group
from engine.evaluation.questions import choose_questions
from engine.investigation import make_case
from engine.investigation.completeness.calibrated import FILE, record_of
from engine.investigation.completeness.chao import chao1
from engine.investigation.completeness.evidence import SIGNS, evidence_of
from engine.investigation.events import CoverageChanged
from engine.investigation.pool import Reading
from engine.model import EvidenceStatus
from engine.settings import InvestigationSettings, preset

# Every third question is also investigated without the dense model.
WORDS_EVERY = 3
MOST = 90
# Chao1, for comparison, counts the finders of passages with at least this share of the best relevance.
RELEVANT_SHARE = 0.6


@dataclass(frozen=True, slots=True)
class Observed:
    """One state of a case: the observation, whether it is the last, Chao1's estimate, and dense search."""

    seen: Observation
    last: bool
    chao: float
    dense: bool


def ask(
    corpus: Corpus, names: Sequence[str], question: Question, settings: InvestigationSettings, group: str
) -> list[Observed]:
    """Investigate one question and return its states after the scan and after each round.

    ``names`` are the source ids of the passages, by row.
    """
    case, states = make_case(corpus, question.text, settings), []
    dense = "dense" in settings.retrievers
    for event in case.run():
        if isinstance(event, CoverageChanged) and case.scanned is not None:
            evidence = evidence_of(case.scanned, case.pool, event.round, Reading(corpus))
            if evidence is None or evidence.status is not EvidenceStatus.FOUND or evidence.values["single"]:
                continue
            held = {names[row] for row in case.pool.rows().tolist()} & question.gold.keys()
            seen = Observation(group, question.text, evidence.values, len(held) / len(question.gold))
            relevance = np.sort(case.scanned.relevance.of(case.pool.rows()))[::-1]
            plain = chao1(evidence.finders[: int((relevance >= RELEVANT_SHARE * relevance[0]).sum())])
            states.append(Observed(seen, False, plain.estimate if plain else 0.0, dense))
    return [
        Observed(one.seen, number == len(states), one.chao, dense) for number, one in enumerate(states, 1)
    ]


def observe(corpora: Path, data: Path, every: dict[str, int], most: int) -> Iterator[Observed]:
    """Yield all states of all questions, set by set."""
    settings = preset("balanced")
    words = settings.changed(retrievers=tuple(name for name in settings.retrievers if name != "dense"))
    for folder in dict.fromkeys(SETS.values()):
        corpus = open_corpus(corpora / folder)
        passages = corpus.passages(np.arange(len(corpus), dtype=np.int32))
        names = [passage.source_id for passage in passages]
        for name in (name for name, corpus_folder in SETS.items() if corpus_folder == folder):
            started = time.perf_counter()
            questions = read_questions(data / name / "queries.jsonl.gz", data / name / "qrels.tsv")
            questions = questions[:: every[name]] if name in every else choose_questions(questions, most=most)
            for number, question in enumerate(questions):
                yield from ask(corpus, names, question, settings, name)
                if number % WORDS_EVERY == 0:
                    yield from ask(corpus, names, question, words, name)
            print(f"asked {name}: {len(questions)} in {time.perf_counter() - started:.0f} s", flush=True)


def figures(observed: Sequence[Observed], said: np.ndarray, low: np.ndarray, high: np.ndarray) -> str:
    """Return the calibration in one line; each set is weighted by the square root of its size."""
    held = np.array([one.seen.held for one in observed])
    weight = shares_by_group([one.seen.group for one in observed])
    bins = np.digitize(said, (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98))
    error = sum(abs(float(weight[bins == one] @ (said - held)[bins == one])) for one in np.unique(bins))
    parts = [f"n {len(held)} held {weight @ held:.3f} said {weight @ said:.3f} error {error:.3f}"]
    for label, inside in (
        (">=.9", said >= 0.9),
        (".6-.9", (said >= 0.6) & (said < 0.9)),
        ("<.6", said < 0.6),
    ):
        mean = f" hold {held[inside].mean():.3f}" if inside.any() else ""
        parts.append(f"{label}: {inside.sum()}{mean}")
    within = (low - 1e-9 <= held) & (held <= high + 1e-9)
    correlation = float(np.corrcoef(said, held)[0, 1]) if said.std() > 0 and held.std() > 0 else 0.0
    parts.append(f"corr {correlation:.3f} in interval {within.mean():.3f} width {(high - low).mean():.2f}")
    return " | ".join(parts)


def report(observed: Sequence[Observed]) -> None:
    """Estimate each half by a model of the other, and print."""
    half = np.array([get_fold(one.seen.question, 2) for one in observed])
    said, low, high = (np.zeros(len(observed)) for _ in range(3))
    for here in (0, 1):
        model = learn_completeness([observed[i].seen for i in np.flatnonzero(half != here).tolist()], SIGNS)
        for index in np.flatnonzero(half == here).tolist():
            said[index] = model.estimate(observed[index].seen.values)
            low[index], high[index] = model.interval.around(float(said[index]))
    chao = np.array([one.chao for one in observed])
    last, dense = (np.array([getattr(one, name) for one in observed]) for name in ("last", "dense"))
    groups = np.array([one.seen.group for one in observed])
    chosen_by = {"end": last & dense, "end, words": last & ~dense, "every round": dense}
    chosen_by |= {group: last & dense & (groups == group) for group in dict.fromkeys(groups.tolist())}
    for label, inside in chosen_by.items():
        if inside.any():
            some = [one for one, yes in zip(observed, inside, strict=True) if yes]
            print(f"{label:27} {figures(some, said[inside], low[inside], high[inside])}")
            plain = chao[inside]
            print(f"{'  Chao1':27} {figures(some, plain, plain, plain)}")


def main() -> None:
    """Investigate the questions or read observations, report by halves, and learn from all."""
    parser = argparse.ArgumentParser(description="Learn the estimate of completeness from the gold sets.")
    parser.add_argument("data", type=Path)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--every", action="append", default=[], metavar="SET=K", help="every K-th question")
    parser.add_argument(
        "--most", type=int, default=MOST, help="questions of each other set, at even distances"
    )
    parser.add_argument("--keep", type=Path, help="save the observations")
    parser.add_argument("--from", dest="source", type=Path, help="read observations, investigate nothing")
    parser.add_argument("--write", action="store_true", help="learn from all and write the weights")
    options = parser.parse_args()
    every = {name: int(step) for name, _, step in (one.partition("=") for one in options.every)}
    if options.source:
        records = orjson.loads(options.source.read_bytes())
        observed = [Observed(**{**one, "seen": Observation(**one["seen"])}) for one in records]
    else:
        observed = list(observe(options.corpora, options.data, every, options.most))
    if options.keep:
        options.keep.write_bytes(orjson.dumps([asdict(one) for one in observed]))
    report(observed)
    if options.write:
        model = learn_completeness([one.seen for one in observed], SIGNS)
        FILE.write_bytes(orjson.dumps(record_of(model), option=orjson.OPT_INDENT_2))
        print(f"written: {FILE.name}: {record_of(model)}")


if __name__ == "__main__":
    main()
