"""Numbered footnotes of a memo: each quote once, the full citation where a passage is first cited."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from engine.answers.record import Citation
from engine.exports.checking import Checker
from engine.exports.memo.content import Note
from engine.exports.memo.names import PassageNames
from engine.records.citation import full_citation
from engine.records.record import PassagePart


class Notes:
    """Gives out the numbers of footnotes in the order in which they are asked for."""

    def __init__(self, checker: Checker, name: PassageNames) -> None:
        self._checker, self._name = checker, name
        self._made: dict[tuple[tuple[str, ...], str], Note] = {}
        self._first: dict[str, int] = {}

    def of_citation(self, citation: Citation) -> int:
        """The note of a citation of an answer."""
        ids = tuple(passage for passage, _ in citation.places)
        return self._note(
            ids, citation.quote, citation.cited, citation.language, citation.validity, citation.old
        )

    def of_passage(self, passage: PassagePart) -> int:
        """The note of a passage of the record, all of whose words are quoted."""
        found = self._checker.source(passage.id)
        if found is not None:
            cited = " ".join(full_citation(*found).split())
        else:
            cited = ", ".join(filter(None, (passage.title or passage.document, passage.where)))
            cited += f" [{passage.id}]"
        validity = passage.validity or ""
        return self._note(passage.ids, passage.text, cited, passage.language, validity, passage.out_of_force)

    def made(self, shown: Collection[str]) -> tuple[Note, ...]:
        """All notes by number, without the quotes that are among the texts ``shown`` in the memo."""
        read = {" ".join(text.split()) for text in shown}
        return tuple(
            replace(note, quote="") if " ".join(note.quote.split()) in read else note
            for note in self._made.values()
        )

    def _note(
        self, ids: tuple[str, ...], quote: str, cited: str, language: str, validity: str, old: bool
    ) -> int:
        known = self._made.get((ids, quote))
        if known is not None:
            return known.number
        found, number = self._checker.quoted(quote, ids), len(self._made) + 1
        above = self._first.setdefault(ids[0], number)
        self._made[ids, quote] = Note(
            number,
            ids[0],
            cited if above == number else self._name(ids[0]),
            language,
            found.check,
            quote,
            found.now,
            validity,
            old,
            None if above == number else above,
        )
        return number
