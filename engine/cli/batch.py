"""The command ``batch``: many questions at once, each kept as a case, and one table of their figures."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from engine.cli.case_store import WHO, learned_in, open_store
from engine.cli.printing import print_json, print_lines
from engine.cli.settings import add_settings, settings_from
from engine.errors import InputError

if TYPE_CHECKING:
    from engine.corpus.protocol import Corpus
    from engine.investigation.ranking.additive import Experience
    from engine.records.store.database import CaseSummary
    from engine.settings import InvestigationSettings

LARGEST, LONGEST_QUESTION = 50_000_000, 4_000
_FIGURES = (
    *("coverage_score", "mean_similarity", "reference_coverage", "completeness"),
    *("passages", "pool", "rounds", "milliseconds"),
)


def add_batch_command(commands: Any) -> None:
    """Describe the command to the parser."""
    command = commands.add_parser(
        "batch", help="investigate many questions, keep each as a case, and print one table"
    )
    command.add_argument(
        "questions", type=Path, metavar="FILE", help="a question a line, or JSON lines with a field text"
    )
    add_settings(command)
    command.add_argument(
        "--matter",
        required=True,
        metavar="NAME",
        help="keep the cases in this matter; what it has is not asked again",
    )
    command.add_argument("--json", action="store_true", help="print as JSON")
    command.set_defaults(command=batch)


def batch(options: argparse.Namespace) -> None:
    """Investigate the questions of a file. Stopped and begun again, it goes on where it was.

    Raises InputError for a file without questions, and where a question could not be asked: those after it
    are asked all the same.
    """
    from tqdm import tqdm

    from engine.corpus import open_corpus
    from engine.investigation.ranking.weights import adopted_weights
    from engine.records.store.chain import fingerprint_of

    questions = questions_in(options.questions)
    settings, corpus = settings_from(options), open_corpus(options.corpus)
    found: list[CaseSummary] = []
    failed: dict[str, str] = {}
    known = 0
    with closing(open_store()) as store:
        matter, fingerprint = store.matter(options.matter), fingerprint_of(corpus)
        weights = learned_in(matter, corpus)
        ranked_by = adopted_weights(corpus) if weights is None else weights.id
        plain = orjson.loads(orjson.dumps(settings.model_dump(mode="json")))
        for question in tqdm(questions, desc="cases", file=sys.stderr, disable=not sys.stderr.isatty()):
            case_id = store.same(matter, question, plain, fingerprint, ranked_by)
            known += case_id is not None
            if case_id is None:
                try:
                    record = _record(question, corpus, settings, weights)
                except InputError as error:
                    failed[question] = str(error)
                    continue
                case_id = store.keep(record, matter, application="batch", who=WHO, fingerprint=fingerprint)
            found.append(store.summary(case_id))
    _print(options, found, failed, known)
    if failed:
        question, why = next(iter(failed.items()))
        raise InputError(
            f"{len(failed):,} of {len(questions):,} could not be asked; {question[:60]!r}: {why}"
        )


def questions_in(path: Path) -> list[str]:
    """The questions of a file, in order, none twice. Raises InputError, naming file and line."""
    from engine import files

    try:
        text = files.read(files.named(path), LARGEST).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error})") from error
    found: dict[str, None] = {}
    for number, line in enumerate(text.splitlines(), 1):
        question = _question(line.strip(), f"{path}, line {number}")
        if len(question) > LONGEST_QUESTION:
            raise InputError(
                f"{path}, line {number}: a question of more than {LONGEST_QUESTION:,} characters"
            )
        if question:
            found[question] = None
    if not found:
        raise InputError(f"{path}: there is no question in it")
    return list(found)


def _question(line: str, where: str) -> str:
    if not line.startswith("{"):
        return line
    try:
        text = orjson.loads(line)["text"]
    except (orjson.JSONDecodeError, KeyError) as error:
        raise InputError(f"{where}: JSON with a field text is wanted ({error})") from error
    if not isinstance(text, str):
        raise InputError(f"{where}: text is no text")
    return text.strip()


def _record(
    question: str, corpus: Corpus, settings: InvestigationSettings, weights: Experience | None
) -> dict[str, Any]:
    from engine.investigation import run_case
    from engine.records.export import investigation_to_json

    return investigation_to_json(run_case(corpus, question, settings, weights=weights).investigation())


def _print(
    options: argparse.Namespace, found: Sequence[CaseSummary], failed: dict[str, str], known: int
) -> None:
    means = {name: _mean([getattr(one, name) for one in found]) for name in _FIGURES}
    if options.json:
        cases = [
            {"id": one.id, "question": one.question, "evidence": one.evidence}
            | {name: getattr(one, name) for name in _FIGURES}
            for one in found
        ]
        print_json({"cases": cases, "means": means, "kept_before": known, "failed": failed})
    else:
        print_lines(_table(found, means, known))


def _table(found: Sequence[CaseSummary], means: dict[str, float | None], known: int) -> Iterator[str]:
    yield "\t".join(("id", "evidence", *_FIGURES, "question"))
    for one in found:
        figures = (_said(getattr(one, name)) for name in _FIGURES)
        yield "\t".join((one.id, one.evidence, *figures, one.question))
    count = f"{len(found):,} cases, {known:,} of them kept before"
    yield "\t".join(("mean", "", *map(_said, means.values()), count))


def _mean(values: Sequence[float | None]) -> float | None:
    there = [value for value in values if value is not None]
    return sum(there) / len(there) if there else None


def _said(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"
