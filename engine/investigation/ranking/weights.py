"""The weights that a corpus is ranked by: the shipped ones, or also weights learned from experts' verdicts.

Weights for all users of a corpus are in the journal of ``engine.corpus.judgements``; those of a matter are
with its cases (``engine.records.store.database``). Learned weights are used only after they are
adopted.
"""

from __future__ import annotations

import base64
import zlib
from typing import Any
from weakref import WeakKeyDictionary

import orjson

from engine.bounded import inflate
from engine.corpus.embedded.publication import WEIGHTS_NAME
from engine.corpus.journal import Journals
from engine.corpus.judgements import (
    LONGEST_KEPT,
    MOST_KEPT,
    Act,
    WeightsLine,
    add_weights,
    latest_act,
    load_weights,
)
from engine.corpus.protocol import Corpus
from engine.errors import CorpusError, InputError, UnpackingError
from engine.investigation.ranking.additive import Experience, experience_from, plain_experience

# Most bytes of unpacked weights.
LONGEST_LEARNED = 100_000_000


def keep_weights(corpus: Corpus, learned: Experience, figures: dict[str, Any], *, reviewer: str = "") -> str:
    """Store learned weights with the figures that are shown for them, and return their id.

    They are not used before ``adopt_weights``. Raises CorpusError if the corpus has no journals, InputError.
    """
    check_room(corpus)
    packed = packed_experience(learned, LONGEST_KEPT * 3 // 4)
    text = base64.b64encode(packed).decode()
    line = WeightsLine(act=Act.KEPT, id=learned.id, figures=figures, learned=text)
    add_weights(_journals(corpus), line, reviewer)
    return learned.id


def check_room(corpus: Corpus) -> None:
    """Raise InputError if the corpus has the most learned weights that it may have, CorpusError."""
    _journals(corpus)
    if len(list_weights(corpus)) >= MOST_KEPT:
        raise InputError(
            f"{corpus.name!r} has {MOST_KEPT} learned weights, which is the limit: remove lines from "
            f"{WEIGHTS_NAME} that are no longer needed"
        )


def packed_experience(learned: Experience, limit: int) -> bytes:
    """Pack learned weights into at most ``limit`` bytes. Raises InputError if they are larger."""
    packed = zlib.compress(orjson.dumps(plain_experience(learned)))
    if len(packed) > limit:
        raise InputError(
            f"the learned weights have {len(packed):,} bytes, and {limit:,} is the limit: learn from fewer "
            "verdicts"
        )
    return packed


def unpacked_experience(packed: bytes) -> Experience:
    """Unpack learned weights. Raises ValueError for invalid bytes."""
    try:
        return experience_from(orjson.loads(inflate(packed, LONGEST_LEARNED)))
    except (ValueError, KeyError, TypeError, UnpackingError) as error:
        raise ValueError(str(error) or type(error).__name__) from error


def adopt_weights(corpus: Corpus, weights: str, *, reviewer: str = "") -> None:
    """Use stored weights from now on. Raises InputError for an unknown id, CorpusError."""
    experience_of(corpus, weights)
    if not weights:
        raise InputError("name the weights by their id, which `weights list` shows")
    add_weights(_journals(corpus), WeightsLine(act=Act.ADOPTED, id=weights), reviewer)


def ship_weights(corpus: Corpus, *, reviewer: str = "") -> None:
    """Use the weights that come with the engine again. Raises CorpusError."""
    add_weights(_journals(corpus), WeightsLine(act=Act.SHIPPED), reviewer)


def list_weights(corpus: Corpus) -> list[str]:
    """Return the ids of the weights stored for a corpus, oldest first. Raises CorpusError."""
    return [line.id for line in _lines(corpus) if line.act is Act.KEPT]


def adopted_weights(corpus: Corpus) -> str:
    """Return the id of the adopted weights, "" for the shipped ones. Raises CorpusError."""
    line = latest_act(_lines(corpus))
    return "" if line is None else line.id


def experience_of(corpus: Corpus, weights: str | None) -> Experience | None:
    """Return learned weights: the adopted ones for None, None for "", else those with the id.

    Raises InputError for an unknown id, CorpusError.
    """
    if weights == "" or corpus.journals is None:
        if weights:
            raise _unknown(weights, corpus)
        return None
    cached = _BY_CORPUS.setdefault(corpus, {})
    stamp = corpus.journals.stamp(WEIGHTS_NAME)
    found = cached.get(weights)
    if found is None or found[0] != stamp:
        found = cached[weights] = (
            stamp,
            _read(corpus, adopted_weights(corpus) if weights is None else weights),
        )
    return found[1]


_BY_CORPUS: WeakKeyDictionary[Corpus, dict[str | None, tuple[tuple[int, ...], Experience | None]]] = (
    WeakKeyDictionary()
)


def _read(corpus: Corpus, weights: str) -> Experience | None:
    if not weights:
        return None
    lines = reversed(_lines(corpus))
    line = next((line for line in lines if line.act is Act.KEPT and line.id == weights), None)
    if line is None:
        raise _unknown(weights, corpus)
    try:
        return unpacked_experience(base64.b64decode(line.learned))
    except ValueError as error:
        raise CorpusError(
            f"{corpus.name!r}: the learned weights {weights!r} cannot be read ({error}); `weights ship` "
            "goes back to the shipped ones"
        ) from error


def _lines(corpus: Corpus) -> list[WeightsLine]:
    return [] if corpus.journals is None else load_weights(corpus.journals)


def _journals(corpus: Corpus) -> Journals:
    if corpus.journals is None:
        raise CorpusError(f"{corpus.name!r} has no journals, which learned weights are stored in")
    return corpus.journals


def _unknown(weights: str, corpus: Corpus) -> InputError:
    known = ", ".join(list_weights(corpus)[-10:]) or "none"
    return InputError(f"{corpus.name!r} has no learned weights {weights[:64]!r}; known: {known}")
