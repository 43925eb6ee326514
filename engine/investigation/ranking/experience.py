"""What experts have said of passages, as far as a ranking uses it.

A residual model over the shipped weights: a Gaussian process (Rasmussen and Williams 2006, chapter 2) whose
observations are verdicts less what the shipped score leads to expect. Two pairs of question and passage have
in common what they have: the passage itself, the passage and a like question, a passage of like words, and
features of the ranking. What it adds is therefore nothing where nobody has said anything of the kind, and
can be told: of which judged passages it comes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus, Rows, Scores
from engine.investigation.ranking.additive import AdditiveModel, model_from

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Kernel:
    """What two observations have in common: ``same`` for the same passage, ``asked`` for the same passage
    and a like question, ``like`` for passages of like meaning, ``features`` for like features. ``noise`` is
    the variance of one verdict. The sizes were chosen on halves of obliqa_mp and obliqa_xref, see
    benchmarks/RESULTS.md."""

    same: float = 0.01
    asked: float = 0.05
    like: float = 0.02
    features: float = 0.02
    noise: float = 0.6

    def likeness(self, cosines: Floats) -> Floats:
        """How much passages of these cosines have in common: only the nearest, 0.9 for 0.43."""
        positive: Floats = np.maximum(cosines, 0.0)
        for _ in range(3):
            positive = positive * positive
        return positive

    def of_questions(self, cosines: Floats) -> Floats:
        """How much questions of these cosines have in common."""
        positive: Floats = np.maximum(cosines, 0.0)
        return positive * positive


@dataclass(frozen=True, slots=True)
class Experience:
    """What was learned of verdicts. ``id`` names it, ``strength`` is how much of it counts.

    ``passages`` are the ids of those that were judged, ``questions`` of shape (q, d) the vectors of the
    questions, (q, 0) where the corpus has none. Observation i is of the passage ``of_passage[i]`` and the
    question ``of_question[i]``, and has the weight ``alpha[i]``, shapes (n,). ``features`` adds to the
    shipped weights.
    """

    id: str
    strength: float
    kernel: Kernel
    passages: tuple[str, ...]
    questions: Floats
    of_passage: NDArray[np.int32]
    of_question: NDArray[np.int32]
    alpha: Floats
    features: AdditiveModel

    def weights(self, names: Sequence[str], values: Floats) -> Floats:
        """What each feature of a ranking adds beside the shipped weights, shape (features, n)."""
        found: Floats = self.features.addends(names, values) * np.float32(self.strength)
        return found

    def remembered(self, corpus: Corpus, rows: Rows, question: Floats | None) -> tuple[Scores, list[str]]:
        """What passages gain by what was said of them and of their like, shape (n,), and the id of the judged
        passage that most of it comes from, empty for none. ``question``: its vector, (d,)."""
        known = _known(self, corpus)
        gained = np.zeros(len(rows), np.float32)
        source = np.full(len(rows), -1, np.int32)
        if not len(known.rows):
            return gained, [""] * len(rows)
        own = self._of_each(known.places, question)
        where = np.searchsorted(known.rows, rows)
        there = known.rows[np.minimum(where, len(known.rows) - 1)] == rows
        gained[there] = own[where[there]]
        source[there] = where[there]
        if known.vectors is not None and self.kernel.like > 0:
            shares = self.kernel.likeness(corpus.vectors(rows) @ known.vectors.T)
            shares *= self.kernel.like * known.alpha
            gained += shares.sum(axis=1)
            best = np.abs(shares).argmax(axis=1)
            source = np.where(there, source, best).astype(np.int32)
        ids = [known.ids[place] if place >= 0 else "" for place in source.tolist()]
        return gained * np.float32(self.strength), ids

    def _of_each(self, places: NDArray[np.int32], question: Floats | None) -> Floats:
        """What each known passage gains by what was said of itself; ``places`` are those of observations
        among the known passages, -1 for none."""
        shares = np.full(len(self.alpha), self.kernel.same, np.float32)
        if question is not None and self.questions.shape[1] == len(question):
            shares += (
                self.kernel.asked * self.kernel.of_questions(self.questions @ question)[self.of_question]
            )
        there = places >= 0
        found: Floats = np.bincount(places[there], (shares * self.alpha)[there]).astype(np.float32)
        return found


@dataclass(frozen=True, slots=True)
class _Known:
    """The judged passages that a corpus has: ``rows`` ascending, their ``ids`` and ``vectors``, the sums of
    the weights of their observations, and among them the ``places`` of the observations, -1 for none."""

    rows: Rows
    ids: tuple[str, ...]
    vectors: Floats | None
    alpha: Floats
    places: NDArray[np.int32]


_KNOWN: WeakKeyDictionary[Corpus, dict[str, _Known]] = WeakKeyDictionary()


def _known(experience: Experience, corpus: Corpus) -> _Known:
    """Looked up once for an open corpus."""
    kept = _KNOWN.setdefault(corpus, {})
    found = kept.get(experience.id)
    if found is None:
        found = _look_up(experience, corpus)
        kept.clear()
        kept[experience.id] = found
    return found


def _look_up(experience: Experience, corpus: Corpus) -> _Known:
    rows = corpus.rows(list(experience.passages))
    known = np.unique(rows[rows >= 0]).astype(np.int32)
    of_passage = np.where(rows >= 0, np.searchsorted(known, rows), -1).astype(np.int32)
    places = of_passage[experience.of_passage]
    there = places >= 0
    alpha = np.bincount(places[there], experience.alpha[there], len(known)).astype(np.float32)
    ids = dict(zip(rows.tolist(), experience.passages, strict=True))
    has_vectors = corpus.embedding != "none" and len(known) > 0
    return _Known(
        known,
        tuple(ids[row] for row in known.tolist()),
        corpus.vectors(known) if has_vectors else None,
        alpha,
        places,
    )


def plain_experience(experience: Experience) -> dict[str, object]:
    """As plain values, which ``experience_from`` reads."""
    shapes = experience.features.shapes
    return {
        "id": experience.id,
        "strength": experience.strength,
        "kernel": {name: getattr(experience.kernel, name) for name in Kernel.__dataclass_fields__},
        "passages": list(experience.passages),
        "questions": experience.questions.astype(np.float16).tolist(),
        "of_passage": experience.of_passage.tolist(),
        "of_question": experience.of_question.tolist(),
        "alpha": [float(f"{one:.6g}") for one in experience.alpha.tolist()],
        "features": {
            name: [shape.knots.tolist(), [float(f"{one:.6g}") for one in shape.weights.tolist()]]
            for name, shape in shapes.items()
        },
    }


def experience_from(values: Mapping[str, object]) -> Experience:
    """Experience from plain values. Raises KeyError, TypeError or ValueError for what is none."""
    features, kernel = values["features"], values["kernel"]
    passages, questions = values["passages"], np.asarray(values["questions"], np.float32)
    if not isinstance(features, Mapping) or not isinstance(kernel, Mapping) or not isinstance(passages, list):
        raise TypeError("features and kernel are mappings, passages a list")
    alpha = np.asarray(values["alpha"], np.float32)
    places = [np.asarray(values[name], np.int32) for name in ("of_passage", "of_question")]
    questions = questions.reshape(len(questions), -1)
    for found, size in zip(places, (len(passages), len(questions)), strict=True):
        if found.shape != alpha.shape or (len(found) and not 0 <= found.min() <= found.max() < size):
            raise ValueError("observations of passages or questions that are not there")
    shapes = model_from({"scale": 1.0, "shapes": features})
    strength = float(str(values["strength"]))
    sizes = {str(name): float(size) for name, size in kernel.items()}
    told = [alpha, questions, np.array([strength, *sizes.values()], np.float32)]
    told += [part for shape in shapes.shapes.values() for part in (shape.knots, shape.weights)]
    if not all(np.isfinite(one).all() for one in told):
        raise ValueError("weights are finite numbers")
    return Experience(
        id=str(values["id"]),
        strength=strength,
        kernel=Kernel(**sizes),
        passages=tuple(map(str, passages)),
        questions=questions,
        of_passage=places[0],
        of_question=places[1],
        alpha=alpha,
        features=shapes,
    )
