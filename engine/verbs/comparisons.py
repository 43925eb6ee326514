"""Verbs that run or compare several cases: ask a question twice, ask many, replay, compare."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from engine.errors import InputError, SettingsError
from engine.verbs.cases import OneCase
from engine.verbs.questions import AskOptions, Json
from engine.verbs.verb import (
    LONGEST_QUESTION,
    Caller,
    ModelOptions,
    Response,
    SettingsOptions,
    argument,
    corpus_option,
    option,
    verb,
)

if TYPE_CHECKING:
    from engine.investigation.ranking.additive import Experience
    from engine.records.comparing import Comparison
    from engine.records.store.database import CaseSummary
    from engine.settings import InvestigationSettings

# Bytes of a file of questions.
LARGEST = 50_000_000
FIGURES = (
    *("coverage_score", "mean_similarity", "reference_coverage", "completeness"),
    *("passages", "pool", "rounds", "milliseconds"),
)


class CompareOptions(AskOptions):
    """Options of ``compare``."""

    with_corpus: str = option("", "the corpus of the second case (default: the same)", "DIR")
    a: list[str] = option(
        [], "a setting of the first case alone, or preset=NAME; repeatable", "NAME=VALUE", many="append"
    )
    b: list[str] = option(
        [], "a setting of the second case alone, or preset=NAME; repeatable", "NAME=VALUE", many="append"
    )
    scan: bool = option(False, "the first case is the scan alone")


@verb(
    "compare",
    CompareOptions,
    description="Ask a question twice: with other settings (--a rounds=1 --b rounds=4), of two days "
    "(--a as_of=2024-01-01 --b as_of=2025-01-01), on two corpora (--with-corpus), or before the threads "
    "are followed and after (--scan). All other flags hold for both.",
)
def compare_question(caller: Caller, request: CompareOptions) -> Response:
    """Ask one question twice and show what differs, and why. Raises InputError if nothing is to differ."""
    from engine.investigation import run_case
    from engine.records.compared_case import side_by_side
    from engine.records.comparing import compare, comparison_lines, comparison_to_json
    from engine.records.conversion import investigation_to_json

    if not (request.a or request.b or request.scan or request.with_corpus):
        raise InputError("say what differs: --a and --b (settings), --with-corpus or --scan")
    both = settings_of_side(request, request.a), settings_of_side(request, request.b)
    if request.scan:
        both = both[0].changed(follow=False), both[1]
    first = caller.corpus(request.corpus)
    second = caller.corpus(request.with_corpus) if request.with_corpus else first
    model = caller.model(request)
    before, after = (
        investigation_to_json(run_case(corpus, request.question, settings, model=model).investigation())
        for corpus, settings in zip((first, second), both, strict=True)
    )
    found = compare(before, after, corpora=(first, second))
    values = {**comparison_to_json(found), "before": _ranking(before), "after": _ranking(after)}
    return Response(values, [*side_by_side(before, after), "", *comparison_lines(found)])


def settings_of_side(request: CompareOptions, changes: Sequence[str]) -> InvestigationSettings:
    """Return the settings of one case: the preset, what holds for both cases, what holds for it alone.

    Raises SettingsError.
    """
    from engine.settings import InvestigationSettings, preset

    own: dict[str, str] = {}
    for written in changes:
        name, equals, value = written.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or (name != "preset" and name not in InvestigationSettings.model_fields):
            known = ", ".join(("preset", *InvestigationSettings.model_fields))
            raise SettingsError(f"{written[:80]!r} is no NAME=VALUE of a setting; known: {known}")
        own[name] = value.strip()
    named = own.pop("preset", request.preset)
    return preset(named).changed(**request.settings).changed(**own)


def _ranking(record: Mapping[str, Any]) -> list[Json]:
    shown = ("rank", "id", "title", "label", "score")
    return [{name: passage[name] for name in shown} for passage in record["passages"]]


class ReplayOptions(OneCase, ModelOptions):
    """Options of ``cases replay``."""

    corpus: str = corpus_option()
    was: str = option("", "the corpus as it was, if there is a copy of it", "DIR")


@verb("cases replay", ReplayOptions)
def replay_case(caller: Caller, request: ReplayOptions) -> Response:
    """Replay a case, and show what differs."""
    from engine.records.comparing import compare
    from engine.records.conversion import investigation_to_json
    from engine.records.replaying import rerun
    from engine.records.store.chain import fingerprint_of

    store = caller.store()
    record, events = store.record(request.id, caller.owner), store.events(request.id, caller.owner)
    summary = store.summary(request.id, caller.owner)
    learned = caller.weights_of(summary.matter, record)
    corpus = caller.corpus(request.corpus)
    former = caller.corpus(request.was) if request.was else None
    model = caller.model(request)
    case = rerun(record, corpus, events=events, model=model, learned=learned)
    again = investigation_to_json(case.investigation())
    states = summary.fingerprint, fingerprint_of(corpus)
    return _comparison(compare(record, again, corpora=(former, corpus), states=states))


class CompareCasesOptions(OneCase):
    """Options of ``cases compare``."""

    other: str = argument(..., "id of the other case", "OTHER")
    corpus: str = corpus_option("", "; with it more is known of what made the difference")
    with_corpus: str = option("", "that of OTHER, if another", "DIR")


@verb("cases compare", CompareCasesOptions)
def compare_cases(caller: Caller, request: CompareCasesOptions) -> Response:
    """Compare two cases: what was added, lost and moved."""
    from engine.records.comparing import compare

    store, ids = caller.store(), (request.id, request.other)
    before, after = (store.record(one, caller.owner) for one in ids)
    first, second = (store.summary(one, caller.owner).fingerprint for one in ids)
    corpus = caller.corpus(request.corpus) if request.corpus else None
    other = caller.corpus(request.with_corpus) if request.with_corpus else corpus
    return _comparison(compare(before, after, corpora=(corpus, other), states=(first, second)))


def _comparison(found: Comparison) -> Response:
    from engine.records.comparing import comparison_lines, comparison_to_json

    return Response(comparison_to_json(found), comparison_lines(found))


# Ask many questions.


class BatchOptions(SettingsOptions):
    """Options of ``batch``."""

    questions: Path = argument(..., "a question a line, or JSON lines with a field text", "FILE")
    corpus: str = corpus_option()
    matter: str = option(..., "keep the cases in this matter; its questions are not asked again", "NAME")


@verb("batch", BatchOptions)
def batch(caller: Caller, request: BatchOptions) -> Response:
    """Investigate many questions, keep each as a case, and print one table.

    Raises InputError for a file without questions. A question that cannot be asked is a problem; the others
    are asked.
    """
    from tqdm import tqdm

    from engine.investigation import run_case
    from engine.investigation.ranking.additive import adopted_weights
    from engine.records.conversion import investigation_to_json
    from engine.records.store.chain import fingerprint_of

    questions = read_questions(request.questions)
    settings = caller.settings(request.preset, request.settings, {}, assisted=False)
    corpus, store = caller.corpus(request.corpus), caller.store()
    found: list[CaseSummary] = []
    failed: dict[str, str] = {}
    known = 0
    matter, fingerprint = store.matter(request.matter), fingerprint_of(corpus)
    weights: Experience | None = caller.weights_in(request.matter, corpus)
    ranked_by = adopted_weights(corpus) if weights is None else weights.id
    plain = orjson.loads(orjson.dumps(settings.model_dump(mode="json")))
    for question in tqdm(questions, desc="cases", file=sys.stderr, disable=not sys.stderr.isatty()):
        case_id = store.same(matter, question, plain, fingerprint, ranked_by)
        known += case_id is not None
        if case_id is None:
            try:
                case = run_case(corpus, question, settings, weights=weights)
            except InputError as error:
                failed[question] = str(error)
                continue
            record = investigation_to_json(case.investigation())
            case_id = store.keep(
                record, matter, application="batch", who=caller.name, fingerprint=fingerprint
            )
        found.append(store.summary(case_id))
    return _batch_response(found, failed, known, len(questions))


def read_questions(path: Path) -> list[str]:
    """Return the questions of a file, in order, none twice. Raises InputError, naming file and line."""
    from engine import files

    try:
        text = files.read(files.named(path), LARGEST).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error})") from error
    found: dict[str, None] = {}
    for number, line in enumerate(text.splitlines(), 1):
        question = _question_in(line.strip(), f"{path}, line {number}")
        if len(question) > LONGEST_QUESTION:
            raise InputError(
                f"{path}, line {number}: a question of more than {LONGEST_QUESTION:,} characters"
            )
        if question:
            found[question] = None
    if not found:
        raise InputError(f"{path}: there is no question in it")
    return list(found)


def _question_in(line: str, where: str) -> str:
    if not line.startswith("{"):
        return line
    try:
        text = orjson.loads(line)["text"]
    except (orjson.JSONDecodeError, KeyError) as error:
        raise InputError(
            f"{where}: JSON with a field text is wanted, this is no question ({error})"
        ) from error
    if not isinstance(text, str):
        raise InputError(f"{where}: text is no text")
    return text.strip()


def _batch_response(
    found: Sequence[CaseSummary], failed: Mapping[str, str], known: int, asked: int
) -> Response:
    means = {name: _mean([getattr(one, name) for one in found]) for name in FIGURES}
    cases = [
        {"id": one.id, "question": one.question, "evidence": one.evidence}
        | {name: getattr(one, name) for name in FIGURES}
        for one in found
    ]
    problem = None
    if failed:
        question, why = next(iter(failed.items()))
        problem = InputError(f"{len(failed):,} of {asked:,} could not be asked; {question[:60]!r}: {why}")
    values = {"cases": cases, "means": means, "kept_before": known, "failed": failed}
    return Response(values, _table(found, means, known), problem=problem)


def _table(found: Sequence[CaseSummary], means: dict[str, float | None], known: int) -> Iterator[str]:
    yield "\t".join(("id", "evidence", *FIGURES, "question"))
    for one in found:
        figures = (_figure(getattr(one, name)) for name in FIGURES)
        yield "\t".join((one.id, one.evidence, *figures, one.question))
    count = f"{len(found):,} cases, {known:,} of them kept before"
    yield "\t".join(("mean", "", *map(_figure, means.values()), count))


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"
