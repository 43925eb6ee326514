"""The provisions that a rule cites: ids of the corpus, or citations in words that its grammars resolve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np

from engine.corpus.protocol import Corpus, Rows
from engine.language.references import Resolver, find_mentions
from engine.model import Passage, Section, Status

# Of a longer provision its first passages are shown; the whole is a click away.
MOST_SHOWN = 8


@dataclass(frozen=True, slots=True)
class CitedText:
    """A passage of a cited provision, verbatim. ``validity`` is empty where it is in force on the day, or
    nothing is known of it; else "no longer in force" or "not yet in force"."""

    passage_id: str
    label: str
    document: str
    text: str
    language: str
    validity: str


@dataclass(frozen=True, slots=True)
class Citation:
    """What a rule cites. ``problem`` says in words why it leads nowhere; ``more`` counts the passages of the
    provision that are not among ``texts``."""

    said: str
    texts: tuple[CitedText, ...] = ()
    more: int = 0
    problem: str = ""

    @property
    def lapsed(self) -> str:
        """What is wrong with its validity, where that is so of all that is shown; else empty."""
        found = {text.validity for text in self.texts}
        return found.pop() if len(found) == 1 else ""


class Citations:
    """Looks citations up in one corpus. Get one from ``citations_of``: building it reads the whole corpus
    where a citation is in words."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._lock = Lock()

    def find(self, said: str, day: date, languages: Sequence[str] = ("en",)) -> Citation:
        """The provision that an id or a citation in words names, as it stands on a day."""
        rows, problem = self._rows(said.strip(), languages)
        if rows is None:
            return Citation(said, problem=problem)
        shown = rows[:MOST_SHOWN]
        documents = self._corpus.documents()
        gone = self._corpus.out_of_force(day)[shown]
        valid = self._corpus.in_force(day)[shown]
        texts = []
        numbers = self._corpus.document_numbers(shown)
        for place, passage in enumerate(self._corpus.passages(shown)):
            document = documents[int(numbers[place])]
            validity = "no longer in force" if gone[place] else "" if valid[place] else "not yet in force"
            texts.append(
                CitedText(
                    passage.id,
                    passage.label or passage.id,
                    document.title or document.id,
                    passage.text,
                    passage.language,
                    validity,
                )
            )
        return Citation(said, tuple(texts), max(0, len(rows) - MOST_SHOWN))

    def _rows(self, said: str, languages: Sequence[str]) -> tuple[Rows | None, str]:
        direct = self._by_id(said)
        if direct is not None:
            return direct, ""
        problem = "it names no provision"
        for language in dict.fromkeys((*languages, *self._corpus.info().languages)):
            mentions = find_mentions(said, language)
            if not mentions or not len(self._corpus):
                continue
            with self._lock:
                # Its words alone are read; whoever speaks them is of no matter.
                speaker = replace(self._speaker, text=said, language=language)
                found = self._resolver.resolve(mentions, speaker)
            for reference in found:
                if reference.status is Status.RESOLVED and reference.target_id is not None:
                    rows = self._by_id(reference.target_id)
                    if rows is not None:
                        return rows, ""
                if reference.status is Status.AMBIGUOUS:
                    problem = f"it may mean {', '.join(reference.candidates[:4])}"
                else:
                    problem = "this corpus has no such provision"
        return None, problem

    def _by_id(self, name: str) -> Rows | None:
        row = int(self._corpus.rows([name])[0])
        if row >= 0:
            return np.asarray([row], np.int32)
        if name in self._sections:
            return self._sections[name]
        if name in self._documents:
            return self._corpus.by_document([name])[0][:1]
        return None

    @cached_property
    def _documents(self) -> frozenset[str]:
        return frozenset(document.id for document in self._corpus.documents())

    @cached_property
    def _all_sections(self) -> list[Section]:
        return [
            section
            for number in range(len(self._corpus.documents()))
            for section in self._corpus.sections(self._corpus.document_sections(number).tolist())
        ]

    @cached_property
    def _sections(self) -> dict[str, Rows]:
        documents = [document.id for document in self._corpus.documents()]
        first = dict(zip(documents, self._corpus.by_document(documents), strict=True))
        return {
            section.id: first[section.document_id][section.first : section.stop]
            for section in self._all_sections
            if section.stop > section.first
        }

    @cached_property
    def _speaker(self) -> Passage:
        return self._corpus.passages(np.zeros(1, np.int32))[0]

    @cached_property
    def _resolver(self) -> Resolver:
        everything = self._corpus.passages(np.arange(len(self._corpus), dtype=np.int32))
        return Resolver(self._corpus.documents(), self._all_sections, everything)


_KNOWN: WeakKeyDictionary[Corpus, Citations] = WeakKeyDictionary()


def citations_of(corpus: Corpus) -> Citations:
    """The citations of an open corpus, kept as long as the corpus is open."""
    found = _KNOWN.get(corpus)
    if found is None:
        found = _KNOWN.setdefault(corpus, Citations(corpus))
    return found
