"""A generalised additive model over features, and what reviewers' verdicts add to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np
import orjson
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus, Rows, Scores

# A generalised additive model over features: each feature adds a piecewise linear function of its
# value.
#
# Hastie and Tibshirani 1986; with learned shapes for ranking: Zhuang et al., "Interpretable
# ranking with generalized additive models", WSDM 2021. A shape is a sum of ramps between knots,
# so that what a feature adds can be read off and shown; ``learning.py`` beside the evaluation
# fits the weights.

FILE = Path(__file__).with_name("weights.json")

Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Shape:
    """What one feature adds: ``weights[i]`` in full above ``knots[i + 1]``, in part from ``knots[i]`` on."""

    knots: NDArray[np.float32]
    weights: NDArray[np.float32]

    def of(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """The addend of each value, 0 at the lowest knot and below; shape as ``values``."""
        heights = np.concatenate([[0.0], np.cumsum(self.weights)])
        addends: NDArray[np.float32] = np.interp(values, self.knots, heights).astype(np.float32)
        return addends


@dataclass(frozen=True, slots=True)
class AdditiveModel:
    """Shapes by the names of features, and the ``scale`` by which a sum is divided to be about 0..1."""

    shapes: Mapping[str, Shape]
    scale: float

    def addends(self, names: Sequence[str], values: Matrix) -> Matrix:
        """What each feature adds: shape (features, n) for ``values`` of that shape; 0 for unknown names."""
        parts = np.zeros(values.shape, np.float32)
        for number, name in enumerate(names):
            shape = self.shapes.get(name)
            if shape is not None:
                parts[number] = shape.of(values[number])
        return parts / np.float32(self.scale)


class Family(StrEnum):
    """Kinds of collections that rank differently: long documents of many passages (laws, rulebooks), where
    what stands around a passage and explicit references tell; and many short ones, where names do."""

    LONG = "long"
    SHORT = "short"


def family_of(corpus: Corpus) -> Family:
    """The kind of a collection: short where most documents are one passage."""
    return Family.SHORT if 2 * len(corpus.documents()) > len(corpus) else Family.LONG


@cache
def learned(family: Family) -> tuple[AdditiveModel, AdditiveModel]:
    """The two models that come with the engine: for the first pass over the pool and for the second."""
    record = orjson.loads(FILE.read_bytes())[family]
    first, second = (model_from(record[name]) for name in ("first", "second"))
    return first, second


def model_from(record: Mapping[str, object]) -> AdditiveModel:
    """A model from its plain values: {"scale": s, "shapes": {name: [knots, weights]}}."""
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


# What experts have said of passages, as far as a ranking uses it.
#
# Addends beside the shipped weights: a passage gains by what was said of it for other questions,
# the more the more alike they are, and by its features. It is 0 where nobody has said anything of
# the kind.

Floats = NDArray[np.float32]

# Raised where what is kept is written or counted otherwise than before.
FORMAT = 2
# What a verdict on a question that has nothing in common counts for; one on the same question counts for 1.
LEAST = 0.2


def alike(cosines: Floats) -> Floats:
    """How much of a verdict counts for a question of this cosine to its own, ``LEAST`` to 1."""
    positive: Floats = np.maximum(cosines, 0.0)
    return LEAST + (1.0 - LEAST) * positive * positive


@dataclass(frozen=True, slots=True)
class Experience:
    """What was learned of verdicts. ``id`` names it, ``strength`` is how much of it counts.

    ``passages`` are the ids of those that were judged, ``questions`` of shape (q, d) the vectors of the
    questions, (q, 0) where the corpus has none. Verdict i is of the passage ``of_passage[i]`` and the
    question ``of_question[i]``, and says ``relevant[i]`` for it and ``irrelevant[i]`` against it, shapes
    (n,). What is said for a passage adds ``gain`` times its root, what is said against it takes ``loss``
    times its root.
    ``features`` adds to the shipped weights.
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
        """What each feature of a ranking adds beside the shipped weights, shape (features, n)."""
        found: Floats = self.features.addends(names, values) * np.float32(self.strength)
        return found

    def remembered(self, corpus: Corpus, rows: Rows, question: Floats | None) -> tuple[Scores, list[str]]:
        """What passages gain by what was said of them, shape (n,), and the id of each that has something,
        else empty. ``question``: its vector, (d,)."""
        known, of_rows = _known(self, corpus), np.zeros(len(rows), np.float32)
        if not len(known.rows):
            return of_rows, [""] * len(rows)
        where = np.minimum(np.searchsorted(known.rows, rows), len(known.rows) - 1)
        there = known.rows[where] == rows
        of_rows[there] = self._of_each(known, question)[where[there]]
        ids = [known.ids[place] if is_known else "" for place, is_known in zip(where, there, strict=True)]
        return of_rows, ids

    def _of_each(self, known: _Known, question: Floats | None) -> Floats:
        """What each known passage gains, shape (known,)."""
        shares = np.full(len(self.questions), LEAST if self.questions.shape[1] else 1.0, np.float32)
        if question is not None and len(question) == self.questions.shape[1]:
            shares = alike(self.questions @ question)
        counted = shares[self.of_question[known.there]]
        summed = [
            np.bincount(known.places, counted * told[known.there], len(known.rows))
            for told in (self.relevant, self.irrelevant)
        ]
        found: Floats = (self.gain * np.sqrt(summed[0]) - self.loss * np.sqrt(summed[1])).astype(np.float32)
        return found * np.float32(self.strength)


@dataclass(frozen=True, slots=True)
class _Known:
    """The judged passages that a corpus has: ``rows`` ascending, their ``ids``; the numbers of the verdicts
    on them, ``there``, and the ``places`` of their passages among them."""

    rows: Rows
    ids: tuple[str, ...]
    there: NDArray[np.intp]
    places: NDArray[np.intp]


# What was looked up last for an open corpus, by the experience itself: ids are only names.
_KNOWN: WeakKeyDictionary[Corpus, tuple[Experience, _Known]] = WeakKeyDictionary()


def _known(experience: Experience, corpus: Corpus) -> _Known:
    kept = _KNOWN.get(corpus)
    if kept is None or kept[0] is not experience:
        kept = _KNOWN[corpus] = (experience, _look_up(experience, corpus))
    return kept[1]


def _look_up(experience: Experience, corpus: Corpus) -> _Known:
    rows = corpus.rows(list(experience.passages))
    known = np.unique(rows[rows >= 0]).astype(np.int32)
    of_verdict = rows[experience.of_passage]
    there = np.flatnonzero(of_verdict >= 0)
    ids = dict(zip(rows.tolist(), experience.passages, strict=True))
    return _Known(
        known, tuple(ids[row] for row in known.tolist()), there, np.searchsorted(known, of_verdict[there])
    )


def plain_experience(experience: Experience) -> dict[str, object]:
    """As plain values, which ``experience_from`` reads."""
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
        "relevant": [float(f"{one:.6g}") for one in experience.relevant.tolist()],
        "irrelevant": [float(f"{one:.6g}") for one in experience.irrelevant.tolist()],
        "features": {
            name: [shape.knots.tolist(), [float(f"{one:.6g}") for one in shape.weights.tolist()]]
            for name, shape in experience.features.shapes.items()
        },
    }


def experience_from(values: Mapping[str, object]) -> Experience:
    """Experience from plain values. Raises KeyError, TypeError or ValueError for what is none, and for what
    another version of the engine learned."""
    if values.get("format", 1) != FORMAT:
        raise ValueError("another version of the engine learned them: learn them anew")
    features, passages = values["features"], values["passages"]
    if not isinstance(features, Mapping) or not isinstance(passages, list):
        raise TypeError("features are a mapping, passages a list")
    questions = np.asarray(values["questions"], np.float32)
    questions = questions.reshape(len(questions), -1)
    relevant, irrelevant = (np.asarray(values[name], np.float32) for name in ("relevant", "irrelevant"))
    places = [np.asarray(values[name], np.int32) for name in ("of_passage", "of_question")]
    for found, size in zip(places, (len(passages), len(questions)), strict=True):
        if found.shape != relevant.shape or (len(found) and not 0 <= found.min() <= found.max() < size):
            raise ValueError("verdicts on passages or questions that are not there")
    if irrelevant.shape != relevant.shape or min(relevant.min(initial=0), irrelevant.min(initial=0)) < 0:
        raise ValueError("what is said for and against passages is as many numbers, none below 0")
    shapes = model_from({"scale": 1.0, "shapes": features})
    strength, gain, loss = (float(str(values[name])) for name in ("strength", "gain", "loss"))
    told = [relevant, irrelevant, questions, np.array([strength, gain, loss], np.float32)]
    told += [part for shape in shapes.shapes.values() for part in (shape.knots, shape.weights)]
    if not all(np.isfinite(one).all() for one in told):
        raise ValueError("weights are finite numbers")
    return Experience(
        id=str(values["id"]),
        strength=strength,
        gain=gain,
        loss=loss,
        passages=tuple(map(str, passages)),
        questions=questions,
        of_passage=places[0],
        of_question=places[1],
        relevant=relevant,
        irrelevant=irrelevant,
        features=shapes,
    )
