"""The references of an audited text, resolved in the corpus it is audited against.

The text is read as a document of its own that stands beside those of the corpus, in force on the day of
the audit. A bare "Article 14(2)" means the document that the text cited last, else one of those that speak
of the claim.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from weakref import WeakKeyDictionary, proxy

import numpy as np

from engine.answers.audit.record import Citation
from engine.corpus.protocol import Corpus
from engine.language.references import Mention, Resolver, find_mentions
from engine.language.references.definitions import DefinedName
from engine.model import Document, Passage, Reference, Status, TargetKind

_PASTED = "\x00pasted"


class _Nothing:
    """Readings of a corpus whose names are those of its documents alone."""

    def mentions(self, row: int) -> Sequence[Mention]:
        """No passage is asked what it cites."""
        return ()

    def names(self) -> Iterator[tuple[int, str, DefinedName]]:
        """Documents bear the names that they have themselves."""
        return iter(())


class Citing:
    """Resolves references to the passages of one corpus. Made once per corpus: see ``citing``."""

    def __init__(self, corpus: Corpus) -> None:
        # It is kept as long as the corpus is open, and must not keep it open.
        self._corpus: Corpus = proxy(corpus)
        self._documents = corpus.documents()
        numbers = [corpus.document_sections(number) for number in range(len(self._documents))]
        sections = corpus.sections(np.sort(np.concatenate(numbers)).tolist()) if numbers else []
        self._sections = {section.id: section for section in sections}
        self._passages = [
            replace(passage, text="", headings=())
            for passage in corpus.passages(np.arange(len(corpus), dtype=np.int32))
        ]
        pasted = Document(_PASTED, "")
        self._passages.append(Passage(_PASTED, _PASTED, None, 0, ""))
        self._resolver = Resolver([*self._documents, pasted], sections, self._passages, _Nothing())
        self._names = {
            name.casefold()
            for document in self._documents
            for name in (document.title, *document.aliases)
            if name
        }

    def cite(self, text: str, language: str, day: date, context: Sequence[int] = ()) -> list[Citation]:
        """The references of a text, in order. ``context`` are numbers of documents that bare ones may mean,
        the likeliest first."""
        mentions = [mention for mention in find_mentions(text, language) if not mention.bare]
        return [self._citation(mention, text, language, day, context) for mention in mentions]

    def _citation(
        self, mention: Mention, text: str, language: str, day: date, context: Sequence[int]
    ) -> Citation:
        known = mention.document is not None and self._is_known(mention.document)
        pasted = Passage(_PASTED, _PASTED, None, 0, text, language, valid_from=day)
        self._passages[-1] = pasted
        found = self._resolver.resolve([mention], pasted)
        if not any(one.status is Status.RESOLVED for one in found) and mention.document is None:
            for number in context:
                inside = self._inside(mention, text, number, day)
                if any(one.status is Status.RESOLVED for one in inside):
                    found, known = inside, True
                    break
        resolved = [one for one in found if one.status is Status.RESOLVED]
        rows = sorted({row for one in resolved for row in self._rows(one)})
        if resolved:
            return Citation(mention.span, mention.text, str(Status.RESOLVED), tuple(rows), True)
        unclear = any(one.status is Status.AMBIGUOUS for one in found)
        status = Status.AMBIGUOUS if unclear else Status.UNRESOLVED
        return Citation(mention.span, mention.text, str(status), (), known)

    def _inside(self, mention: Mention, text: str, number: int, day: date) -> list[Reference]:
        """A reference, read as if it stood in a document of the corpus."""
        (rows,) = self._corpus.by_document([self._documents[number].id])
        last = self._passages[int(rows[-1])]
        return self._resolver.resolve([mention], replace(last, text=text, valid_from=day))

    def _is_known(self, name: str) -> bool:
        plain = name.casefold().removeprefix("the ").strip()
        return plain in self._names or any(
            plain.startswith(known) or known.startswith(plain) for known in self._names if len(plain) > 2
        )

    def _rows(self, reference: Reference) -> Sequence[int]:
        if reference.target_id is None:
            return ()
        if reference.target_kind is TargetKind.PASSAGE:
            row = int(self._corpus.rows([reference.target_id])[0])
            return (row,) if row >= 0 else ()
        if reference.target_kind is TargetKind.SECTION:
            section = self._sections[reference.target_id]
            (rows,) = self._corpus.by_document([section.document_id])
            return [int(row) for row in rows[section.first : section.stop]]
        (rows,) = self._corpus.by_document([reference.target_id])
        return [int(row) for row in rows]


_MADE: WeakKeyDictionary[Corpus, Citing] = WeakKeyDictionary()


def citing(corpus: Corpus) -> Citing:
    """The resolver of a corpus, made at the first call."""
    made = _MADE.get(corpus)
    if made is None:
        made = _MADE[corpus] = Citing(corpus)
    return made
