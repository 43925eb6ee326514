"""Two runs over the same questions: by how much they differ, and whether that is more than chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from engine.errors import InputError
from engine.evaluation.evaluate import scores_of
from engine.evaluation.lines import numbered_lines
from engine.evaluation.qrels import Judgements
from engine.evaluation.results import QuestionResult, read_results
from engine.evaluation.runs import read_run, scored
from engine.evaluation.significance import Difference, paired

COMPARED = (
    "recall@5",
    "recall@10",
    "recall@20",
    "recall@100",
    "complete@5",
    "complete@10",
    "ndcg@10",
    "pool recall",
    "pool complete",
    "pool precision",
)
Measures = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Measured:
    """A run to be compared: where it is from, and each question's measures by name.

    ``results`` are there where the run was saved as an evaluation, not where it is a TREC run.
    """

    source: str
    questions: Measures
    results: tuple[QuestionResult, ...] = ()
    header: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Differences by measure, over the questions both runs have; ``warnings`` tell what does not match."""

    questions: int
    differences: Mapping[str, Difference]
    warnings: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain values for printing."""
        return {
            "questions": self.questions,
            "differences": {name: asdict(found) for name, found in self.differences.items()},
            "warnings": list(self.warnings),
        }


def of_results(results: Sequence[QuestionResult], source: str = "this run") -> Measured:
    """A run just made, for comparing."""
    return Measured(source, {result.id: result.measures() for result in results}, tuple(results))


def read_measured(path: Path, gold: Judgements | None = None) -> Measured:
    """A saved evaluation (JSON lines), or a TREC run judged by ``gold``.

    Judged questions for which the run has no line count as found nothing, as ``trec_eval -c`` does.
    Raises SourceError naming file and line; InputError for a TREC run without judgements.
    """
    first = next((line for _, line in numbered_lines(path) if line.strip()), "")
    if first.lstrip().startswith("{"):
        header, results = read_results(path)
        table = {result.id: result.measures() for result in results}
        return Measured(str(path), table, tuple(results), header)
    if gold is None:
        raise InputError(f"{path} is a TREC run: it needs judgements (--qrels) to be scored")
    judged = scored(read_run(path), gold)
    questions = {name: scores_of(ranking, dict(passages)) for name, (ranking, passages) in judged.items()}
    return Measured(str(path), questions)


def compare(ours: Measured, theirs: Measured) -> Comparison:
    """Compare over the questions that both have. Raises InputError where there is none."""
    common = [name for name in ours.questions if name in theirs.questions]
    if not common:
        raise InputError(f"{ours.source} and {theirs.source} have no question in common")
    first, second = ours.questions[common[0]], theirs.questions[common[0]]
    measures = [name for name in COMPARED if name in first and name in second]
    differences = {
        name: paired(
            [ours.questions[question][name] for question in common],
            [theirs.questions[question][name] for question in common],
        )
        for name in measures
    }
    return Comparison(len(common), differences, tuple(_warnings(ours, theirs, len(common))))


def _warnings(ours: Measured, theirs: Measured, common: int) -> list[str]:
    warnings = []
    for one in (ours, theirs):
        left = len(one.questions) - common
        if left:
            warnings.append(
                f"the question sets differ: {left:,} questions of {one.source} are left out, "
                f"{common:,} are compared"
            )
    if ours.header and theirs.header:
        for name in ("corpus", "embedding", "passages"):
            mine, other = ours.header.get(name), theirs.header.get(name)
            if mine != other:
                warnings.append(f"the runs differ in their {name}: {mine} against {other}")
    return warnings
