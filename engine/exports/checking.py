"""Verification of a case's quotes against its record and the current corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from engine.answers.record import Located, verify
from engine.corpus import find_passages
from engine.corpus.protocol import Corpus
from engine.investigation.presentation import text_of
from engine.model import Document, Passage
from engine.records.record import CaseRecord


class Check(StrEnum):
    """The result of checking a quote, as a sentence for a footnote."""

    SAME = "Checked against the text: word for word."
    NOW = (
        "Checked against the text as the corpus has it now; these words are not in the case, and the "
        "corpus is not known to be the same since."
    )
    DIFFERS = "DIFFERS: the corpus has a different text here now."
    RECORDED = "DIFFERS: the case recorded a different text here."
    NOT_FOUND = "COULD NOT BE CHECKED: this passage is not in the opened corpus."
    UNCHECKED = "Could not be checked: no corpus was opened. The quote is from the record."

    @property
    def holds(self) -> bool:
        """True if the quote was found in the corpus."""
        return self in (Check.SAME, Check.NOW)

    @property
    def differs(self) -> bool:
        """True if corpus and record differ."""
        return self in (Check.DIFFERS, Check.RECORDED)


@dataclass(frozen=True, slots=True)
class Checked:
    """The result; ``now`` is the corpus's text if it differs from the quote."""

    check: Check
    now: str = ""


class Checker:
    """Checks quotes of a case. ``unchanged``: the corpus is in the same state as when the case ran."""

    def __init__(self, case: CaseRecord, corpus: Corpus | None, *, unchanged: bool) -> None:
        self.case, self.corpus, self.unchanged = case, corpus, unchanged

    def quoted(self, quote: str, ids: tuple[str, ...]) -> Checked:
        """Check a quote from consecutive passages of a document. Raises as the corpus does."""
        if self.corpus is None:
            return Checked(Check.UNCHECKED)
        passages = self._passages(ids)
        if passages is None:
            return Checked(Check.NOT_FOUND)
        pieces = _pieces(quote, passages)
        if not pieces:
            return Checked(Check.DIFFERS, text_of(passages))
        held = [self._recorded(passage_id, words) for passage_id, words in pieces]
        if False in held:
            return Checked(Check.RECORDED)
        return Checked(Check.SAME if None not in held or self.unchanged else Check.NOW)

    def changed(self) -> list[str]:
        """Return the ids of ranked passages whose exact text is no longer in the corpus."""
        return [
            one.id
            for one in self.case.passages
            if self.corpus is not None
            and ((found := self._passages(one.ids)) is None or text_of(found) != one.text)
        ]

    def source(self, passage_id: str) -> tuple[Passage, Document] | None:
        """Return a passage of the corpus with its document, None if unavailable."""
        return None if self.corpus is None else find_passages(self.corpus, [passage_id]).get(passage_id)

    def _passages(self, ids: tuple[str, ...]) -> list[Passage] | None:
        if self.corpus is None:
            return None
        rows = self.corpus.rows(list(ids))
        return None if (rows < 0).any() else list(self.corpus.passages(rows))

    def _recorded(self, passage_id: str, words: str) -> bool | None:
        """Return whether the record's text of a passage contains words; None if it lacks the passage."""
        found = self.case.passage_of(passage_id)
        return None if found is None else " ".join(words.split()) in " ".join(found.text.split())


def _pieces(quote: str, passages: Sequence[Passage]) -> list[tuple[str, str]]:
    """Return the parts of a quote in each passage, with their ids; empty if they are not found."""
    found = verify(quote, passages)
    if isinstance(found, Located):
        texts = {passage.id: passage.text for passage in passages}
        return [(one, texts[one][span.start : span.end]) for one, span in found.places]
    # Too short to verify as a quote, but it may be the complete passage.
    return [(passage.id, passage.text) for passage in passages] if quote == text_of(passages) else []
