"""How surely a term is a thing with a name: a score between 0 and 1.

Three independent witnesses, put together by noisy or, ``1 - (1 - a)(1 - b)(1 - c)`` (Pearl 1988):

a. *How the texts speak of it*: they define it, give it a role or a document of that title (.8); its words
   say that it is a body, or it is an acronym (.5); it stands above provisions (.5); it is written as a name,
   in several words (.25) or one (.1).
b. *Capitals*: up to .5, as the passages that mention it write it with capitals; nothing where no more than
   half of them do. Scripts without capitals say nothing, nor do nouns where each has one; that of an
   adjective before it does ("Deutsche Bundesbank").
c. *Spread*: up to .3, by the logarithm of the number of documents that mention it; all of it from 16 on.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.model import EntityKind

# An entity is kept from this score on. From .5 on it cost recall in rulebooks, whose terms are often used
# without a definition (benchmarks/RESULTS.md, "Entities"); three quarters of those between are real, too.
LEAST_SCORE = 0.3
STATED, BY_WORDS, ABOVE, SEVERAL_WORDS, ONE_WORD = 0.8, 0.5, 0.5, 0.25, 0.1
CAPITALS, SPREAD, MANY_DOCUMENTS = 0.5, 0.3, 16
_OF_KIND = {
    EntityKind.DEFINED_TERM: STATED,
    EntityKind.TITLE: STATED,
    EntityKind.STANDARD: STATED,
    EntityKind.ORGANISATION: BY_WORDS,
    EntityKind.ACRONYM: BY_WORDS,
    EntityKind.HEADING: ABOVE,
}


def stated(kind: EntityKind, *, defined: bool, one_word: bool) -> float:
    """What the way in which texts speak of a term says for it."""
    if defined:
        return STATED
    return _OF_KIND.get(kind, ONE_WORD if one_word else SEVERAL_WORDS)


def name_scores(
    said: Sequence[float] | NDArray[np.float32],
    capitals: NDArray[np.float32],
    documents: NDArray[np.int64],
) -> NDArray[np.float32]:
    """The scores of terms, shape (terms,): from what ``stated`` gives, the share of their mentions that have
    capitals (NaN where these say nothing) and the number of documents that mention them."""
    by_capitals = CAPITALS * np.clip(2.0 * np.nan_to_num(capitals, nan=0.5) - 1.0, 0.0, 1.0)
    by_spread = SPREAD * np.clip(np.log(np.maximum(documents, 1)) / np.log(MANY_DOCUMENTS), 0.0, 1.0)
    doubt = (1.0 - np.asarray(said, np.float32)) * (1.0 - by_capitals) * (1.0 - by_spread)
    scores: NDArray[np.float32] = (1.0 - doubt).astype(np.float32)
    return scores
