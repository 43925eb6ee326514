"""What kind of answer a question asks for, told by its own words."""

from __future__ import annotations

from dataclasses import dataclass

from engine.language.characters import shortened
from engine.model import Intent
from engine.retrieval.planning.words import words_of

# A question that compares, or asks for one thing through another, says so; "how long" may stand in either.
_ORDER = (Intent.COMPARATIVE, Intent.MULTI_HOP, Intent.LOOKUP, Intent.EXPLORATORY)
LONGEST_EVIDENCE = 60


@dataclass(frozen=True, slots=True)
class Told:
    """An intent and the words of the question that told it; none where it is only the usual one."""

    intent: Intent
    evidence: tuple[str, ...]


def intent_of(text: str, language: str, references: tuple[str, ...] = ()) -> Told:
    """The intent of a question. ``references`` are the provisions that it names.

    The first of comparative, multi-hop, lookup, exploratory that its words tell; exploratory where they
    tell nothing. A question that names a provision and asks for nothing wider looks that up.
    """
    words = words_of(language)
    for intent in _ORDER:
        found = [match[0].strip() for one in words.intent.get(intent, ()) if (match := one.search(text))]
        if intent is Intent.LOOKUP and references:
            found += list(references)
        if found:
            return Told(
                intent, tuple(shortened(evidence, LONGEST_EVIDENCE) for evidence in dict.fromkeys(found))
            )
    return Told(Intent.EXPLORATORY, ())
