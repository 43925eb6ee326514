"""An investigation as its record, saved, and restored from its record."""

from __future__ import annotations

import os
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import accumulate
from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError

from engine.corpus import with_documents
from engine.corpus.protocol import Corpus, Rows
from engine.errors import InputError
from engine.investigation.pool import Entry, Pool, restore_pool
from engine.investigation.presentation import text_of
from engine.investigation.record import Investigation
from engine.llm import Usage
from engine.llm.cost import cache_words, currency_of, usage_values, usage_words
from engine.model import (
    AreaCoverage,
    AreaState,
    Document,
    Evidence,
    FoundBy,
    Metrics,
    PartEvidence,
    Passage,
    RankedPassage,
    RetrieverCount,
    RoundReport,
    Stop,
    Transaction,
)
from engine.records.case_file import CASE, case_bytes
from engine.records.context import badge, edition
from engine.records.phrases import plural, short_citation
from engine.records.plain import check_strategy, convert, first_fault, plain, plan_to_json, referring_passages
from engine.records.record import (
    DIGITS,
    FORMAT,
    READ,
    RECORD,
    AreaPart,
    CaseRecord,
    EvidencePart,
    EvidencePartPart,
    HopPart,
    NodePart,
    PassagePart,
    RoundPart,
    SearchPart,
    ThreadPart,
    read_record,
)
from engine.records.store.chain import begin_case
from engine.retrieval.scan import in_ranking
from engine.settings import InvestigationSettings
from engine.strategy_registry import load_strategies

# A finished investigation as its record.

# Use of language models, as plain values and in words.


def usage_to_json(usage: Mapping[str, Usage]) -> dict[str, Any]:
    """Return the use of each task; money is null if the price is unknown."""
    return {task: usage_values(used) for task, used in usage.items()}


def usage_lines(usage: Mapping[str, Usage], spec: str = "", head: str = "Language model") -> Iterator[str]:
    """Yield the total, a line for each task, and the savings by the provider's cache; nothing without use.

    ``spec`` is the model's; it determines the currency of prices.
    """
    if not usage:
        return
    currency = currency_of(spec)
    total = sum(usage.values(), Usage())
    yield f"{head}: {usage_words(total, currency)}"
    for task, used in usage.items():
        yield f"  {task}: {usage_words(used, currency)}"
    if cached := cache_words(total, currency):
        yield f"  {cached}"


# The record: one JSON form for the command line, the page's API and files.

_NOT_FOUND = FoundBy()


def investigation_to_json(investigation: Investigation) -> dict[str, Any]:
    """Return the record of an investigation, with numbers rounded to six digits.

    Keys: question, corpus, started, day, settings, evidence, plan, threads (descriptions of the strategies),
    passages, transaction, metrics, coverage, rounds, retrievers (contribution of each to the ranking), stop,
    pool, notes, model, usage (of the language model by task), milliseconds; ``message`` if no passage was
    found, ``weights`` (id) if learned weights were used.
    """
    day, rounds = investigation.day, investigation.rounds
    numbers = accumulate((len(report.searches) for report in rounds), initial=0)
    transaction = investigation.transaction
    evidence = investigation.evidence
    result: dict[str, Any] = {
        "format": FORMAT,
        "question": investigation.question,
        "corpus": investigation.corpus,
        "started": investigation.started.isoformat(timespec="seconds"),
        "day": _day(day),
        "settings": investigation.settings.model_dump(mode="json"),
        "evidence": plain(EvidencePart, evidence, parts=[part_to_json(part) for part in evidence.parts]),
        "plan": plan_to_json(investigation.plan),
        "passages": [passage_to_json(ranked, day) for ranked in investigation.passages],
        "transaction": None if transaction is None else plain(Transaction, transaction),
        "metrics": plain(Metrics, investigation.metrics),
        "coverage": [plain(AreaPart, area, passages=len(area.evidence)) for area in investigation.areas],
        "rounds": [round_to_json(report, first) for report, first in zip(rounds, numbers, strict=False)],
        "threads": [
            plain(ThreadPart, thread)
            for name, thread in load_strategies().items()
            if name in investigation.settings.strategies
        ],
        "retrievers": [
            plain(RetrieverCount, count)
            for report in rounds[:1]
            for count in in_ranking(investigation.passages, report.retrievers)
        ],
        "stop": plain(Stop, investigation.stop),
        "pool": pool_to_json(investigation),
        "notes": list(investigation.notes),
        "model": investigation.model,
        "usage": usage_to_json(investigation.usage),
        "milliseconds": round(investigation.milliseconds, 2),
    }
    if investigation.weights:
        result["weights"] = investigation.weights
    if not investigation.passages:
        result["message"] = f"nothing in {investigation.corpus} answers this question"
    return result


def part_to_json(part: PartEvidence) -> dict[str, Any]:
    """Return the evidence for a part of the question, with its best passages first."""
    named = [
        {"id": passage.id, "citation": short_citation(passage, document)}
        for passage, document in part.passages
    ]
    return plain(EvidencePartPart, part, passages=named)


def passage_to_json(ranked: RankedPassage, day: date | None = None) -> dict[str, Any]:
    """Return a ranked passage with its score breakdown and trails; ``validity`` refers to ``day``."""
    passage, document = ranked.passage, ranked.document
    validity = badge(passage, document, day) if day is not None else None
    return plain(
        PassagePart,
        ranked,
        id=passage.id,
        document=document.id,
        title=document.title,
        label=passage.label,
        headings=list(passage.headings),
        language=passage.language,
        page=passage.page,
        status=passage.status or document.status,
        valid_from=_day(passage.valid_from or document.valid_from),
        valid_to=_day(passage.valid_to or document.valid_to),
        validity=None if validity is None else validity.words,
        out_of_force=validity is not None and validity.old,
        edition=edition(document) or None,
        trails=[list(map(HopPart.plain, trail)) for trail in ranked.trails],
    )


def round_to_json(report: RoundReport, first: int) -> dict[str, Any]:
    """Return a round; ``gaps`` are areas without evidence after it. Queries are numbered from ``first``."""
    states = {"before": report.before, "after": report.after}
    return plain(
        RoundPart,
        report,
        coverage={when: {area: state.value for area, state in of.items()} for when, of in states.items()},
        gaps=sorted(area for area, state in report.after.items() if state is not AreaState.COVERED),
        searches=[plain(SearchPart, one, number=number) for number, one in enumerate(report.searches, first)],
    )


def pool_to_json(investigation: Investigation) -> dict[str, Any]:
    """Return the passages of a pool with how each was found, all hops, and the user's decisions.

    ``search`` is the number of the query that found a passage, ``similarity`` its cosine to the question,
    ``referenced_by`` the pool passages that refer to it, ``areas`` those that it is evidence for.
    """
    pool = investigation.pool
    edges = list(map(HopPart.plain, pool.hops()))
    referring, areas = referring_passages(edges), defaultdict[str, list[str]](list)
    for area in investigation.areas:
        for passage in area.evidence:
            areas[passage].append(area.id)
    nodes = []
    for entry in pool.entries():
        name = entry.passage_id
        found = investigation.found.get(name, _NOT_FOUND)
        similarity = None if found.similarity is None else round(found.similarity, DIGITS)
        nodes.append(
            plain(
                NodePart,
                entry,
                search=found.search,
                similarity=similarity,
                referenced_by=referring.get(name, []),
                areas=areas.get(name, []),
            )
        )
    return {
        "nodes": nodes,
        "edges": edges,
        "pinned": sorted(pool.pinned),
        "dismissed": sorted(pool.dismissed),
        "explored": sorted(pool.explored),
    }


def _day(day: Any) -> str | None:
    return None if day is None else str(day.isoformat())


# Saving and restoring of investigations.

# Files of saved investigations.


def save(
    investigation: Investigation,
    path: Path,
    *,
    application: str = "python",
    who: str = "python",
    fingerprint: str = "",
) -> None:
    """Write an investigation as sealed JSON, atomically.

    ``application`` is the kind of caller, ``who`` its user, ``fingerprint`` the state of its corpus. Raises
    InputError.
    """
    record = orjson.loads(orjson.dumps(investigation_to_json(investigation)))
    case = begin_case(record, application=application, who=who, fingerprint=fingerprint)
    write_whole(path, case_bytes(record, case))


def write_whole(path: Path, data: bytes) -> None:
    """Write a file atomically; a link is replaced by the file.

    Raises InputError if it cannot be written, or if the path is a folder, device or pipe.
    """
    try:
        if path.exists() and not path.is_file():
            raise InputError(f"cannot write {path}: the path exists and is not a file")
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
            whole = Path(folder) / path.name
            whole.write_bytes(data)
            os.replace(whole, path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error


def load_record(path: Path) -> CaseRecord:
    """Return the record of a saved investigation. Raises InputError for any other file."""
    return read_record(record_of(path), path)


def record_of(path: Path) -> dict[str, Any]:
    """Return the record of a saved investigation as plain values. Raises InputError for any other file."""
    return {name: value for name, value in values_of(path).items() if name != CASE}


def values_of(path: Path) -> dict[str, Any]:
    """Return the contents of a saved investigation's file. Raises InputError for any other file."""
    none = f"{path}: not a saved investigation"
    try:
        record = orjson.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"{none}: {error.strerror}") from error
    except orjson.JSONDecodeError as error:
        raise InputError(f"{none}: not JSON: {error}") from error
    if not isinstance(record, dict):
        raise InputError(f"{none}: it contains no object")
    for name in ("format", "pool"):
        if name not in record:
            raise InputError(f"{none}: it has no field {name!r}")
    if record["format"] not in READ:
        known = " and ".join(map(str, READ))
        raise InputError(f"{path}: saved in format {record['format']}, this program reads {known}")
    return record


# Restoring an investigation from a record, with its passages as they are in the corpus now.


def load_investigation(path: Path, corpus: Corpus) -> Investigation:
    """Load a saved investigation with its passages as they are in the corpus now.

    If their text has changed since, a note reports it. Raises InputError with file and field for an invalid
    file, or for one that does not fit the corpus.
    """
    return investigation_of(record_of(path), corpus, path)


def investigation_of(values: Mapping[str, Any], corpus: Corpus, where: object = RECORD) -> Investigation:
    """Return the investigation of a record, as ``load_investigation``; ``where`` is named in errors."""
    return restore(read_record(values, where), corpus, where)


def restore(record: CaseRecord, corpus: Corpus, where: object = RECORD) -> Investigation:
    """Return the investigation of a validated record. Raises InputError if it does not fit the corpus."""
    settings = settings_of(record, where)
    pool = pool_of(record, corpus, settings.pool_size, where)
    passages = tuple(_ranked(one, corpus, where) for one in record.passages)
    changed = sum(_changed(one, corpus) for one in passages)
    since = f"the text of {plural(changed, 'passage')} has changed since the case was saved"
    return Investigation(
        question=record.question,
        corpus=record.corpus,
        settings=settings,
        plan=check_strategy(record.plan, f"{where}: plan"),
        rounds=tuple(one.report() for one in record.rounds),
        areas=tuple(convert(AreaCoverage, one) for one in record.coverage),
        stop=record.stop,
        passages=passages,
        pool=pool,
        milliseconds=record.milliseconds,
        started=record.begun,
        day=record.as_of,
        notes=(*record.notes, *([since] if changed else [])),
        model=record.model,
        evidence=_evidence(record.evidence, corpus, where),
        metrics=record.metrics,
        transaction=record.transaction,
        usage=record.used(),
        found={node.id: convert(FoundBy, node) for node in record.pool.nodes},
        weights=record.weights,
    )


def settings_of(record: CaseRecord, where: object = RECORD) -> InvestigationSettings:
    """Return the settings of a record. Raises InputError with the invalid setting."""
    try:
        return InvestigationSettings.model_validate(record.settings)
    except ValidationError as error:
        raise InputError(f"{where}: damaged: settings.{first_fault(error)}") from error


def pool_of(record: CaseRecord, corpus: Corpus, limit: int, where: object = RECORD) -> Pool:
    """Return the pool of a record. Raises InputError if it does not fit the corpus."""
    pool = record.pool
    rows = _rows([node.id for node in pool.nodes], corpus, where)
    entries = [
        Entry(node.id, int(row), node.round, node.strategy, node.score, order)
        for order, (node, row) in enumerate(zip(pool.nodes, rows, strict=True))
    ]
    try:
        return restore_pool(
            max(limit, len(entries)),
            entries,
            [edge.hop() for edge in pool.edges],
            pinned=pool.pinned,
            dismissed=pool.dismissed,
            explored=pool.explored,
        )
    except (KeyError, ValueError) as error:
        raise InputError(f"{where}: damaged: {error}") from error


def _rows(ids: Sequence[str], corpus: Corpus, where: object) -> Rows:
    rows = corpus.rows(ids)
    if (rows < 0).any():
        missing = ids[int((rows < 0).argmax())]
        raise InputError(f"{where}: passage {missing!r} is not in the corpus {corpus.name!r}")
    return rows


def _found(ids: Sequence[str], corpus: Corpus, where: object) -> list[tuple[Passage, Document]]:
    return with_documents(corpus, _rows(ids, corpus, where))


def _ranked(part: PassagePart, corpus: Corpus, where: object) -> RankedPassage:
    [(passage, document), *_] = _found([part.id, *part.assembled, *part.same_words], corpus, where)
    return convert(
        RankedPassage,
        part,
        passage=passage,
        document=document,
        trails=part.hops(),
        assembled_ids=tuple(part.assembled),
    )


def _changed(ranked: RankedPassage, corpus: Corpus) -> bool:
    """Return whether the text of a ranked passage changed in the corpus."""
    return text_of(corpus.passages(corpus.rows(ranked.assembled_ids))) != ranked.text


def _evidence(part: EvidencePart, corpus: Corpus, where: object) -> Evidence:
    parts = tuple(
        PartEvidence(
            one.text,
            one.status,
            tuple(one.missing),
            tuple(_found([passage.id for passage in one.passages], corpus, where)),
        )
        for one in part.parts
    )
    return convert(Evidence, part, parts=parts)
