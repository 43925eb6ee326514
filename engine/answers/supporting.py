"""Whether the sources of a sentence that a language model wrote say it: by the check that claims are held to.

Each quote is read with the whole sentences that it stands in: what it leaves out of them binds all the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.answers.audit.holding import asked_of, hold, sentences_around
from engine.answers.audit.windows import readable
from engine.answers.audit.wording import otherwise
from engine.language.characters import western_digits
from engine.language.references import find_mentions
from engine.model import Passage, Span

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class Said:
    """A passage, where a quote stands in it, and how it is cited: a sentence may name the provision it
    quotes."""

    passage: Passage
    span: Span
    cited: str


def doubts_of(text: str, language: str, quotes: Sequence[Said]) -> tuple[str, ...]:
    """Why the sources of a sentence do not say it, in words; nothing where they do. In another language
    nobody tells."""
    language = language.split("-")[0]
    mentions = [one.span for one in find_mentions(text, language) if one.targets and not one.bare]
    said = [_sentences(one) for one in quotes if one.passage.language.split("-")[0] == language]
    doubts = list(_unprinted(text, mentions, quotes))
    if not said:
        return (*doubts, "its quotes are in another language: whether they say it, a person tells")
    asked = asked_of(text, language, mentions)
    together = replace(said[0], text="\n".join(one.text for one in said))
    tried = said if len(said) < 2 else [*said, together]
    found = [hold(asked, readable(one), frozenset) for one in tried]
    alignments = [held.alignment for held in found if held is not None]
    if any(one.complete for one in alignments):
        return tuple(doubts)
    nearest = min(alignments, key=lambda one: (-one.share, one.defects), default=None)
    return (*doubts, otherwise(nearest))


def _sentences(quote: Said) -> Passage:
    """A passage cut to the sentences that a quote stands in."""
    span = sentences_around(quote.span, readable(quote.passage))
    return replace(quote.passage, text=quote.passage.text[span.start : span.end])


def _unprinted(text: str, mentions: Sequence[Span], quotes: Sequence[Said]) -> dict[str, None]:
    """Provisions that a sentence names and neither its quotes nor their sources do."""
    printed = set(
        _NUMBER.findall(western_digits(" ".join(f"{one.passage.text} {one.cited}" for one in quotes)))
    )
    numbers = (
        number[0]
        for span in mentions
        for number in _NUMBER.finditer(western_digits(text[span.start : span.end]))
    )
    return dict.fromkeys(f"“{number}” is not in the quotes" for number in numbers if number not in printed)
