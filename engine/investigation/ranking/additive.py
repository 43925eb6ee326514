"""A generalised additive model over features, and the weights that it learns from verdicts."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import orjson
from numpy.typing import NDArray

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
from engine.corpus.protocol import Corpus, Rows, Scores
from engine.errors import CorpusError, InputError, UnpackingError

# The generalised additive model of the ranking, and the addends learned from reviewers' verdicts.

# The model: each feature adds a piecewise linear function of its value
#
# Hastie and Tibshirani 1986; with learned shapes for ranking: Zhuang et al., "Interpretable ranking with
# generalized additive models", WSDM 2021. A shape is a sum of ramps between knots, so that a feature's addend
# can be read off and shown. ``engine/evaluation/learning.py`` fits the weights.

FILE = Path(__file__).with_name("weights.json")

Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Shape:
    """The addend of one feature: ``weights[i]`` is added between ``knots[i]`` and ``knots[i + 1]``."""

    knots: NDArray[np.float32]
    weights: NDArray[np.float32]

    def of(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the addend of each value, 0 up to the lowest knot; shape as ``values``."""
        heights = np.concatenate([[0.0], np.cumsum(self.weights)])
        addends: NDArray[np.float32] = np.interp(values, self.knots, heights).astype(np.float32)
        return addends


@dataclass(frozen=True, slots=True)
class AdditiveModel:
    """Shapes by feature name, and the ``scale`` that sums are divided by to be about 0..1."""

    shapes: Mapping[str, Shape]
    scale: float

    def addends(self, names: Sequence[str], values: Matrix) -> Matrix:
        """Return the addends of features, shape (features, n) as ``values``; 0 for unknown names."""
        parts = np.zeros(values.shape, np.float32)
        for number, name in enumerate(names):
            shape = self.shapes.get(name)
            if shape is not None:
                parts[number] = shape.of(values[number])
        return parts / np.float32(self.scale)


class Family(StrEnum):
    """Kinds of collections that are ranked differently.

    In long documents of many passages (laws, rulebooks) context and references matter; in many short
    documents names do.
    """

    LONG = "long"
    SHORT = "short"


def family_of(corpus: Corpus) -> Family:
    """Return the kind of a collection: short if most documents are a single passage."""
    return Family.SHORT if 2 * len(corpus.documents()) > len(corpus) else Family.LONG


@cache
def shipped_models(family: Family) -> tuple[AdditiveModel, AdditiveModel]:
    """Return the two models that come with the engine, for the first and second pass over the pool."""
    record = orjson.loads(FILE.read_bytes())[family]
    first, second = (model_from(record[name]) for name in ("first", "second"))
    return first, second


def model_from(record: Mapping[str, object]) -> AdditiveModel:
    """Make a model from plain values: {"scale": s, "shapes": {name: [knots, weights]}}."""
    shapes, scale = record["shapes"], record["scale"]
    assert isinstance(shapes, Mapping)
    assert isinstance(scale, int | float)
    return AdditiveModel(
        {
            name: Shape(np.array(knots, np.float32), np.array(weights, np.float32))
            for name, (knots, weights) in shapes.items()
        },
        float(scale),
    )


# Experience: addends learned from experts' verdicts, in addition to the shipped weights
#
# A passage gains by verdicts on it for other questions, more for similar questions, and by its features.
# Without verdicts the gain is 0.

Floats = NDArray[np.float32]

# Version of the saved form; raised when its fields or their meaning change.
FORMAT = 2
# The weight of a verdict on an unrelated question; one on the same question has the weight 1.
LEAST = 0.2


def verdict_weight(cosines: Floats) -> Floats:
    """Return the weight of a verdict, ``LEAST`` to 1, by the cosine between its question and another."""
    positive: Floats = np.maximum(cosines, 0.0)
    return LEAST + (1.0 - LEAST) * positive * positive


@dataclass(frozen=True, slots=True)
class Experience:
    """What was learned from verdicts. ``strength`` scales all of it.

    ``passages`` are the ids of judged passages; ``questions``, shape (q, d), are the vectors of questions,
    (q, 0) without vectors. Verdict i is on passage ``of_passage[i]`` and question ``of_question[i]``, with
    the weights ``relevant[i]`` for and ``irrelevant[i]`` against it, shapes (n,). The sum of weights for a
    passage adds ``gain`` times its root, the sum against it subtracts ``loss`` times its root. ``features``
    is added to the shipped model.
    """

    id: str
    strength: float
    gain: float
    loss: float
    passages: tuple[str, ...]
    questions: Floats
    of_passage: NDArray[np.int32]
    of_question: NDArray[np.int32]
    relevant: Floats
    irrelevant: Floats
    features: AdditiveModel

    def weights(self, names: Sequence[str], values: Floats) -> Floats:
        """Return the addends of features in addition to the shipped model's, shape (features, n)."""
        found: Floats = self.features.addends(names, values) * np.float32(self.strength)
        return found

    def passage_gains(self, corpus: Corpus, rows: Rows, question: Floats | None) -> tuple[Scores, list[str]]:
        """Return the gains of passages by verdicts on them, shape (n,), and the ids of judged passages.

        The id is "" for a passage without verdicts. ``question``: its vector, shape (d,).
        """
        judged, gains = _judged_passages(self, corpus), np.zeros(len(rows), np.float32)
        if not len(judged.rows):
            return gains, [""] * len(rows)
        indexes = np.minimum(np.searchsorted(judged.rows, rows), len(judged.rows) - 1)
        is_judged = judged.rows[indexes] == rows
        gains[is_judged] = self._gains(judged, question)[indexes[is_judged]]
        ids = [judged.ids[index] if known else "" for index, known in zip(indexes, is_judged, strict=True)]
        return gains, ids

    def _gains(self, judged: _JudgedPassages, question: Floats | None) -> Floats:
        """Return the gain of each judged passage, shape (judged,)."""
        shares = np.full(len(self.questions), LEAST if self.questions.shape[1] else 1.0, np.float32)
        if question is not None and len(question) == self.questions.shape[1]:
            shares = verdict_weight(self.questions @ question)
        weights = shares[self.of_question[judged.verdicts]]
        summed = [
            np.bincount(judged.indexes, weights * values[judged.verdicts], len(judged.rows))
            for values in (self.relevant, self.irrelevant)
        ]
        found: Floats = (self.gain * np.sqrt(summed[0]) - self.loss * np.sqrt(summed[1])).astype(np.float32)
        return found * np.float32(self.strength)


@dataclass(frozen=True, slots=True)
class _JudgedPassages:
    """The judged passages that a corpus has: ``rows``, ascending, and ``ids``.

    ``verdicts`` are the numbers of the verdicts on them, ``indexes`` the index of each verdict's passage in
    ``rows``.
    """

    rows: Rows
    ids: tuple[str, ...]
    verdicts: NDArray[np.intp]
    indexes: NDArray[np.intp]


# The last result for each open corpus, by the experience object: its id is only a name.
_BY_CORPUS: WeakKeyDictionary[Corpus, tuple[Experience, _JudgedPassages]] = WeakKeyDictionary()


def _judged_passages(experience: Experience, corpus: Corpus) -> _JudgedPassages:
    cached = _BY_CORPUS.get(corpus)
    if cached is None or cached[0] is not experience:
        cached = _BY_CORPUS[corpus] = (experience, _look_up(experience, corpus))
    return cached[1]


def _look_up(experience: Experience, corpus: Corpus) -> _JudgedPassages:
    rows = corpus.rows(list(experience.passages))
    judged = np.unique(rows[rows >= 0]).astype(np.int32)
    of_verdict = rows[experience.of_passage]
    verdicts = np.flatnonzero(of_verdict >= 0)
    ids = dict(zip(rows.tolist(), experience.passages, strict=True))
    indexes = np.searchsorted(judged, of_verdict[verdicts])
    return _JudgedPassages(judged, tuple(ids[row] for row in judged.tolist()), verdicts, indexes)


def plain_experience(experience: Experience) -> dict[str, object]:
    """Return experience as plain values, which ``experience_from`` reads."""
    return {
        "format": FORMAT,
        "id": experience.id,
        "strength": experience.strength,
        "gain": experience.gain,
        "loss": experience.loss,
        "passages": list(experience.passages),
        "questions": experience.questions.astype(np.float16).tolist(),
        "of_passage": experience.of_passage.tolist(),
        "of_question": experience.of_question.tolist(),
        "relevant": [float(f"{weight:.6g}") for weight in experience.relevant.tolist()],
        "irrelevant": [float(f"{weight:.6g}") for weight in experience.irrelevant.tolist()],
        "features": {
            name: [shape.knots.tolist(), [float(f"{weight:.6g}") for weight in shape.weights.tolist()]]
            for name, shape in experience.features.shapes.items()
        },
    }


def experience_from(values: Mapping[str, object]) -> Experience:
    """Make experience from plain values.

    Raises KeyError, TypeError or ValueError for invalid values, and for those of another version.
    """
    if values.get("format", 1) != FORMAT:
        raise ValueError("they were learned by another version of the engine: learn them again")
    features, passages = values["features"], values["passages"]
    if not isinstance(features, Mapping) or not isinstance(passages, list):
        raise TypeError("features are a mapping, passages a list")
    questions = np.asarray(values["questions"], np.float32)
    questions = questions.reshape(len(questions), -1)
    relevant, irrelevant = (np.asarray(values[name], np.float32) for name in ("relevant", "irrelevant"))
    indexes = [np.asarray(values[name], np.int32) for name in ("of_passage", "of_question")]
    for found, size in zip(indexes, (len(passages), len(questions)), strict=True):
        if found.shape != relevant.shape or (len(found) and not 0 <= found.min() <= found.max() < size):
            raise ValueError("a verdict refers to a passage or question that does not exist")
    if irrelevant.shape != relevant.shape or min(relevant.min(initial=0), irrelevant.min(initial=0)) < 0:
        raise ValueError("verdicts for and against passages are lists of one length without negative numbers")
    shapes = model_from({"scale": 1.0, "shapes": features})
    strength, gain, loss = (float(str(values[name])) for name in ("strength", "gain", "loss"))
    numbers = [relevant, irrelevant, questions, np.array([strength, gain, loss], np.float32)]
    numbers += [part for shape in shapes.shapes.values() for part in (shape.knots, shape.weights)]
    if not all(np.isfinite(array).all() for array in numbers):
        raise ValueError("weights are finite numbers")
    return Experience(
        id=str(values["id"]),
        strength=strength,
        gain=gain,
        loss=loss,
        passages=tuple(map(str, passages)),
        questions=questions,
        of_passage=indexes[0],
        of_question=indexes[1],
        relevant=relevant,
        irrelevant=irrelevant,
        features=shapes,
    )


# The weights that a corpus is ranked by: the shipped ones, or also weights learned from experts'
# verdicts.
#
# Weights for all users of a corpus are in the journal of ``engine.corpus.judgements``; those of a
# matter are with its cases (``engine.records.store.database``). Learned weights are used
# only after they are adopted.

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
    cached = _WEIGHTS_BY_CORPUS.setdefault(corpus, {})
    stamp = corpus.journals.stamp(WEIGHTS_NAME)
    found = cached.get(weights)
    if found is None or found[0] != stamp:
        found = cached[weights] = (
            stamp,
            _read(corpus, adopted_weights(corpus) if weights is None else weights),
        )
    return found[1]


_WEIGHTS_BY_CORPUS: WeakKeyDictionary[Corpus, dict[str | None, tuple[tuple[int, ...], Experience | None]]] = (
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
