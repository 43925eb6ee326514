"""What is linked to what over a whole corpus, as sparse matrices: references, names, shared entities.

A store may put them together when a corpus is published, so that nobody who opens it has to.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
import scipy
from numpy.typing import NDArray

from engine.corpus.protocol.values import Links, Mentions, Rows, Scores
from engine.sorting import begins, numbered

# A reference to a section of many passages says little of each: its weight is shared out among them.
SECTION_SHARE = 0.8
# What a twentieth of the passages mentions links nothing.
LOWEST_RARITY = 0.3
# More definers than this tell a common heading, not a name.
MOST_DEFINERS = 20
# Explicit links against shared entities in a walk.
LINK_WEIGHT = 4.0

Matrix: TypeAlias = "scipy.sparse.csr_array"
Array: TypeAlias = "NDArray[np.generic]"


class Adjacency(NamedTuple):
    """The graph of n passages and e entities; all weights are float32.

    ``cites`` and ``names`` have shape (n, n): row i holds what passage i refers to, or names by what the
    other one defines, weights in 0..1. ``defined``, shape (n, e): which entities a passage defines, or is
    about. ``joined`` has shape (n + e, n + e) and is symmetric: passages with what they are linked with and
    the entities they mention. A walker goes from node j to i with ``joined[i, j] * scale[j]``, which sum to 1
    over i, or to 0 where j is a dead end; ``scale`` has shape (n + e,). ``rarity``: of each entity, (e,).
    """

    cites: Matrix
    names: Matrix
    defined: Matrix
    joined: Matrix
    scale: Scores
    rarity: Scores

    def arrays(self) -> dict[str, Array]:
        """All of it as plain arrays, by name."""
        parts: dict[str, Array] = {"scale": self.scale, "rarity": self.rarity}
        for name in ("cites", "names", "defined", "joined"):
            matrix: Matrix = getattr(self, name)
            parts |= {
                f"{name}.pointers": matrix.indptr,
                f"{name}.columns": matrix.indices,
                f"{name}.weights": matrix.data,
            }
        return parts


def adjacency_from(arrays: Mapping[str, Array], passages: int) -> Adjacency:
    """What ``Adjacency.arrays`` gave, over the same memory."""
    entities = len(arrays["rarity"])

    def matrix(name: str, *shape: int) -> Matrix:
        # Its parts are set, not given: whoever is given them looks through all of them.
        found: Any = scipy.sparse.csr_array(shape, dtype=np.float32)
        for own, part in (("data", "weights"), ("indices", "columns"), ("indptr", "pointers")):
            setattr(found, own, arrays[f"{name}.{part}"])
        return cast("Matrix", found)

    square = passages, passages
    return Adjacency(
        matrix("cites", *square),
        matrix("names", *square),
        matrix("defined", passages, entities),
        matrix("joined", passages + entities, passages + entities),
        np.asarray(arrays["scale"], np.float32),
        np.asarray(arrays["rarity"], np.float32),
    )


def adjacency_of(mentions: Mentions, links: Links, passages: int) -> Adjacency:
    """Put together from all mentions, and all resolved references from each row to others."""
    rarity = mentions.rarity
    size = (passages, len(rarity))
    telling = rarity[mentions.entities] >= LOWEST_RARITY
    rows, entities = mentions.rows[telling], mentions.entities[telling]
    held = scipy.sparse.csr_array((np.ones(len(rows), np.float32), (rows, entities)), shape=size)
    defining = mentions.defines & telling
    about = mentions.rows[defining], mentions.entities[defining]
    defined = scipy.sparse.csr_array((np.ones(len(about[0]), np.float32), about), shape=size)
    names, cites = _names(held, defined, rarity), _cites(links, passages)
    return Adjacency(cites, names, defined, *_joined(cites + names, held, rarity), rarity)


def _cites(links: Links, passages: int) -> Matrix:
    """Resolved references as a matrix; those that reach many passages weigh little for each."""
    keys = links.origins.astype(np.int64) * (int(links.evidence.max(initial=0)) + 1) + links.evidence
    _, position = numbered(keys)
    count = np.bincount(position)[position]
    weights = np.where(count == 1, 1.0, SECTION_SHARE / count).astype(np.float32)
    other = links.origins != links.rows
    return _strongest(links.origins[other], links.rows[other], weights[other], passages)


def _strongest(rows: Rows, columns: Rows, weights: NDArray[np.float32], size: int) -> Matrix:
    """A square matrix that keeps the highest of several weights of one place."""
    places = rows.astype(np.int64) * size + columns
    if (places[1:] < places[:-1]).any():
        order = np.argsort(places, kind="stable")
        places, weights = places[order], weights[order]
    first = np.flatnonzero(begins(places))
    kept, highest = places[first], np.maximum.reduceat(weights, first) if len(first) else weights
    index = scipy.sparse.get_index_dtype(maxval=max(size, len(kept)))
    starts = np.searchsorted(kept, np.arange(size + 1) * size).astype(index)
    return scipy.sparse.csr_array((highest, (kept % max(size, 1)).astype(index), starts), shape=(size, size))


def _names(held: Matrix, defined: Matrix, rarity: NDArray[np.float32]) -> Matrix:
    """Who names what another passage defines: the entity's rarity over the root of its definers."""
    definers = np.asarray(defined.sum(axis=0)).ravel()
    usable = (definers > 0) & (definers <= MOST_DEFINERS)
    weight = np.where(usable, rarity / np.sqrt(np.maximum(definers, 1)), 0.0).astype(np.float32)
    links = (held @ scipy.sparse.diags_array(weight) @ defined.T).tocoo()
    keep = (links.row != links.col) & (links.data > 0)
    weights = np.minimum(links.data[keep], 1.0).astype(np.float32)
    return scipy.sparse.csr_array((weights, (links.row[keep], links.col[keep])), shape=links.shape)


def _joined(links: Matrix, held: Matrix, rarity: NDArray[np.float32]) -> tuple[Matrix, Scores]:
    """Links both ways and mentions weighted by rarity; and one over the sum of each row, 0 for none."""
    worth = (rarity * np.log(max(held.shape[0], 2))).astype(np.float32)
    mentioned = scipy.sparse.csr_array(
        (held.data * worth[held.indices], held.indices, held.indptr), held.shape
    )
    both = scipy.sparse.csr_array(links + links.T)
    both.data *= np.float32(LINK_WEIGHT)
    np.minimum(both.data, 2 * LINK_WEIGHT, out=both.data)
    upper, lower = _beside(both, mentioned), scipy.sparse.csr_array(mentioned.T.tocsr())
    size = sum(held.shape)
    starts = np.concatenate([upper.indptr, lower.indptr[1:] + upper.indptr[-1]])
    targets = np.concatenate([upper.indices, lower.indices])
    weights = np.concatenate([upper.data, lower.data]).astype(np.float32)
    whole = scipy.sparse.csr_array((weights, targets, starts), shape=(size, size))
    sums = np.asarray(whole.sum(axis=0)).ravel()
    scale = np.divide(1.0, sums, out=np.zeros_like(sums), where=sums > 0).astype(np.float32)
    return whole, scale


def _beside(left: Matrix, right: Matrix) -> Matrix:
    """Two matrices with as many rows, side by side: their rows are written one behind the other, which scipy
    does by way of their transposes."""
    starts = left.indptr + right.indptr
    targets = np.empty(starts[-1], np.int32)
    weights = np.empty(starts[-1], np.float32)
    for part, before, first in ((left, right.indptr[:-1], 0), (right, left.indptr[1:], left.shape[1])):
        places = np.arange(part.nnz) + np.repeat(before, np.diff(part.indptr))
        targets[places] = part.indices + first
        weights[places] = part.data
    return scipy.sparse.csr_array(
        (weights, targets, starts), shape=(left.shape[0], left.shape[1] + right.shape[1])
    )
