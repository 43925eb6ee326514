"""By which weights a corpus is ranked: the shipped ones, or with what was learned of experts' verdicts.

What was learned for all who ask a corpus is kept in the journal of ``engine.corpus.judgements``; what
belongs to a matter alone is kept with its cases (``engine.records.store.matter_weights``). It is never
adopted by itself.
"""

from __future__ import annotations

import base64
import zlib
from typing import Any
from weakref import WeakKeyDictionary

import orjson

from engine.corpus.embedded.publication import WEIGHTS_NAME
from engine.corpus.journal import Journals
from engine.corpus.judgements import (
    LONGEST_KEPT,
    MOST_KEPT,
    Act,
    WeightsLine,
    acted,
    add_weights,
    load_weights,
)
from engine.corpus.protocol import Corpus
from engine.errors import CorpusError, InputError, UnpackingError
from engine.investigation.ranking.additive import Experience, experience_from, plain_experience
from engine.unpacking import inflate

# Bytes of what is learned, unpacked.
LONGEST_LEARNED = 100_000_000


def keep_weights(corpus: Corpus, learned: Experience, figures: dict[str, Any], *, reviewer: str = "") -> str:
    """Keep what was learned, with the figures that it is shown with; returns its id. Nothing is ranked by it
    before it is adopted. Raises CorpusError where there is no place for it, InputError."""
    check_room(corpus)
    packed = packed_experience(learned, LONGEST_KEPT * 3 // 4)
    text = base64.b64encode(packed).decode()
    line = WeightsLine(act=Act.KEPT, id=learned.id, figures=figures, learned=text)
    add_weights(_journals(corpus), line, reviewer)
    return learned.id


def check_room(corpus: Corpus) -> None:
    """Raises InputError where as many weights are kept beside a corpus as may be, CorpusError."""
    _journals(corpus)
    if len(known_weights(corpus)) >= MOST_KEPT:
        raise InputError(
            f"{corpus.name!r} has {MOST_KEPT} learned weights, which is the most: whoever operates it "
            f"removes lines of {WEIGHTS_NAME} that are wanted no more"
        )


def packed_experience(learned: Experience, most: int) -> bytes:
    """What was learned as bytes, at most so many. Raises InputError where it is more."""
    packed = zlib.compress(orjson.dumps(plain_experience(learned)))
    if len(packed) > most:
        raise InputError(
            f"what was learned takes {len(packed):,} bytes, of which {most:,} may be kept: learn from fewer "
            "verdicts"
        )
    return packed


def unpacked_experience(packed: bytes) -> Experience:
    """What was learned, from bytes. Raises ValueError for what is none."""
    try:
        return experience_from(orjson.loads(inflate(packed, LONGEST_LEARNED)))
    except (ValueError, KeyError, TypeError, UnpackingError) as error:
        raise ValueError(str(error) or type(error).__name__) from error


def adopt_weights(corpus: Corpus, weights: str, *, reviewer: str = "") -> None:
    """Rank by kept weights from now on. Raises InputError where there are none of this id, CorpusError."""
    experience_of(corpus, weights)
    if not weights:
        raise InputError("which weights? `weights list` tells their ids")
    add_weights(_journals(corpus), WeightsLine(act=Act.ADOPTED, id=weights), reviewer)


def ship_weights(corpus: Corpus, *, reviewer: str = "") -> None:
    """Go back to the weights that come with the engine. Raises CorpusError."""
    add_weights(_journals(corpus), WeightsLine(act=Act.SHIPPED), reviewer)


def known_weights(corpus: Corpus) -> list[str]:
    """The ids of the weights that are kept beside a corpus, the oldest first. Raises CorpusError."""
    return [line.id for line in _lines(corpus) if line.act is Act.KEPT]


def adopted_weights(corpus: Corpus) -> str:
    """The id of the weights that a corpus is ranked by, empty for the shipped ones. Raises CorpusError."""
    line = acted(_lines(corpus))
    return "" if line is None else line.id


def experience_of(corpus: Corpus, weights: str | None) -> Experience | None:
    """What a corpus is ranked by beside the shipped weights: what is adopted for None, nothing for an empty
    id, else what is kept under the id.

    Raises InputError where nothing is, CorpusError.
    """
    if weights == "" or corpus.journals is None:
        if weights:
            raise _unknown(weights, corpus)
        return None
    kept = _KEPT.setdefault(corpus, {})
    stamp = corpus.journals.stamp(WEIGHTS_NAME)
    found = kept.get(weights)
    if found is None or found[0] != stamp:
        found = kept[weights] = (
            stamp,
            _read(corpus, adopted_weights(corpus) if weights is None else weights),
        )
    return found[1]


_KEPT: WeakKeyDictionary[Corpus, dict[str | None, tuple[tuple[int, ...], Experience | None]]] = (
    WeakKeyDictionary()
)


def _read(corpus: Corpus, weights: str) -> Experience | None:
    if not weights:
        return None
    line = next((one for one in reversed(_lines(corpus)) if one.act is Act.KEPT and one.id == weights), None)
    if line is None:
        raise _unknown(weights, corpus)
    try:
        return unpacked_experience(base64.b64decode(line.learned))
    except ValueError as error:
        raise CorpusError(
            f"{corpus.name!r}: the learned weights {weights!r} cannot be read ({error}); `weights ship` goes "
            "back to the shipped ones"
        ) from error


def _lines(corpus: Corpus) -> list[WeightsLine]:
    return [] if corpus.journals is None else load_weights(corpus.journals)


def _journals(corpus: Corpus) -> Journals:
    if corpus.journals is None:
        raise CorpusError(f"{corpus.name!r} has no journals: there is no place for learned weights")
    return corpus.journals


def _unknown(weights: str, corpus: Corpus) -> InputError:
    known = ", ".join(known_weights(corpus)[-10:]) or "none"
    return InputError(f"{corpus.name!r} has no learned weights {weights[:64]!r}; known: {known}")
