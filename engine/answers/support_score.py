"""How many sentences of an answer the check of claims finds said, each by the sources that it cites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.answers.audit import Auditor, Finding
from engine.answers.record import Answer


@dataclass(frozen=True, slots=True)
class SentenceChecked:
    """A sentence of an answer, and what the check of claims finds of it with its citations."""

    text: str
    finding: Finding
    reason: str

    @property
    def said(self) -> bool:
        """Whether the sources say so, in force or not."""
        return self.finding in (Finding.SUPPORTED, Finding.OUTDATED)


def checked_sentences(told: Answer, auditor: Auditor) -> tuple[SentenceChecked, ...]:
    """Each sentence of an answer, checked with its own citations."""
    named = {one.number: one.short for one in told.citations}
    found = []
    for sentence in told.sentences:
        cited = "; ".join(named[number] for number in sentence.citations)
        claim = f"{sentence.text.rstrip('.')} ({cited})." if cited else sentence.text
        checked = auditor.claim(claim, sentence.language)
        found.append(SentenceChecked(sentence.text, checked.finding, checked.reason))
    return tuple(found)


def share_said(checked: Sequence[SentenceChecked]) -> float | None:
    """The share of sentences that the sources say, 0..1; None without any."""
    return sum(one.said for one in checked) / len(checked) if checked else None
