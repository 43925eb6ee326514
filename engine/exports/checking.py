"""Quotes of a case, held against what its record says and what the text of the corpus is now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from engine.answers.record import Located, verify
from engine.corpus.protocol import Corpus
from engine.investigation.presentation import text_of
from engine.model import Document, Passage
from engine.records.record import CaseRecord


class Check(StrEnum):
    """What came of holding a quote against the text, in the words of a footnote."""

    SAME = "Checked against the text: word for word."
    NOW = (
        "Checked against the text as the corpus has it now; the case does not hold these words, and the "
        "corpus is not known to be the same since."
    )
    DIFFERS = "DIFFERS: the corpus has other words here now."
    RECORDED = "DIFFERS: the case recorded other words here."
    GONE = "COULD NOT BE CHECKED: the corpus that was opened has no such passage."
    UNCHECKED = "Could not be checked: no corpus was opened. The words are those of the record."

    @property
    def holds(self) -> bool:
        """Whether the words were found in the text."""
        return self in (Check.SAME, Check.NOW)

    @property
    def differs(self) -> bool:
        """Whether text and record do not say the same."""
        return self in (Check.DIFFERS, Check.RECORDED)


@dataclass(frozen=True, slots=True)
class Checked:
    """``now`` is what the corpus has where that is not what is quoted."""

    check: Check
    now: str = ""


class Checker:
    """Checks quotes of one case. ``unchanged``: the corpus is in the state in which it was asked."""

    def __init__(self, case: CaseRecord, corpus: Corpus | None, *, unchanged: bool) -> None:
        self.case, self.corpus, self.unchanged = case, corpus, unchanged

    def quoted(self, quote: str, ids: tuple[str, ...]) -> Checked:
        """A quote from consecutive passages of one document. Raises as the corpus does."""
        if self.corpus is None:
            return Checked(Check.UNCHECKED)
        passages = self._passages(ids)
        if passages is None:
            return Checked(Check.GONE)
        pieces = _pieces(quote, passages)
        if not pieces:
            return Checked(Check.DIFFERS, text_of(passages))
        held = [self._recorded(passage_id, words) for passage_id, words in pieces]
        if False in held:
            return Checked(Check.RECORDED)
        return Checked(Check.SAME if None not in held or self.unchanged else Check.NOW)

    def changed(self) -> list[str]:
        """Ids of the ranked passages whose words are not, or not exactly, in the corpus now."""
        return [
            one.id
            for one in self.case.passages
            if self.corpus is not None
            and ((found := self._passages(one.ids)) is None or text_of(found) != one.text)
        ]

    def source(self, passage_id: str) -> tuple[Passage, Document] | None:
        """A passage of the corpus with its document; None where it cannot be had."""
        if self.corpus is None:
            return None
        rows = self.corpus.rows([passage_id])
        if (rows < 0).any():
            return None
        [passage] = self.corpus.passages(rows)
        return passage, self.corpus.documents()[int(self.corpus.document_numbers(rows)[0])]

    def _passages(self, ids: tuple[str, ...]) -> list[Passage] | None:
        if self.corpus is None:
            return None
        rows = self.corpus.rows(list(ids))
        return None if (rows < 0).any() else list(self.corpus.passages(rows))

    def _recorded(self, passage_id: str, words: str) -> bool | None:
        """Whether the record has words in a passage, however they are spaced; None where it does not hold
        that passage."""
        found = self.case.passage_of(passage_id)
        return None if found is None else " ".join(words.split()) in " ".join(found.text.split())


def _pieces(quote: str, passages: Sequence[Passage]) -> list[tuple[str, str]]:
    """The words of each passage that a quote is made of, by its id; nothing where it is not in them."""
    found = verify(quote, passages)
    if isinstance(found, Located):
        texts = {passage.id: passage.text for passage in passages}
        return [(one, texts[one][span.start : span.end]) for one, span in found.places]
    # What is too short to be a quote may still be all that a passage says.
    return [(passage.id, passage.text) for passage in passages] if quote == text_of(passages) else []
