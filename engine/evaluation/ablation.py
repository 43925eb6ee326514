"""Ablation: the contribution of each strategy, retriever, view, round and of the ontology.

Every variant answers the same questions as the full settings, so each difference is paired.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, Protocol

from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.evaluation.compare import Difference, paired
from engine.evaluation.evaluate import judge_questions
from engine.evaluation.metrics import Outcome, QuestionResult
from engine.evaluation.questions import Question
from engine.investigation.strategies.base import all_strategies
from engine.settings import InvestigationSettings

ABLATED_MEASURES = ("recall@5", "recall@10", "recall@20", "complete@10", "ndcg@10", "pool recall")
GAPS = "gaps"
FULL = "full"
Progress = Callable[[str, int, int], None]
STRATEGY, RETRIEVER, PLAN, ROUND, ONTOLOGY = KINDS = ("strategy", "retriever", "plan", "round", "ontology")


class AskQuestions(Protocol):
    """Asks a corpus questions."""

    def __call__(
        self, questions: Sequence[Question], settings: InvestigationSettings, *, ontology: bool = True
    ) -> Iterable[tuple[Outcome, QuestionResult]]:
        """Ask and judge questions in order; ``ontology``: with the corpus's ontology."""
        ...


@dataclass(frozen=True, slots=True)
class Variant:
    """One change of the settings, or asking the corpus without its ``ontology``. ``kind``: one of ``KINDS``;
    ``role``: without, alone, with (a part that is off), or up to (a number of rounds)."""

    kind: str
    name: str
    role: str
    settings: InvestigationSettings
    ontology: bool = True

    @property
    def label(self) -> str:
        """Name of the variant: "without citations", "only bm25", "round 2"."""
        if self.role == "up to":
            return f"round {self.name}"
        return f"{'only' if self.role == 'alone' else self.role} {self.name}"


@dataclass(frozen=True, slots=True)
class AblationRow:
    """A variant's means, and differences by measure.

    Without a part: full settings minus variant, what the part adds. Up to a round: variant minus the one with
    a round less, what the round adds. Alone, or with a part that is off by default: variant minus full
    settings.
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
        """Return plain values: kind, name, role, means, differences with intervals and p."""
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


def variants(
    settings: InvestigationSettings,
    searching: Collection[str] | None = None,
    *,
    kinds: Collection[str] = KINDS,
    ontology: bool = False,
) -> list[Variant]:
    """Return variants: each strategy and retriever left out and alone, disabled strategies added, views left
    out, and every number of rounds.

    ``searching``: retrievers that can search the corpus; None for all in the settings. ``kinds``: only
    variants of these; ``ontology``: whether the corpus has one.
    """
    found = [*_strategies(settings), *_retrievers(settings, searching), *_views(settings), *_rounds(settings)]
    if ontology:
        found.append(Variant(ONTOLOGY, ONTOLOGY, "without", settings, ontology=False))
    return [variant for variant in found if variant.kind in kinds]


def ablate(
    corpus: Corpus,
    questions: Sequence[Question],
    settings: InvestigationSettings,
    *,
    progress: Progress | None = None,
    asking: AskQuestions | None = None,
    kinds: Collection[str] = KINDS,
) -> Ablation:
    """Run the full settings and every variant over the questions.

    ``progress`` receives the variant's label, the questions done and their number. ``asking`` replaces asking
    the questions one by one in this process. ``kinds``: only variants of these.

    Raises InputError for the ontology alone if the corpus has none.
    """
    *_, last = ablation_steps(corpus, questions, settings, progress=progress, asking=asking, kinds=kinds)
    return last


def ablation_steps(
    corpus: Corpus,
    questions: Sequence[Question],
    settings: InvestigationSettings,
    *,
    progress: Progress | None = None,
    asking: AskQuestions | None = None,
    kinds: Collection[str] = KINDS,
) -> Iterator[Ablation]:
    """Yield the growing ablation: after the full settings, then after each variant."""
    has_ontology = corpus.ontology is not None
    if set(kinds) == {ONTOLOGY} and not has_ontology:
        raise InputError(f"{corpus.name} has no ontology to leave out: apply one (`ontology apply`)")
    searching: set[str] = set()
    asking = asking or partial(judge_questions, corpus)
    full = _run(asking(questions, settings), len(questions), FULL, progress, searching)
    ablation = Ablation(len(questions), _means(full))
    yield ablation
    fewer = full
    for variant in variants(settings, searching, kinds=kinds, ontology=has_ontology):
        last = variant.role == "up to" and variant.settings == settings
        if not last:
            answers = asking(questions, variant.settings, ontology=variant.ontology)
            results = _run(answers, len(questions), variant.label, progress)
        else:
            results = full
        ablation.rows.append(_row(variant, results, fewer if variant.role == "up to" else full))
        yield ablation
        if variant.kind == ROUND:
            fewer = results


def _run(
    answers: Iterable[tuple[Outcome, QuestionResult]],
    total: int,
    label: str,
    progress: Progress | None,
    searching: set[str] | None = None,
) -> list[QuestionResult]:
    """Return the results of all questions; ``searching`` collects the retrievers that found something."""
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
        yield Variant(STRATEGY, name, "without", settings.changed(strategies=others))
        yield Variant(STRATEGY, name, "alone", settings.changed(strategies=(name,), close_gaps=False))
    if settings.close_gaps:
        yield Variant(STRATEGY, GAPS, "without", settings.changed(close_gaps=False))
        yield Variant(STRATEGY, GAPS, "alone", settings.changed(strategies=(), close_gaps=True))
    for name in all_strategies():
        if name not in settings.strategies:
            more = (*settings.strategies, name)
            yield Variant(STRATEGY, name, "with", settings.changed(strategies=more))


def _retrievers(settings: InvestigationSettings, searching: Collection[str] | None) -> Iterator[Variant]:
    names = tuple(name for name in settings.retrievers if searching is None or name in searching)
    for name in names if len(names) > 1 else ():
        others = tuple(other for other in names if other != name)
        yield Variant(RETRIEVER, name, "without", settings.changed(retrievers=others))
        # With two retrievers, each alone is the other left out.
        if len(names) > 2:
            yield Variant(RETRIEVER, name, "alone", settings.changed(retrievers=(name,)))


def _views(settings: InvestigationSettings) -> Iterator[Variant]:
    if settings.query_strategy != "precision":
        yield Variant(PLAN, "views", "without", settings.changed(query_strategy="precision"))


def _rounds(settings: InvestigationSettings) -> Iterator[Variant]:
    if settings.rounds:
        yield Variant(ROUND, "rounds", "without", settings.changed(rounds=0))
    for number in range(1, settings.rounds + 1):
        yield Variant(ROUND, str(number), "up to", settings.changed(rounds=number))


_STAR = "* the 95% interval of the paired bootstrap excludes 0, and p is below .05 by randomisation"


def evaluation_text(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines for an evaluation's JSON: the means, then the comparison, then the ablation."""
    for name, figures in values.items():
        if name == "comparison":
            yield from _comparison(figures)
        elif name == "ablation":
            yield from _ablation(figures)
        elif isinstance(figures, Mapping):
            yield f"{name:14}" + "  ".join(f"{key} {value:g}" for key, value in figures.items())
        else:
            yield f"{name:14}{figures}"


def _comparison(values: Mapping[str, Any]) -> Iterator[str]:
    yield ""
    yield f"against the other run, {values['questions']:,} questions"
    yield f"{'':16}{'this':>8}{'other':>8}{'less':>9}   {'95% interval':20}p"
    for name, found in values["differences"].items():
        interval = f"[{found['low']:+.4f}, {found['high']:+.4f}]"
        means = f"{found['ours']:8.4f}{found['theirs']:8.4f}{found['difference']:+9.4f}"
        yield f"{name:16}{means}   {interval:20}{found['p']:.4f}"


def _ablation(values: Mapping[str, Any]) -> Iterator[str]:
    yield ""
    yield f"what each part adds, {values['questions']:,} questions, in points of 100"
    yield f"{'':24}" + "".join(f"{name:>13}" for name in ABLATED_MEASURES) + f"{'pool':>8}{'ms':>7}"
    full = "".join(f"{100 * values['full'][name]:>12.1f} " for name in ABLATED_MEASURES)
    yield f"{'full settings':24}{full}"
    for row in values["rows"]:
        cells = "".join(_points(row["differences"][name]) for name in ABLATED_MEASURES)
        yield f"{row['label']:24}{cells}{row['mean_size']:>8.0f}{row['milliseconds']:>7.0f}"
    yield "without a part: full settings minus that run; a round: the run with it minus the one before;"
    yield "only a part, or with one that is off: that run minus the full settings"
    yield _STAR


def _points(found: Mapping[str, float]) -> str:
    sure = found["p"] < 0.05 and not found["low"] <= 0.0 <= found["high"]
    return f"{100 * found['difference']:>+12.1f}{'*' if sure else ' '}"
