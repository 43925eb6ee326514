"""What each strategy, retriever, view and round is worth: left out, and alone.

Every variant answers the same questions as the full settings do, so each difference is paired.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

from engine.corpus.protocol import Corpus
from engine.evaluation.evaluate import judged
from engine.evaluation.outcome import Outcome
from engine.evaluation.questions import Question
from engine.evaluation.results import QuestionResult
from engine.evaluation.significance import Difference, paired
from engine.investigation.strategies.registry import known_strategies
from engine.settings import InvestigationSettings

ABLATED_MEASURES = ("recall@5", "recall@10", "recall@20", "complete@10", "ndcg@10", "pool recall")
GAPS = "gaps"
FULL = "full"
Progress = Callable[[str, int, int], None]
Asking = Callable[[Sequence[Question], InvestigationSettings], Iterable[tuple[Outcome, QuestionResult]]]


@dataclass(frozen=True, slots=True)
class Variant:
    """One change of the settings. ``kind``: strategy, retriever, plan or round; ``role``: without, alone,
    with (what is off), or up to (a number of rounds)."""

    kind: str
    name: str
    role: str
    settings: InvestigationSettings

    @property
    def label(self) -> str:
        """How the variant is called: "without citations", "only bm25", "round 2"."""
        if self.role == "up to":
            return f"round {self.name}"
        return f"{'only' if self.role == 'alone' else self.role} {self.name}"


@dataclass(frozen=True, slots=True)
class AblationRow:
    """A variant's means, and how they differ by measure.

    Without a part: the full settings less the variant, what the part adds. Up to a round: the variant
    less the one with a round less, what the round adds. Alone, or with what is off by default: the
    variant less the full settings.
    """

    variant: Variant
    means: Mapping[str, float]
    differences: Mapping[str, Difference]
    mean_size: float
    milliseconds: float


@dataclass(slots=True)
class Ablation:
    """The full settings' means and one row for each variant."""

    questions: int
    full: Mapping[str, float]
    rows: list[AblationRow] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Plain values: kind, name, role, means, differences with intervals and p."""
        return {
            "questions": self.questions,
            "full": dict(self.full),
            "rows": [
                {
                    "kind": row.variant.kind,
                    "name": row.variant.name,
                    "role": row.variant.role,
                    "label": row.variant.label,
                    "means": dict(row.means),
                    "differences": {name: asdict(value) for name, value in row.differences.items()},
                    "mean_size": row.mean_size,
                    "milliseconds": row.milliseconds,
                }
                for row in self.rows
            ],
        }


def variants(settings: InvestigationSettings, searching: Collection[str] | None = None) -> list[Variant]:
    """Every strategy and every retriever left out and alone, strategies that are off taken in, the views
    left out, and every number of rounds.

    ``searching``: the retrievers that have something to search with; None for all that the settings name.
    """
    return [*_strategies(settings), *_retrievers(settings, searching), *_views(settings), *_rounds(settings)]


def ablate(
    corpus: Corpus,
    questions: Sequence[Question],
    settings: InvestigationSettings,
    *,
    progress: Progress | None = None,
    asking: Asking | None = None,
) -> Ablation:
    """Run the full settings and every variant over the questions.

    ``progress`` is called with the variant's label, the questions done and their number. ``asking``
    puts questions in another way than one after the other in this process.
    """
    *_, last = ablation_steps(corpus, questions, settings, progress=progress, asking=asking)
    return last


def ablation_steps(
    corpus: Corpus,
    questions: Sequence[Question],
    settings: InvestigationSettings,
    *,
    progress: Progress | None = None,
    asking: Asking | None = None,
) -> Iterator[Ablation]:
    """The ablation as it grows: after the full settings, then after each variant."""
    searching: set[str] = set()
    asking = asking or partial(judged, corpus)
    full = _run(asking(questions, settings), len(questions), FULL, progress, searching)
    ablation = Ablation(len(questions), _means(full))
    yield ablation
    fewer = full
    for variant in variants(settings, searching):
        last = variant.role == "up to" and variant.settings == settings
        if not last:
            answers = asking(questions, variant.settings)
            results = _run(answers, len(questions), variant.label, progress)
        else:
            results = full
        ablation.rows.append(_row(variant, results, fewer if variant.role == "up to" else full))
        yield ablation
        if variant.kind == "round":
            fewer = results


def _run(
    answers: Iterable[tuple[Outcome, QuestionResult]],
    total: int,
    label: str,
    progress: Progress | None,
    searching: set[str] | None = None,
) -> list[QuestionResult]:
    """Results of all questions; ``searching`` receives the retrievers that found something."""
    results = []
    for number, (outcome, result) in enumerate(answers, 1):
        results.append(result)
        if searching is not None:
            searching |= outcome.retrievers
        if progress is not None:
            progress(label, number, total)
    return results


def _row(
    variant: Variant, results: Sequence[QuestionResult], others: Sequence[QuestionResult]
) -> AblationRow:
    ours, theirs = [r.measures() for r in results], [r.measures() for r in others]
    marginal = variant.role == "without"
    differences = {}
    for name in ABLATED_MEASURES:
        mine, other = [row[name] for row in ours], [row[name] for row in theirs]
        differences[name] = paired(other, mine) if marginal else paired(mine, other)
    times = sorted(result.milliseconds for result in results)
    sizes = sum(result.pool.size for result in results) / len(results)
    return AblationRow(
        variant, _means(results), differences, round(sizes, 1), round(times[len(times) // 2], 1)
    )


def _means(results: Sequence[QuestionResult]) -> dict[str, float]:
    tables = [result.measures() for result in results]
    return {name: round(sum(row[name] for row in tables) / len(tables), 4) for name in ABLATED_MEASURES}


def _strategies(settings: InvestigationSettings) -> Iterator[Variant]:
    for name in settings.strategies:
        others = tuple(other for other in settings.strategies if other != name)
        yield Variant("strategy", name, "without", settings.changed(strategies=others))
        yield Variant("strategy", name, "alone", settings.changed(strategies=(name,), close_gaps=False))
    if settings.close_gaps:
        yield Variant("strategy", GAPS, "without", settings.changed(close_gaps=False))
        yield Variant("strategy", GAPS, "alone", settings.changed(strategies=(), close_gaps=True))
    for name in known_strategies():
        if name not in settings.strategies:
            more = (*settings.strategies, name)
            yield Variant("strategy", name, "with", settings.changed(strategies=more))


def _retrievers(settings: InvestigationSettings, searching: Collection[str] | None) -> Iterator[Variant]:
    names = tuple(name for name in settings.retrievers if searching is None or name in searching)
    for name in names if len(names) > 1 else ():
        others = tuple(other for other in names if other != name)
        yield Variant("retriever", name, "without", settings.changed(retrievers=others))
        # Of two retrievers each alone is the other left out.
        if len(names) > 2:
            yield Variant("retriever", name, "alone", settings.changed(retrievers=(name,)))


def _views(settings: InvestigationSettings) -> Iterator[Variant]:
    if settings.query_strategy != "precision":
        yield Variant("plan", "views", "without", settings.changed(query_strategy="precision"))


def _rounds(settings: InvestigationSettings) -> Iterator[Variant]:
    if settings.rounds:
        yield Variant("round", "rounds", "without", settings.changed(rounds=0))
    for number in range(1, settings.rounds + 1):
        yield Variant("round", str(number), "up to", settings.changed(rounds=number))
