"""Dense search: preselection by codes of two bits a dimension, then exact scores."""

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

# Codes of two bits a dimension, for the preselection in large corpora. A vector is rotated at random, after
# which its dimensions are nearly normal, and each is quantised to the four levels with the least loss for a
# normal distribution (Max, "Quantizing for minimum distortion", IRE Transactions on Information Theory 1960;
# the rotation as in Gao and Long, "RaBitQ", SIGMOD 2024). Nothing is learned from the corpus: a passage's
# code depends on its vector only. Queries are not coded; faiss looks up sums of two dimensions in registers
# ("fast scan").

faiss: Any = faiss_module

# A byte contains four dimensions.
DIMENSIONS_A_BYTE = 4
# The four best levels of a standard normal distribution, and the bounds between them.
LEVELS = np.array([-1.5104, -0.4528, 0.4528, 1.5104], np.float32)
BORDERS = np.array([-0.9816, 0.0, 0.9816], np.float32)
# Vectors coded in one batch.
BATCH = 16_384
# Known codes that are verified as a sample.
TRIED = 256

Codes = NDArray[np.uint8]


def codable(dimensions: int) -> bool:
    """Return whether vectors with some dimensions can be coded."""
    return dimensions > 0 and dimensions % DIMENSIONS_A_BYTE == 0


def make_codes(vectors: NDArray[np.float32]) -> Codes:
    """Return the codes of unit vectors, shape (n, d) to (n, d / 4)."""
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
    """Existing codes of some of n vectors: ``codes`` of shape (n, d / 4), valid where ``is_known``, shape
    (n,).

    None of these vectors is a zero row.
    """

    codes: Codes
    is_known: Mask

    def holds(self, vectors: NDArray[np.float32]) -> bool:
        """Return whether the vectors, shape (n, d), have these codes, by coding an evenly spaced sample.

        Codes of a version with another method are rejected.
        """
        known = np.flatnonzero(self.is_known)
        asked = known[:: max(1, len(known) // TRIED)]
        return np.array_equal(make_codes(vectors[asked]), self.codes[asked])

    def present(self, vectors: NDArray[np.float32], first: int) -> Mask:
        """Return a mask of vectors, from row ``first``, that are not zero rows.

        Only uncoded ones are read.
        """
        found: Mask = self.is_known[first : first + len(vectors)].copy()
        found[~found] = vectors[~found].any(axis=1)
        return found

    def completed(self, vectors: NDArray[np.float32], first: int) -> Codes:
        """Return the codes of vectors from row ``first``; unknown ones are computed."""
        place = slice(first, first + len(vectors))
        codes, is_new = self.codes[place].copy(), ~self.is_known[place]
        codes[is_new] = make_codes(vectors[is_new])
        return codes


class CodedVectors:
    """The codes of a corpus by row, in a faiss index."""

    def __init__(self, codes: Codes) -> None:
        """``codes`` as from ``make_codes``."""
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
        """Return the rows whose codes have the highest inner products with each query, unsorted.

        The shape is (q, limit), with -1 for missing rows.
        """
        found: NDArray[np.int64] = self._index.search(np.ascontiguousarray(queries @ self._rotation), limit)[
            1
        ]
        return found


@cache
def _rotation(dimensions: int) -> NDArray[np.float32]:
    """Return a random orthogonal matrix of shape (d, d), the same in every call."""
    drawn = np.random.Generator(np.random.PCG64(0)).standard_normal((dimensions, dimensions))
    turned, upper = np.linalg.qr(drawn)
    # The decomposition with a positive diagonal is unique.
    rotation: NDArray[np.float32] = (turned * np.sign(np.diag(upper))).astype(np.float32)
    return rotation


# Vector search with faiss. In a corpus of up to ``MOST_EXACT`` passages every vector is compared, so nothing
# at or above a threshold is missed. In a larger one the codes preselect candidates; the recall is measured
# when the corpus is built. Scores are exact in both.

# Cached results over the whole corpus: a case repeats its question (scan, evidence), and all cases use the
# areas.
REMEMBERED = 256
# Largest corpus in which every vector is compared (1 to 2 ms).
MOST_EXACT = 30_000
# Candidates by code for each requested hit, and their minimum.
COMPARED, LEAST_COMPARED = 8, 2048
# Most candidates by code with a mask.
MOST_NEAR = 16_384
# Sample of passages as queries, and number of hits, for the measured recall.
ASKED, RECALL_AT = 32, 100
# Codes are not used below this recall.
LEAST_RECALL = 0.98
CODES = "vectors.codes"


def nothing() -> None:
    """Release nothing."""


def parts_of(vectors: NDArray[np.float32], release: Callable[[], None]) -> Iterator[NDArray[np.float32]]:
    """Yield the vectors in batches; ``release`` is called after each."""
    for start in range(0, len(vectors), BATCH):
        yield vectors[start : start + BATCH]
        release()


class VectorIndex:
    """Unit vectors by row; zero rows are passages in languages unknown to the model."""

    def __init__(self, state: Block) -> None:
        self._vectors: NDArray[np.float32] = state["vectors"]
        self._look_through(state["vectors.present"], state.arrays.get(CODES))

    def _look_through(self, present: Mask, codes: Codes | None) -> None:
        """Prepare the search over passages with a vector, with codes if available."""
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
        """Set the vectors, shape (passages, d), unit or zero rows.

        They are read in batches with ``release`` after each. ``known``: codes that need not be computed.
        """
        given = np.asarray(vectors, np.float32)
        present: list[Mask] = [np.zeros(0, np.bool_)]
        codes: list[Codes] = []
        is_coded, first = len(given) > MOST_EXACT and codable(given.shape[1]), 0
        kept = known if is_coded and known is not None and known.holds(given) else None
        for part in parts_of(given, release):
            present.append(np.asarray(part.any(axis=1)) if kept is None else kept.present(part, first))
            if is_coded:
                codes.append(make_codes(part) if kept is None else kept.completed(part, first))
            first += len(part)
        state.arrays |= {"vectors": given, "vectors.present": np.concatenate(present)}
        if is_coded:
            state.arrays[CODES] = np.concatenate(codes)

    @staticmethod
    def write_later(state: Block, release: Callable[[], None]) -> None:
        """Read the vectors in batches when the block is written."""
        vectors = state["vectors"]
        state.arrays["vectors"] = vectors[:0]
        state.later["vectors"] = Later(vectors.shape, lambda: parts_of(vectors, release))

    def search(
        self, queries: NDArray[np.float32], limit: int, minimum: float, mask: Mask | None
    ) -> list[Hits]:
        """Return for each query at most ``limit`` rows with an inner product >= ``minimum``, best first."""
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
        """Return the cached hits of a query if they determine the best ``limit``."""
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
        # With ties at the end, a smaller search might have returned other rows.
        if had > limit and hits.scores[limit - 1 : limit] > hits.scores[limit : limit + 1]:
            return Hits(hits.rows[:limit], hits.scores[:limit])
        return None

    def _remember(self, found: Mapping[bytes, tuple[int, Hits]]) -> None:
        with self._lock:
            self._remembered.update(found)
            while len(self._remembered) > REMEMBERED:
                self._remembered.popitem(last=False)

    def _best(self, asked: NDArray[np.float32], limit: int, allowed: Mask) -> list[Hits]:
        """Return the best allowed rows for each query, best first."""
        count = self._count if allowed is self._present else int(np.count_nonzero(allowed))
        limit = min(limit, count)
        if limit <= 0 or not len(asked):
            return [Hits(np.zeros(0, np.int32), np.zeros(0, np.float32)) for _ in asked]
        near = self._near(asked, limit, allowed, count)
        make_codes = [place for place, rows in enumerate(near) if len(rows)]
        found = self._best_of(asked[make_codes], [near[place] for place in make_codes], limit)
        rest = [place for place, rows in enumerate(near) if not len(rows)]
        for place, hits in zip(rest, self._exactly(asked[rest], limit, allowed, count), strict=True):
            found.insert(place, hits)
        return found

    def _best_of(
        self, asked: NDArray[np.float32], near: Sequence[NDArray[np.int64]], limit: int
    ) -> list[Hits]:
        """Return the best of some candidate rows for each query by exact scores."""
        return [self._hits(query, rows, limit) for query, rows in zip(asked, near, strict=True)]

    def _near(
        self, asked: NDArray[np.float32], limit: int, allowed: Mask, count: int
    ) -> list[NDArray[np.int64]]:
        """Return candidate rows for each query by their codes, more than requested.

        The list is empty if the codes do not give enough of them; then every allowed vector must be compared.
        """
        wanted = _compared(limit)
        asked_for = wanted * len(allowed) // max(count, 1)
        # A few allowed rows are compared faster directly.
        if self._coded is None or count <= MOST_EXACT or asked_for > MOST_NEAR:
            return [np.empty(0, np.int64)] * len(asked)
        near = [rows[rows >= 0] for rows in self._coded.nearest(asked, asked_for)]
        near = [rows[allowed[rows]] for rows in near]
        return [rows if len(rows) * 2 >= wanted else rows[:0] for rows in near]

    def _exactly(self, asked: NDArray[np.float32], limit: int, allowed: Mask, count: int) -> list[Hits]:
        """Return the best allowed rows for each query by comparing all of them."""
        if not len(asked):
            return []
        # Looking up every passage in a bitmap takes several times as long as comparing its vector.
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
        """Return sorted hits, read-only because they are cached."""
        rows = np.sort(rows[rows >= 0])
        compared = by_product(rows, self.take(rows), query)
        hits = Hits(compared.rows[:limit], compared.scores[:limit])
        for array in (hits.rows, hits.scores):
            array.flags.writeable = False
        return hits

    def _compared_by_parts(
        self, asked: NDArray[np.float32], limit: int, release: Callable[[], None]
    ) -> list[Hits]:
        """Return the best rows for each query by comparing all vectors in batches."""
        rows, scores = np.zeros((len(asked), 0), np.int64), np.zeros((len(asked), 0), np.float32)
        first = 0
        for part in parts_of(self._vectors, release):
            own = np.where(self._present[first : first + len(part)], asked @ part.T, np.float32(-np.inf))
            numbers = np.broadcast_to(np.arange(first, first + len(part)), own.shape)
            scores, rows = np.hstack([scores, own]), np.hstack([rows, numbers])
            # Keep twice as many as requested, which exact scores then separate.
            if scores.shape[1] > 2 * limit:
                best = np.argpartition(-scores, 2 * limit, axis=1)[:, : 2 * limit]
                scores = np.take_along_axis(scores, best, axis=1)
                rows = np.take_along_axis(rows, best, axis=1)
            first += len(part)
        found = (own[np.isfinite(known)] for own, known in zip(rows, scores, strict=True))
        return [self._hits(query, own, limit) for query, own in zip(asked, found, strict=True)]

    @property
    def vectors(self) -> NDArray[np.float32]:
        """Return all vectors, shape (passages, d)."""
        return self._vectors

    def recall(self, release: Callable[[], None] = nothing) -> float | None:
        """Return the recall of the best ``RECALL_AT`` hits, averaged over evenly spaced passages as queries.

        None if every vector is compared anyway. ``release`` as in ``put``.
        """
        present = np.flatnonzero(self._present)
        if self._coded is None or not len(present):
            return None
        chosen = present[np.unique(np.linspace(0, len(present) - 1, ASKED).astype(np.intp))]
        asked = np.ascontiguousarray(self._vectors[chosen])
        limit = min(RECALL_AT, len(present))
        exact = self._compared_by_parts(asked, limit, release)
        found = self._best(asked, limit, self._present)
        # Compared by score, because of equal scores either may be found.
        return float(
            np.mean(
                [np.isin(one.scores, other.scores).mean() for one, other in zip(exact, found, strict=True)]
            )
        )

    def take(self, rows: Rows | NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the vectors at ``rows``, shape (n, d)."""
        chosen: NDArray[np.float32] = self._vectors[np.asarray(rows, np.int64)]
        return chosen


def _compared(limit: int) -> int:
    """Return the number of vectors to compare for some hits.

    A power of two, so that most searches share results.
    """
    return max(LEAST_COMPARED, 1 << (COMPARED * limit - 1).bit_length())


def _from(hits: Hits, minimum: float) -> Hits:
    """Return the hits with at least a score; they are sorted by it."""
    size = int(np.searchsorted(-hits.scores, -np.float32(minimum), side="right"))
    return Hits(hits.rows[:size], hits.scores[:size])


def similarity_floor(vectors: NDArray[np.float32], pairs: int = 20_000, present: Mask | None = None) -> float:
    """Return the cosine that 99% of random pairs of passages reach.

    The pairs are drawn with a fixed seed, without zero rows: ``present`` masks rows with a vector, if known.
    0 for fewer than two vectors.
    """
    rows = np.flatnonzero(vectors.any(axis=1) if present is None else present)
    if len(rows) < 2:
        return 0.0
    drawn = np.random.default_rng(0).integers(0, len(rows), (2, pairs))
    left, right = rows[drawn[:, drawn[0] != drawn[1]]]
    return float(np.percentile(np.einsum("nd,nd->n", vectors[left], vectors[right]), 1))
