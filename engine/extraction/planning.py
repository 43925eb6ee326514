"""What there is to read, what of it has been read already, and what the rest may cost at most."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.corpus.extracted.readings import (
    DocumentRead,
    Reading,
    WindowRead,
    load_readings,
    windows_read,
)
from engine.corpus.protocol import Corpus
from engine.errors import CorpusError, InputError
from engine.extraction.prompting import FULL_LIST, VERSION, Said, prompt_for, reader_of, text_tokens
from engine.extraction.windows import Window, windows_of, withheld
from engine.llm import LanguageModel, Usage
from engine.llm.cost import currency_of
from engine.model import Document

Progress = Callable[[str, int, int], None]


def silent(step: str, done: int, total: int) -> None:
    """Nobody listens."""


@dataclass(frozen=True, slots=True)
class Work:
    """A document: its windows, and those that have been read, by key. ``closed``: it was read to its end."""

    document: Document
    windows: tuple[Window, ...]
    read: Mapping[str, WindowRead]
    closed: bool

    @property
    def open(self) -> tuple[Window, ...]:
        """The windows that are still to be read."""
        return tuple(window for window in self.windows if window.key not in self.read)


@dataclass(frozen=True, slots=True)
class Plan:
    """What one run would do: the corpus's folder, who reads, and each document's work. ``withheld`` passages
    address a machine and are not shown to one."""

    folder: Path
    reader: str
    work: tuple[Work, ...]
    withheld: int = 0

    @property
    def windows(self) -> int:
        """Windows of all documents."""
        return sum(len(one.windows) for one in self.work)

    @property
    def open(self) -> int:
        """Windows that are still to be read."""
        return sum(len(one.open) for one in self.work)


@dataclass(frozen=True, slots=True)
class Expected:
    """What reading what is left costs at most. An answer that has to be repaired is another call, which is
    not counted here; a budget stops a run whatever happens. ``withheld`` passages address a machine and
    are not shown to one."""

    documents: int
    windows: int
    already: int
    usage: Usage
    withheld: int = 0
    currency: str = ""


def planned(corpus: Corpus, model: LanguageModel, documents: Sequence[str] = ()) -> Plan:
    """What there is to read in a corpus, or in some of its documents, by id or title.

    Raises InputError for an unknown document, CorpusError where the corpus has no folder or what was read
    before cannot be read, SettingsError where the model's context is too small.
    """
    if corpus.folder is None:
        raise CorpusError(f"{corpus.name!r} lies in no folder: there is no place for what a model reads")
    tokens, reader = text_tokens(model), reader_of(model)
    readings = load_readings(corpus.folder)
    read = windows_read(readings)
    closed = _closed(readings)
    work, kept = [], 0
    for document in chosen(corpus, documents):
        windows = tuple(windows_of(corpus, document, tokens, f"{reader} {VERSION}"))
        keys = tuple(window.key for window in windows)
        own = {key: read[key] for key in keys if key in read}
        work.append(Work(document, windows, own, closed.get(document.id) == keys))
        kept += withheld(corpus, document)
    return Plan(corpus.folder, reader, tuple(work), kept)


def expected(plan: Plan, model: LanguageModel, progress: Progress = silent) -> Expected:
    """What a plan costs at most, window by window; nothing is sent."""
    total, done, count = Usage(), 0, plan.open
    for work in plan.work:
        for window in work.open:
            total += model.expected(prompt_for(window, FULL_LIST), Said)
            done += 1
            progress("Estimating", done, count)
    with_work = sum(bool(work.open) for work in plan.work)
    currency = currency_of(model.spec)
    return Expected(with_work, count, plan.windows - count, total, plan.withheld, currency)


def chosen(corpus: Corpus, names: Sequence[str]) -> list[Document]:
    """All documents, or those with these ids or titles. Raises InputError for a name that nobody has."""
    everything = corpus.documents()
    if not names:
        return everything
    by_name = {document.title: document for document in reversed(everything)}
    by_name |= {document.id: document for document in everything}
    for name in names:
        if name not in by_name:
            raise InputError(f"there is no document {name!r} in {corpus.name!r}")
    wanted = {by_name[name].id for name in names}
    return [document for document in everything if document.id in wanted]


def _closed(readings: Sequence[Reading]) -> Mapping[str, tuple[str, ...]]:
    """The windows of each document that was read to its end."""
    return {one.document: one.windows for one in readings if isinstance(one, DocumentRead)}
