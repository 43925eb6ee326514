"""The words that matter in a text: what each is to its sentence, and by what it is compared."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engine.language.statements.quantities import Quantity
from engine.model import Span


class Sort(StrEnum):
    """What a word is to a sentence."""

    CONTENT = "word"
    MODAL = "modal verb"
    NOT = "negation"
    ALL = "quantifier"
    CONDITION = "condition"
    EXCEPT = "exception"
    ONLY = "only"
    LIMIT = "limit"
    NUMBER = "number"
    REFERENCE = "reference"


# The marks of who does it, and of whose it is.
AGENT, GENITIVE = "agent", "of"
# What may not be left out of a sentence, and not be added to it, without another meaning.
BINDING = frozenset((Sort.NOT, Sort.CONDITION, Sort.EXCEPT, Sort.ONLY))


@dataclass(frozen=True, slots=True)
class Token:
    """A word that matters. ``key`` is what it is compared by, ``own`` the same without synonyms; ``mark`` the
    word in front that tells its part, ``passive``: it stands behind a verb of the passive. ``sentence``
    counts the sentences of the text, ``opened`` is how the run of words begins that it is the
    first of: "," "and", "or", "(" or ""; ``joined``: nothing stands between it and the one before.
    ``aside``: it restricts nothing ("in particular ..."); ``article`` is the one in front, ``free``: an
    adverb, or in German a word that is no noun. ``quantity`` is set for numbers."""

    sort: Sort
    key: str
    own: str
    word: str
    span: Span
    mark: str = ""
    passive: bool = False
    bracket: bool = False
    sentence: int = 0
    opened: str = ""
    joined: bool = False
    relative: bool = False
    aside: bool = False
    article: str = ""
    free: bool = False
    quantity: Quantity | None = None
