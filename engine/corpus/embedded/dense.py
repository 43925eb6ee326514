"""Dense search: vectors compared by codes of two bits a dimension, then exactly."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from threading import Lock
from typing import Any, NamedTuple

import faiss as faiss_module
import numpy as np
from numpy.typing import NDArray

from engine.corpus.embedded.arrays import by_product
from engine.corpus.embedded.block import Block, Later
from engine.corpus.protocol import Hits, Mask, Rows

# Vectors as two bits a dimension: what a large corpus is looked through by, before anything is
# compared.
#
# A vector is rotated at random, after which its dimensions are alike and nearly normal, and each
# is kept as one of four levels, those that lose least of a normal distribution (Max, "Quantizing
# for minimum distortion", IRE Transactions on Information Theory 1960; the rotation as in Gao and
# Long, "RaBitQ", SIGMOD 2024). Nothing is learned from the vectors: a passage's code depends on
# its vector alone, and stays when others come and go. Queries are not coded; faiss looks sums of
# two dimensions up in registers ("fast scan").

faiss: Any = faiss_module

# A byte holds four dimensions.
DIMENSIONS_A_BYTE = 4
# The four best levels of a standard normal distribution, and where one ends and the next begins.
LEVELS = np.array([-1.5104, -0.4528, 0.4528, 1.5104], np.float32)
BORDERS = np.array([-0.9816, 0.0, 0.9816], np.float32)
# Vectors are coded so many at a time.
BATCH = 16_384
# Of the codes that are known so many are tried.
TRIED = 256

Codes = NDArray[np.uint8]


def codable(dimensions: int) -> bool:
    """Whether vectors of so many dimensions can be coded."""
    return dimensions > 0 and dimensions % DIMENSIONS_A_BYTE == 0


def coded(vectors: NDArray[np.float32]) -> Codes:
    """The codes of unit vectors, shape (n, d) to (n, d / 4)."""
    count, dimensions = vectors.shape
    codes = np.empty((count, dimensions // DIMENSIONS_A_BYTE), np.uint8)
    rotation, borders = _rotation(dimensions), BORDERS / np.float32(np.sqrt(dimensions))
    for start in range(0, count, BATCH):
        turned = vectors[start : start + BATCH] @ rotation
        level = np.zeros(turned.shape, np.uint8)
        for border in borders:
            level += turned > border
        first, second, third, fourth = np.moveaxis(level.reshape(len(level), -1, DIMENSIONS_A_BYTE), 2, 0)
        codes[start : start + BATCH] = first | second << 2 | third << 4 | fourth << 6
    return codes


class KnownCodes(NamedTuple):
    """Codes that some of n vectors were given before, which they keep: ``codes`` of shape (n, d / 4) where
    ``is_known``, shape (n,); none of these is a zero row."""

    codes: Codes
    is_known: Mask

    def holds(self, vectors: NDArray[np.float32]) -> bool:
        """Whether the vectors, shape (n, d), have these codes: some of them, at even distances, are coded
        again. Codes that another version has made another way are not kept."""
        known = np.flatnonzero(self.is_known)
        asked = known[:: max(1, len(known) // TRIED)]
        return np.array_equal(coded(vectors[asked]), self.codes[asked])

    def present(self, vectors: NDArray[np.float32], first: int) -> Mask:
        """Which of the vectors that stand from ``first`` on are no zero rows: only those without a code are
        looked at."""
        found: Mask = self.is_known[first : first + len(vectors)].copy()
        found[~found] = vectors[~found].any(axis=1)
        return found

    def completed(self, vectors: NDArray[np.float32], first: int) -> Codes:
        """The codes of vectors that stand from ``first`` on: those that are not known are made."""
        place = slice(first, first + len(vectors))
        codes, is_new = self.codes[place].copy(), ~self.is_known[place]
        codes[is_new] = coded(vectors[is_new])
        return codes


class CodedVectors:
    """The codes of a corpus, by row, as faiss searches them."""

    def __init__(self, codes: Codes) -> None:
        """``codes`` as of ``coded``."""
        self._rotation = _rotation(codes.shape[1] * DIMENSIONS_A_BYTE)
        plain = faiss.IndexPQ(len(self._rotation), len(self._rotation) // 2, 4, faiss.METRIC_INNER_PRODUCT)
        number = np.arange(16)
        pairs = np.stack([LEVELS[number & 3], LEVELS[number >> 2]], axis=1) / np.sqrt(len(self._rotation))
        every = np.tile(pairs, (len(self._rotation) // 2, 1)).astype(np.float32)
        faiss.copy_array_to_vector(every.ravel(), plain.pq.centroids)
        faiss.copy_array_to_vector(np.ascontiguousarray(codes).ravel(), plain.codes)
        plain.ntotal, plain.is_trained = len(codes), True
        self._index = faiss.IndexPQFastScan(plain)

    def nearest(self, queries: NDArray[np.float32], limit: int) -> NDArray[np.int64]:
        """The rows of the codes with the highest inner products with each query, in no order, shape
        (q, limit); -1 where there are fewer."""
        found: NDArray[np.int64] = self._index.search(np.ascontiguousarray(queries @ self._rotation), limit)[
            1
        ]
        return found


@cache
def _rotation(dimensions: int) -> NDArray[np.float32]:
    """An orthogonal matrix drawn at random, always the same, shape (d, d)."""
    drawn = np.random.Generator(np.random.PCG64(0)).standard_normal((dimensions, dimensions))
    turned, upper = np.linalg.qr(drawn)
    # Of the decompositions the one with a positive diagonal: there is one alone.
    rotation: NDArray[np.float32] = (turned * np.sign(np.diag(upper))).astype(np.float32)
    return rotation


# Search by inner product over the vectors of a corpus, by faiss.
#
# In a corpus of up to ``MOST_EXACT`` passages every vector is compared, so nothing at or above a
# threshold is ever missed. In a larger one the vectors' codes are looked through (``coded.py``)
# and the nearest compared: what share of the best is found so is measured when the corpus is
# made. Scores are exact in both.

# Answers about the whole corpus that are remembered: a case asks for the best hits of its question again and
# again (scan, evidence), and all cases ask for those of the areas.
REMEMBERED = 256
# Up to so many passages every vector is compared: a millisecond or two.
MOST_EXACT = 30_000
# So many by their codes are compared for each hit that is wanted, and at least so many.
COMPARED, LEAST_COMPARED = 8, 2048
# So many by their codes are looked at where only some are allowed.
MOST_NEAR = 16_384
# Of so many passages, their vectors as questions, and this number of hits the recall is measured.
ASKED, RECALL_AT = 32, 100
# A corpus where less is found does without codes.
LEAST_RECALL = 0.98
CODES = "vectors.codes"


def nothing() -> None:
    """Lets go of nothing."""


def parts_of(vectors: NDArray[np.float32], release: Callable[[], None]) -> Iterator[NDArray[np.float32]]:
    """The vectors part by part, as many at a time as are coded at once; ``release`` is called behind each."""
    for start in range(0, len(vectors), BATCH):
        yield vectors[start : start + BATCH]
        release()


class VectorIndex:
    """Unit vectors by row; zero rows are passages in a language that the model does not read."""

    def __init__(self, state: Block) -> None:
        self._vectors: NDArray[np.float32] = state["vectors"]
        self._look_through(state["vectors.present"], state.arrays.get(CODES))

    def _look_through(self, present: Mask, codes: Codes | None) -> None:
        """Search the passages that have a vector, by their codes where there are some."""
        self._present, self._count = present, int(np.count_nonzero(present))
        self._coded = None if codes is None else CodedVectors(codes)
        self._remembered: OrderedDict[bytes, tuple[int, Hits]] = OrderedDict()
        self._lock = Lock()

    @staticmethod
    def put(
        state: Block,
        vectors: NDArray[np.float32],
        release: Callable[[], None] = nothing,
        known: KnownCodes | None = None,
    ) -> None:
        """Set the vectors, shape (passages, d), unit or zero rows. They are looked at part by part, and
        ``release`` is called behind each. ``known``: codes that are not made again."""
        given = np.asarray(vectors, np.float32)
        present: list[Mask] = [np.zeros(0, np.bool_)]
        codes: list[Codes] = []
        is_coded, first = len(given) > MOST_EXACT and codable(given.shape[1]), 0
        kept = known if is_coded and known is not None and known.holds(given) else None
        for part in parts_of(given, release):
            present.append(np.asarray(part.any(axis=1)) if kept is None else kept.present(part, first))
            if is_coded:
                codes.append(coded(part) if kept is None else kept.completed(part, first))
            first += len(part)
        state.arrays |= {"vectors": given, "vectors.present": np.concatenate(present)}
        if is_coded:
            state.arrays[CODES] = np.concatenate(codes)

    @staticmethod
    def write_later(state: Block, release: Callable[[], None]) -> None:
        """Have the vectors read part by part when the state is written."""
        vectors = state["vectors"]
        state.arrays["vectors"] = vectors[:0]
        state.later["vectors"] = Later(vectors.shape, lambda: parts_of(vectors, release))

    def search(
        self, queries: NDArray[np.float32], limit: int, minimum: float, mask: Mask | None
    ) -> list[Hits]:
        """For each query the best rows with an inner product >= ``minimum``, ``limit`` at most."""
        asked = np.ascontiguousarray(queries, np.float32)
        if mask is not None:
            allowed = self._present & mask
            return [_from(hits, minimum) for hits in self._best(asked, limit, allowed)]
        keys = [query.tobytes() for query in asked]
        known = {key: hits for key in keys if (hits := self._recall(key, limit)) is not None}
        new = [place for place, key in enumerate(keys) if key not in known]
        if new:
            found = self._best(asked[new], limit, self._present)
            known |= {keys[place]: hits for place, hits in zip(new, found, strict=True)}
            self._remember({keys[place]: (limit, known[keys[place]]) for place in new})
        return [_from(known[key], minimum) for key in keys]

    def _recall(self, key: bytes, limit: int) -> Hits | None:
        """What is remembered of a query: as many hits as are wanted, where it is certain which they are."""
        with self._lock:
            if key not in self._remembered:
                return None
            self._remembered.move_to_end(key)
            had, hits = self._remembered[key]
        if had == limit:
            return hits
        if self._coded is not None and _compared(had) != _compared(limit):
            return None
        if had > limit and len(hits.scores) <= limit:
            return hits
        # Among equals a search for fewer might have kept others.
        if had > limit and hits.scores[limit - 1 : limit] > hits.scores[limit : limit + 1]:
            return Hits(hits.rows[:limit], hits.scores[:limit])
        return None

    def _remember(self, found: Mapping[bytes, tuple[int, Hits]]) -> None:
        with self._lock:
            self._remembered.update(found)
            while len(self._remembered) > REMEMBERED:
                self._remembered.popitem(last=False)

    def _best(self, asked: NDArray[np.float32], limit: int, allowed: Mask) -> list[Hits]:
        """The best of the allowed rows for each query, best first."""
        count = self._count if allowed is self._present else int(np.count_nonzero(allowed))
        limit = min(limit, count)
        if limit <= 0 or not len(asked):
            return [Hits(np.zeros(0, np.int32), np.zeros(0, np.float32)) for _ in asked]
        near = self._near(asked, limit, allowed, count)
        coded = [place for place, rows in enumerate(near) if len(rows)]
        found = self._best_of(asked[coded], [near[place] for place in coded], limit)
        rest = [place for place, rows in enumerate(near) if not len(rows)]
        for place, hits in zip(rest, self._exactly(asked[rest], limit, allowed, count), strict=True):
            found.insert(place, hits)
        return found

    def _best_of(
        self, asked: NDArray[np.float32], near: Sequence[NDArray[np.int64]], limit: int
    ) -> list[Hits]:
        """The best of some rows for each query: all of them are compared."""
        return [self._hits(query, rows, limit) for query, rows in zip(asked, near, strict=True)]

    def _near(
        self, asked: NDArray[np.float32], limit: int, allowed: Mask, count: int
    ) -> list[NDArray[np.int64]]:
        """The allowed rows that are nearest to each query by their codes, more than are wanted; none where
        they do not tell enough of them, so that every allowed vector is to be compared."""
        wanted = _compared(limit)
        asked_for = wanted * len(allowed) // max(count, 1)
        # Where few are allowed it is sooner to compare them than to find them among all others.
        if self._coded is None or count <= MOST_EXACT or asked_for > MOST_NEAR:
            return [np.empty(0, np.int64)] * len(asked)
        near = [rows[rows >= 0] for rows in self._coded.nearest(asked, asked_for)]
        near = [rows[allowed[rows]] for rows in near]
        return [rows if len(rows) * 2 >= wanted else rows[:0] for rows in near]

    def _exactly(self, asked: NDArray[np.float32], limit: int, allowed: Mask, count: int) -> list[Hits]:
        """The best of the allowed rows for each query: all of them are compared."""
        if not len(asked):
            return []
        # Looking every passage up in the bitmap takes several times as long as comparing its vector.
        selector = None
        if count < len(allowed):
            selector = faiss.IDSelectorBitmap(np.packbits(allowed, bitorder="little"))
        held = self._vectors
        scores, rows = np.empty((len(asked), limit), np.float32), np.empty((len(asked), limit), np.int64)
        arrays = [faiss.swig_ptr(array) for array in (asked, held, scores, rows)]
        sizes = (held.shape[1], len(asked), len(held), limit)
        faiss.knn_inner_product(*arrays[:2], *sizes, *arrays[2:], selector)
        return [self._hits(query, rows[n], limit) for n, query in enumerate(asked)]

    def _hits(self, query: NDArray[np.float32], rows: NDArray[np.int64], limit: int) -> Hits:
        """Hits in their order; read-only, as they are remembered."""
        rows = np.sort(rows[rows >= 0])
        compared = by_product(rows, self.take(rows), query)
        hits = Hits(compared.rows[:limit], compared.scores[:limit])
        for array in (hits.rows, hits.scores):
            array.flags.writeable = False
        return hits

    def _compared_by_parts(
        self, asked: NDArray[np.float32], limit: int, release: Callable[[], None]
    ) -> list[Hits]:
        """The best rows for each query: all vectors are compared, a part at a time."""
        rows, scores = np.zeros((len(asked), 0), np.int64), np.zeros((len(asked), 0), np.float32)
        first = 0
        for part in parts_of(self._vectors, release):
            own = np.where(self._present[first : first + len(part)], asked @ part.T, np.float32(-np.inf))
            numbers = np.broadcast_to(np.arange(first, first + len(part)), own.shape)
            scores, rows = np.hstack([scores, own]), np.hstack([rows, numbers])
            # Twice as many as are wanted, which are told apart by their exact scores.
            if scores.shape[1] > 2 * limit:
                best = np.argpartition(-scores, 2 * limit, axis=1)[:, : 2 * limit]
                scores = np.take_along_axis(scores, best, axis=1)
                rows = np.take_along_axis(rows, best, axis=1)
            first += len(part)
        found = (own[np.isfinite(known)] for own, known in zip(rows, scores, strict=True))
        return [self._hits(query, own, limit) for query, own in zip(asked, found, strict=True)]

    @property
    def vectors(self) -> NDArray[np.float32]:
        """All vectors, shape (passages, d)."""
        return self._vectors

    def recall(self, release: Callable[[], None] = nothing) -> float | None:
        """The share of the best ``RECALL_AT`` hits that is found, the mean over passages at even distances as
        questions; None where every vector is compared anyway. ``release`` as in ``put``."""
        present = np.flatnonzero(self._present)
        if self._coded is None or not len(present):
            return None
        chosen = present[np.unique(np.linspace(0, len(present) - 1, ASKED).astype(np.intp))]
        asked = np.ascontiguousarray(self._vectors[chosen])
        limit = min(RECALL_AT, len(present))
        exact = self._compared_by_parts(asked, limit, release)
        found = self._best(asked, limit, self._present)
        # By scores, as of equals either may be found.
        return float(
            np.mean(
                [np.isin(one.scores, other.scores).mean() for one, other in zip(exact, found, strict=True)]
            )
        )

    def take(self, rows: Rows | NDArray[np.int64]) -> NDArray[np.float32]:
        """The vectors at ``rows``, shape (n, d)."""
        chosen: NDArray[np.float32] = self._vectors[np.asarray(rows, np.int64)]
        return chosen


def _compared(limit: int) -> int:
    """How many vectors are compared for so many hits: a power of two, so that the hits of most searches are
    the first of those of a larger one."""
    return max(LEAST_COMPARED, 1 << (COMPARED * limit - 1).bit_length())


def _from(hits: Hits, minimum: float) -> Hits:
    """The hits of at least a score; they are in its order."""
    size = int(np.searchsorted(-hits.scores, -np.float32(minimum), side="right"))
    return Hits(hits.rows[:size], hits.scores[:size])


def similarity_floor(vectors: NDArray[np.float32], pairs: int = 20_000, present: Mask | None = None) -> float:
    """Cosine that all but the least similar hundredth of random pairs of passages reach.

    The pairs are drawn with a fixed seed; zero rows are left out: ``present`` says which have a vector, where
    that is known. 0 for fewer than two vectors.
    """
    rows = np.flatnonzero(vectors.any(axis=1) if present is None else present)
    if len(rows) < 2:
        return 0.0
    drawn = np.random.default_rng(0).integers(0, len(rows), (2, pairs))
    left, right = rows[drawn[:, drawn[0] != drawn[1]]]
    return float(np.percentile(np.einsum("nd,nd->n", vectors[left], vectors[right]), 1))
