"""The export formats by name, and the cases that they write.

A format is an ``Export`` in a module of ``engine.exports.formats``, or an entry point of the group
``redstring.exports``. Command line, endpoints and page offer all of them.
"""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from enum import Enum
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any
from urllib.parse import urlsplit

import orjson

from engine.corpus import find_passages
from engine.corpus.protocol import Corpus
from engine.errors import InputError, RedstringError, SettingsError, without_folders
from engine.exports import formats
from engine.llm.connection import read_spec
from engine.model import NOTHING, Document, Passage
from engine.records.phrases import full_citation, short_citation, trail_sentence
from engine.records.record import RECORD, CaseRecord, HopPart, PassagePart, read_record
from engine.records.store import Owner
from engine.records.store.chain import UNDONE, Event, SealedCase, digest
from engine.records.store.database import CaseSummary
from engine.records.store.store import CaseStore
from engine.review.case_verdicts import case_verdicts, finished_judgements, passage_gains
from engine.review.model import Assessment
from engine.review.store import ReviewStore

GROUP = "redstring.exports"
_FORBIDDEN_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class ExportableCase:
    """A case as formats read it; ``record`` comes from ``investigation_to_json``.

    ``summary``, ``events``, ``notes`` and the name of its ``matter`` are set for a stored case, ``corpus`` if
    it can be opened to check quotes. ``today`` is the date of the export, None to leave it out, so that the
    bytes depend on the case only. ``case`` is its chain with earlier records, if available. ``verdicts`` are
    current verdicts of reviewers if requested; ``judgements`` are relevance gains by passage id
    (``review.exchange``) without reviewers' names, if the review is complete.
    """

    record: Mapping[str, Any]
    summary: CaseSummary | None = None
    events: Sequence[Event] = field(default=())
    notes: str = ""
    corpus: Corpus | None = None
    matter: str = ""
    today: date | None = None
    case: SealedCase | None = None
    verdicts: Sequence[Assessment] = field(default=())
    judgements: Mapping[str, int] = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True, slots=True)
class Export:
    """A format: ``name`` for commands, ``title`` for the page, ``meaning`` for its readers.

    ``write`` returns the bytes of a file with the ending ``suffix``; it raises InputError if the case lacks
    data that the format requires.
    """

    name: str
    title: str
    meaning: str
    suffix: str
    media_type: str
    write: Callable[[ExportableCase], bytes]


@cache
def exports() -> Mapping[str, Export]:
    """Return all formats by name, in alphabetical order."""
    found: dict[str, Export] = {}
    for module in pkgutil.iter_modules(formats.__path__):
        values = vars(import_module(f"{formats.__name__}.{module.name}")).values()
        found |= {one.name: one for one in values if isinstance(one, Export)}
    for point in entry_points(group=GROUP):
        export = point.load()
        found[export.name] = export
    return dict(sorted(found.items()))


def export_of(name: str) -> Export:
    """Return a format by name. Raises InputError for an unknown one."""
    found = exports().get(name)
    if found is None:
        raise InputError(f"unknown format {name!r}; known: {', '.join(exports())}")
    return found


def for_xml(text: str) -> str:
    """Replace characters that are invalid in XML 1.0 by U+FFFD.

    These are control characters, surrogates and two noncharacters. https://www.w3.org/TR/xml/#charsets
    """
    return _FORBIDDEN_IN_XML.sub("\ufffd", text)


# Cases to export: loaded, validated, without private data, and the citations of their passages.

# Cases before export: validation, and removal of private data.

# Removal of private data from a record: folders, and the address of the language model.

_ADDRESS = re.compile(r"@(https?://[^?\s]*)")


def without_machine(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a record without folders and the address of the language model."""
    address = _ADDRESS.search(_text(record.get("model")))
    host = "" if address is None else urlsplit(address[1]).netloc

    def clean(text: str) -> str:
        cleaned = without_folders(text)
        return cleaned.replace(host, "its server") if host else cleaned

    found = dict(record)
    found["model"] = _ADDRESS.sub("", _text(record.get("model")))
    found["notes"] = [clean(_text(note)) for note in _listed(record.get("notes"))]
    found["retrievers"] = _without(record.get("retrievers"), "off", clean)
    found["rounds"] = [
        {**one, "retrievers": _without(one.get("retrievers"), "off", clean)}
        for one in _listed(record.get("rounds"))
        if isinstance(one, Mapping)
    ]
    settings = record.get("settings")
    if isinstance(settings, Mapping) and isinstance(settings.get("reranker"), str):
        found["settings"] = {**settings, "reranker": clean(settings["reranker"])}
    return found


def _without(values: Any, name: str, clean: Callable[[str], str]) -> list[Any]:
    return [
        {**one, name: clean(_text(one.get(name)))} if isinstance(one, Mapping) else one
        for one in _listed(values)
    ]


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else ()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def record_in(case: ExportableCase) -> CaseRecord:
    """Return the validated record of a case. Raises InputError with the damaged field."""
    return read_record(case.record)


def private_record_in(case: ExportableCase) -> CaseRecord:
    """Return the validated record without folders and hosts. Raises InputError with the damaged field."""
    return read_record(without_machine(case.record))


def state_of(case: ExportableCase) -> str:
    """Return the digest of the record, as events name it. Raises InputError if it cannot be JSON."""
    try:
        return digest(orjson.dumps(dict(case.record), option=orjson.OPT_SORT_KEYS))
    except TypeError as error:
        raise InputError(f"{RECORD}: damaged: {error}") from error


def events_in(case: ExportableCase) -> Sequence[Event]:
    """Return the events of a case, empty if it is not stored.

    Raises InputError for an event without a time, or for the undo of an unknown event.
    """
    for event in case.events:
        try:
            datetime.fromisoformat(event.at)
            int(event.data["event"] if event.kind == UNDONE else 0)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"event {event.number} of this case is damaged: run `cases verify`") from error
    return case.events


# The name of the language model in exports.


def model_name(spec: str) -> str:
    """Return the name of a model without its server's address; empty without a model."""
    try:
        return read_spec(spec).model if spec else ""
    except SettingsError:
        return spec.partition("@")[0].rpartition("/")[2]


# Stored cases loaded for export.


class Verdicts(Enum):
    """Which verdicts an export includes."""

    NONE = "none"
    UNNAMED = "unnamed"
    NAMED = "named"


def load_for_export(
    store: CaseStore,
    case_id: str,
    owner: Owner,
    corpus_of: Callable[[str], Corpus | None],
    reviews: ReviewStore,
    verdicts: Verdicts = Verdicts.NONE,
) -> ExportableCase:
    """Load a case of ``owner`` for export.

    ``corpus_of`` opens a corpus by name; if it fails, quotes are not checked. ``verdicts`` selects the
    verdicts from ``reviews``; without any, the export has anonymous judgements once the review is complete.
    Raises as ``CaseStore``.
    """
    handed, summary = store.handed(case_id, owner), store.summary(case_id, owner)
    assessments: Sequence[Assessment] = ()
    if verdicts is not Verdicts.NONE:
        assessments = case_verdicts(reviews, case_id, owner, named=verdicts is Verdicts.NAMED)
    matters = {one.id: one.name for one in store.matters(owner)}
    return ExportableCase(
        handed.record,
        summary,
        handed.case.events,
        handed.case.notes,
        _corpus(corpus_of, handed.record["corpus"]),
        matters.get(summary.matter, ""),
        datetime.now(UTC).date(),
        handed.case,
        assessments,
        passage_gains(assessments) if assessments else finished_judgements(reviews, case_id, owner),
    )


def load_shared(store: CaseStore, case_id: str, corpus_of: Callable[[str], Corpus | None]) -> ExportableCase:
    """Load a shared case: its record, without notes and events. Raises as ``CaseStore``."""
    summary, record = store.shared(case_id)
    corpus = _corpus(corpus_of, record["corpus"])
    return ExportableCase(record, summary, corpus=corpus, today=datetime.now(UTC).date())


def _corpus(corpus_of: Callable[[str], Corpus | None], name: str) -> Corpus | None:
    try:
        return corpus_of(name)
    except RedstringError:
        return None


# Citations of a record's passages: from the record if ranked, else from the corpus if open, else
# the id.

Found = tuple[Passage, Document]


@dataclass(frozen=True, slots=True)
class Names:
    """Citations of passages by id."""

    found: Mapping[str, Found]

    def passage(self, passage_id: str) -> Passage | None:
        """Return a passage, None if only its id is known."""
        known = self.found.get(passage_id)
        return None if known is None else known[0]

    def document(self, passage_id: str) -> Document | None:
        """Return the document of a passage, None if unknown."""
        known = self.found.get(passage_id)
        return None if known is None else known[1]

    def short(self, passage_id: str) -> str:
        """Return the short citation of a passage for trails."""
        known = self.found.get(passage_id)
        return passage_id if known is None else short_citation(*known)

    def full(self, passage_id: str) -> str:
        """Return the full citation of a passage for memos."""
        known = self.found.get(passage_id)
        return passage_id if known is None else full_citation(*known)

    def sentence(self, trail: Sequence[HopPart]) -> str:
        """Return a trail as a sentence, from the passage back to the question."""
        return trail_sentence([step.hop() for step in trail], self.short)


def names_of(record: CaseRecord, corpus: Corpus | None = None) -> Names:
    """Return the citations of all passages of a record."""
    found = {} if corpus is None else find_passages(corpus, [node.id for node in record.pool.nodes])
    return Names({**found, **{one.id: _of_record(one, found.get(one.id)) for one in record.passages}})


def _of_record(ranked: PassagePart, known: Found | None) -> Found:
    """Return a passage of the record, with the document's short names from the corpus."""
    passage = Passage(
        ranked.id,
        ranked.document,
        None,
        0,
        ranked.text,
        language=ranked.language,
        label=ranked.label,
        page=ranked.page,
    )
    if known is not None and known[1].id == ranked.document:
        return passage, known[1]
    return passage, Document(ranked.document, ranked.title)
