"""Groups of units that are about the same.

Latent semantic analysis (Deerwester et al. 1990) of their terms and headings, Ward's method (1963) over it,
and as many groups as the silhouette (Rousseeuw 1987) likes best.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import scipy
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus
from engine.language.analysis import analyzer
from engine.ontology.material import Material, says_something

LATENT = 80
FEWEST, MOST = 4, 16
# A word of the heading counts as often as it would in so many passages.
HEADING_WEIGHT, ABOVE_WEIGHT = 3.0, 1.0
# Meaning weighs so much beside words, where the corpus has vectors.
MEANING = 0.5
Table = NDArray[np.float64]


def group(material: Material, corpus: Corpus) -> NDArray[np.int32]:
    """For each unit the number of its group, from 0; groups in the order of their size, the largest first."""
    counts = _counts(material)
    unlike, twin_of = _without_twins(counts)
    if len(unlike) < 2 * FEWEST:
        return np.zeros(len(counts), np.int32)
    table = _latent(_weights([counts[number] for number in unlike]))
    meanings = _meanings(material, corpus)
    if meanings is not None:
        table = _unit_length(np.hstack([table, MEANING * meanings[unlike]]))
    labels = _cut(table)[twin_of]
    sizes = Counter(labels.tolist())
    order = sorted(sizes, key=lambda label: (-sizes[label], label))
    return np.asarray([order.index(label) for label in labels.tolist()], np.int32)


def _cut(table: Table) -> NDArray[np.int32]:
    """Ward's tree, cut where the silhouette is the widest: for each row its group."""
    tree = scipy.cluster.hierarchy.linkage(table, method="ward")
    distances = scipy.spatial.distance.squareform(scipy.spatial.distance.pdist(table))
    best, labels = -2.0, np.ones(len(table), np.int32)
    for wanted in range(FEWEST, min(MOST, len(table) // 3) + 1):
        found = scipy.cluster.hierarchy.fcluster(tree, wanted, criterion="maxclust")
        width = silhouette(distances, found)
        # Of two cuts that are as good the finer one says more.
        if width >= best:
            best, labels = width, found.astype(np.int32)
    return labels


def _without_twins(counts: Sequence[Mapping[str, float]]) -> tuple[list[int], NDArray[np.int64]]:
    """One unit of each that say the same, and for each unit the place of its twin among them. A text that
    stands in several documents or versions would else be a group of its own."""
    places: dict[frozenset[tuple[str, float]], int] = {}
    unlike: list[int] = []
    twin_of = np.zeros(len(counts), np.int64)
    for number, own in enumerate(counts):
        key = frozenset(own.items())
        if key not in places:
            places[key] = len(unlike)
            unlike.append(number)
        twin_of[number] = places[key]
    return unlike, twin_of


def silhouette(distances: Table, labels: NDArray[np.int32]) -> float:
    """Mean silhouette of a division, -1..1; ``distances`` has shape (n, n)."""
    names, places = np.unique(labels, return_inverse=True)
    member = np.zeros((len(labels), len(names)))
    member[np.arange(len(labels)), places] = 1.0
    sizes = member.sum(axis=0)
    sums = distances @ member
    own = sizes[places]
    inside = sums[np.arange(len(labels)), places] / np.maximum(own - 1, 1)
    others = sums / sizes
    others[np.arange(len(labels)), places] = np.inf
    outside = others.min(axis=1)
    widest = np.maximum(inside, outside)
    widths = np.where(own > 1, (outside - inside) / np.where(widest > 0, widest, 1.0), 0.0)
    return float(widths.mean())


def _weights(counts: Sequence[Mapping[str, float]]) -> scipy.sparse.csr_matrix:
    """Log tf times idf of each unit's stems, rows of unit length: shape (units, stems)."""
    spread = Counter(stem for own in counts for stem in own)
    kept = sorted(stem for stem, times in spread.items() if 2 <= times <= 0.5 * len(counts))
    numbers = {stem: number for number, stem in enumerate(kept)}
    rows, columns, values = [], [], []
    for row, own in enumerate(counts):
        for stem, times in sorted(own.items()):
            if stem in numbers:
                rows.append(row)
                columns.append(numbers[stem])
                values.append((1.0 + np.log(times)) * np.log(len(counts) / spread[stem]))
    shape = (len(counts), max(len(kept), 1))
    return scipy.sparse.csr_matrix((np.asarray(values, np.float64), (rows, columns)), shape=shape)


def _counts(material: Material) -> list[dict[str, float]]:
    """How often each stem is in each unit. A unit with its translations counts in one language, the one that
    most of the corpus has: else what is translated would be alike for that alone."""
    order = {language: place for place, language in enumerate(material.languages)}
    spoken: list[str] = ["" for _ in material.units]
    for passage in material.passages:
        known = spoken[passage.unit]
        if not known or order[passage.language] < order[known]:
            spoken[passage.unit] = passage.language
    counts: list[dict[str, float]] = [{} for _ in material.units]
    for passage in material.passages:
        if passage.language == spoken[passage.unit]:
            own = counts[passage.unit]
            for stem in passage.stems:
                own[stem] = own.get(stem, 0.0) + 1.0
    for unit, language, own in zip(material.units, spoken, counts, strict=True):
        for place, title in enumerate(unit.titles.get(language, ())):
            if title.casefold() in material.everywhere or not says_something(title, language):
                continue
            for term in analyzer(language).terms(title):
                stem = f"{language}:{term}"
                own[stem] = own.get(stem, 0.0) + (HEADING_WEIGHT if place == 0 else ABOVE_WEIGHT)
    return counts


def _latent(weights: scipy.sparse.csr_matrix) -> Table:
    lengths = np.sqrt(weights.multiply(weights).sum(axis=1)).A1 if weights.nnz else np.ones(weights.shape[0])
    scaled = scipy.sparse.csr_matrix(weights.multiply(1.0 / np.where(lengths > 0, lengths, 1.0)[:, None]))
    rank = min(LATENT, min(scaled.shape) - 1)
    if rank < 1:
        return np.asarray(scaled.toarray(), np.float64)
    # A fixed start makes the result the same in every run.
    left, strength, _ = scipy.sparse.linalg.svds(scaled, k=rank, v0=np.full(min(scaled.shape), 1.0))
    return _unit_length(left * strength)


def _meanings(material: Material, corpus: Corpus) -> Table | None:
    """Mean vectors of the units in the main language, unit length; None where the corpus has none."""
    main = material.languages[0] if material.languages else ""
    rows = [passage.row for passage in material.passages if passage.language == main]
    owners = [passage.unit for passage in material.passages if passage.language == main]
    if not rows:
        return None
    vectors = corpus.vectors(np.asarray(rows, np.int32))
    if not vectors.shape[1] or not vectors.any():
        return None
    table = np.zeros((len(material.units), vectors.shape[1]))
    np.add.at(table, owners, vectors.astype(np.float64))
    table -= table.mean(axis=0)
    return _unit_length(table)


def _unit_length(table: Table) -> Table:
    lengths = np.linalg.norm(table, axis=1, keepdims=True)
    return np.asarray(table / np.where(lengths > 0, lengths, 1.0))
