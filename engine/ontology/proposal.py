"""Propose an ontology: groups of units, types of transactions, and changes to the present ontology."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from engine.corpus.protocol import Area, Corpus, Ontology, Rows
from engine.language.analysis import analyzer
from engine.languages import law
from engine.model import Direction
from engine.ontology.drafting import Draft, Drafting, Evidence, Index, Reach, area_languages, overlaps, slug
from engine.ontology.material import Material, Unit, gather, is_informative

# Units are grouped by Ward's method (1963) over latent semantic analysis (Deerwester et al. 1990) of their
# terms and headings; the silhouette (Rousseeuw 1987) determines the number of groups.
LATENT = 80
FEWEST, MOST = 4, 16
# A word of a unit's heading, or of a heading above, counts as in this many passages.
HEADING_WEIGHT, ABOVE_WEIGHT = 3.0, 1.0
# Weight of the vectors next to the words, if the corpus has vectors.
MEANING = 0.5
Table = NDArray[np.float64]


def group(material: Material, corpus: Corpus) -> NDArray[np.int32]:
    """Return the group number of each unit, from 0; the largest group first."""
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
    """Cut Ward's tree at the largest silhouette; return the group of each row."""
    tree = scipy.cluster.hierarchy.linkage(table, method="ward")
    distances = scipy.spatial.distance.squareform(scipy.spatial.distance.pdist(table))
    best, labels = -2.0, np.ones(len(table), np.int32)
    for count in range(FEWEST, min(MOST, len(table) // 3) + 1):
        found = scipy.cluster.hierarchy.fcluster(tree, count, criterion="maxclust")
        width = silhouette(distances, found)
        # Of two equally good cuts the finer one is more informative.
        if width >= best:
            best, labels = width, found.astype(np.int32)
    return labels


def _without_twins(counts: Sequence[Mapping[str, float]]) -> tuple[list[int], NDArray[np.int64]]:
    """Return one unit of each set of identical ones, and for each unit the index of its twin among them. A
    text in several documents or versions would otherwise be a group of its own."""
    indexes: dict[frozenset[tuple[str, float]], int] = {}
    unlike: list[int] = []
    twin_of = np.zeros(len(counts), np.int64)
    for number, own in enumerate(counts):
        key = frozenset(own.items())
        if key not in indexes:
            indexes[key] = len(unlike)
            unlike.append(number)
        twin_of[number] = indexes[key]
    return unlike, twin_of


def silhouette(distances: Table, labels: NDArray[np.int32]) -> float:
    """Return the mean silhouette of a grouping, -1..1; ``distances`` has shape (n, n)."""
    names, numbers = np.unique(labels, return_inverse=True)
    member = np.zeros((len(labels), len(names)))
    member[np.arange(len(labels)), numbers] = 1.0
    sizes = member.sum(axis=0)
    sums = distances @ member
    own = sizes[numbers]
    inside = sums[np.arange(len(labels)), numbers] / np.maximum(own - 1, 1)
    others = sums / sizes
    others[np.arange(len(labels)), numbers] = np.inf
    outside = others.min(axis=1)
    widest = np.maximum(inside, outside)
    widths = np.where(own > 1, (outside - inside) / np.where(widest > 0, widest, 1.0), 0.0)
    return float(widths.mean())


def _weights(counts: Sequence[Mapping[str, float]]) -> scipy.sparse.csr_matrix:
    """Return log tf times idf of each unit's stems, normalised rows: shape (units, stems)."""
    spread = Counter(stem for own in counts for stem in own)
    stems = sorted(stem for stem, times in spread.items() if 2 <= times <= 0.5 * len(counts))
    numbers = {stem: number for number, stem in enumerate(stems)}
    rows, columns, values = [], [], []
    for row, own in enumerate(counts):
        for stem, times in sorted(own.items()):
            if stem in numbers:
                rows.append(row)
                columns.append(numbers[stem])
                values.append((1.0 + np.log(times)) * np.log(len(counts) / spread[stem]))
    shape = (len(counts), max(len(stems), 1))
    return scipy.sparse.csr_matrix((np.asarray(values, np.float64), (rows, columns)), shape=shape)


def _counts(material: Material) -> list[dict[str, float]]:
    """Count each stem in each unit. A unit with translations counts in one language, the most frequent one of
    the corpus: otherwise translated units would be similar for that reason alone."""
    order = {language: rank for rank, language in enumerate(material.languages)}
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
        for rank, title in enumerate(unit.titles.get(language, ())):
            if title.casefold() in material.everywhere or not is_informative(title, language):
                continue
            for term in analyzer(language).terms(title):
                stem = f"{language}:{term}"
                own[stem] = own.get(stem, 0.0) + (HEADING_WEIGHT if rank == 0 else ABOVE_WEIGHT)
    return counts


def _latent(weights: scipy.sparse.csr_matrix) -> Table:
    lengths = np.sqrt(weights.multiply(weights).sum(axis=1)).A1 if weights.nnz else np.ones(weights.shape[0])
    scaled = scipy.sparse.csr_matrix(weights.multiply(1.0 / np.where(lengths > 0, lengths, 1.0)[:, None]))
    rank = min(LATENT, min(scaled.shape) - 1)
    if rank < 1:
        return np.asarray(scaled.toarray(), np.float64)
    # A fixed start vector makes the result deterministic.
    left, strength, _ = scipy.sparse.linalg.svds(scaled, k=rank, v0=np.full(min(scaled.shape), 1.0))
    return _unit_length(left * strength)


def _meanings(material: Material, corpus: Corpus) -> Table | None:
    """Return mean vectors of the units in the main language, normalised; None without vectors."""
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


# A type of transaction (an application, a licence, a contract named in headings) needs the areas of the
# provisions under its headings and of those they cite.
MOST_TRANSACTIONS = 8
MOST_AREAS = 4
LONGEST = 6
# An area is needed if this share of the passages below the headings, or cited there, is in it.
SHARE = 0.3
# Weight of cited passages relative to those below the headings.
CITED = 0.5


@dataclass(frozen=True, slots=True)
class ProposedTransaction:
    """A type of transaction: the heading that names it, the areas it needs, a passage below the heading."""

    id: str
    heading: str
    areas: tuple[str, ...]
    passage_id: str
    passages: int


def find_transactions(
    corpus: Corpus, material: Material, areas: Sequence[Area], index: Index
) -> tuple[ProposedTransaction, ...]:
    """Return the types with the most passages below their headings and citations of these, largest first."""
    if not areas:
        return ()
    language = area_languages(material)[0]
    named: defaultdict[frozenset[str], list[tuple[str, Unit]]] = defaultdict(list)
    for unit in material.units:
        for title in unit.titles.get(language, ())[:1]:
            terms = frozenset(analyzer(language).terms(title))
            if (
                terms & _cues(language)
                and is_informative(title, language)
                and 2 <= len(title.split()) <= LONGEST
            ):
                named[terms].append((title, unit))
    strengths = np.stack([np.minimum(index.counts(area), 3) for area in areas])
    citations = corpus.citation_counts()
    taken: set[str] = set()
    found = []
    for members in named.values():
        rows = np.asarray(sorted({row for _, unit in members for row in unit.rows}), np.int32)
        needed = _needed(corpus, rows, strengths)
        if needed:
            weight = len(rows) + int(citations[rows].sum())
            found.append((weight, min(title for title, _ in members), rows, needed))
    found.sort(key=lambda one: (-one[0], one[1]))
    return tuple(
        ProposedTransaction(
            slug(title, taken),
            title,
            tuple(areas[number].id for number in needed),
            corpus.passages(_first(rows, index, language))[0].id,
            len(rows),
        )
        for _, title, rows, needed in found[:MOST_TRANSACTIONS]
    )


def _needed(corpus: Corpus, rows: Rows, strengths: Rows) -> list[int]:
    links = corpus.neighbours(rows, None, Direction.OUT)
    reached = np.setdiff1d(np.unique(links.rows), rows)
    share = (strengths[:, rows] > 0).mean(axis=1)
    if len(reached):
        share = share + CITED * (strengths[:, reached] > 0).mean(axis=1)
    order = sorted(range(len(share)), key=lambda number: (-share[number], number))
    return [number for number in order if share[number] >= SHARE][:MOST_AREAS]


def _first(rows: Rows, index: Index, language: str) -> Rows:
    """Return the first of some rows in a language, else the first."""
    own = rows[index.of_language(language)[rows]]
    return (own if len(own) else rows)[:1]


@cache
def _cues(language: str) -> frozenset[str]:
    listed = law(language).transactions
    return frozenset(term for word in listed for term in analyzer(language).terms(word))


CORPUS, MODEL = "corpus", "model"


@dataclass(frozen=True, slots=True)
class ProposedArea:
    """An area with its evidence and coverage. ``overlap`` is the area that shares most of its passages, with
    the share. ``source`` is the corpus itself or a model, which then joined the areas ``made_of`` and
    ``added`` keywords (language, text)."""

    area: Area
    evidence: tuple[Evidence, ...]
    reach: Reach
    overlap: tuple[str, float] | None = None
    source: str = CORPUS
    made_of: tuple[str, ...] = ()
    added: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """Areas and transactions for a corpus. ``covered`` is the share of passages that some area covers;
    ``notes`` list what was left out, and why."""

    areas: tuple[ProposedArea, ...]
    transactions: tuple[ProposedTransaction, ...]
    covered: float
    notes: tuple[str, ...] = ()

    def content(self) -> dict[str, Any]:
        """Return the proposal as the content of an ontology file."""
        return {
            "areas": [area_content(proposed.area) for proposed in self.areas],
            "transactions": {found.id: list(found.areas) for found in self.transactions},
        }


def propose(corpus: Corpus) -> Proposal:
    """Propose areas and transactions from a corpus's headings, defined terms and texts; deterministic."""
    material, index = gather(corpus), Index(corpus)
    labels = group(material, corpus)
    drafts = list(Drafting(corpus, material, labels, index).drafts())
    areas = [draft.area for draft in drafts]
    notes = []
    if not drafts:
        notes.append("no area: the corpus has too few headings and terms to separate areas")
    if len(material.passages) < material.total:
        notes.append(f"read: {len(material.passages):,} of {material.total:,} passages, some of each section")
    return Proposal(
        measure_areas(drafts, index),
        find_transactions(corpus, material, areas, index),
        covered_share(areas, index),
        tuple(notes),
    )


def measure_areas(drafts: Sequence[Draft], index: Index, source: str = CORPUS) -> tuple[ProposedArea, ...]:
    """Add coverage and overlap to areas."""
    shared = overlaps({draft.area.id: index.counts(draft.area) > 0 for draft in drafts})
    return tuple(
        ProposedArea(draft.area, draft.evidence, index.reach(draft.area), shared.get(draft.area.id), source)
        for draft in drafts
    )


def covered_share(areas: Sequence[Area], index: Index) -> float:
    """Return the share of a corpus's passages that some area covers."""
    masks = [index.counts(area) > 0 for area in areas]
    return float(np.mean(np.logical_or.reduce(masks))) if masks and len(masks[0]) else 0.0


def area_content(area: Area) -> dict[str, Any]:
    """Return an area as content of an ontology file."""
    return {
        "id": area.id,
        "names": dict(area.names),
        "keywords": {language: list(words) for language, words in area.keywords.items()},
        "required": area.required,
        "minimum_passages": area.minimum_passages,
        "minimum_similarity": area.minimum_similarity,
    }


# Two areas are the same if this share of the passages that either covers is covered by both.
SAME = 0.3


@dataclass(frozen=True, slots=True)
class AreaChange:
    """A proposed area. ``existing`` is the area that would get its keywords, None for a new area;
    ``keywords`` are those to be added, by language."""

    proposed: ProposedArea
    existing: str | None
    keywords: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Difference:
    """All changes, each of which can be applied alone; ``known`` are ids of proposed areas without anything
    new. ``areas_for`` maps each proposed area to its area once the change is applied."""

    areas: tuple[AreaChange, ...]
    known: tuple[str, ...]
    areas_for: Mapping[str, str]


def difference(corpus: Corpus, ontology: Ontology | None, proposal: Proposal) -> Difference:
    """Match proposed areas with the present ones by the passages that they cover."""
    index = Index(corpus)
    existing = () if ontology is None else ontology.areas
    masks = {area.id: index.counts(area) > 0 for area in existing}
    keywords = {area.id: area.keywords for area in existing}
    changes, known = [], []
    areas_for: dict[str, str] = {}
    for proposed in proposal.areas:
        own = index.counts(proposed.area) > 0
        shares = {name: _jaccard(own, mask) for name, mask in masks.items()}
        best = max(shares, key=lambda name: shares[name], default=None)
        if best is None or shares[best] < SAME:
            changes.append(AreaChange(proposed, None, proposed.area.keywords))
            areas_for[proposed.area.id] = _free_id(proposed.area.id, set(masks))
            continue
        areas_for[proposed.area.id] = best
        new = _new(proposed.area.keywords, keywords[best])
        if new:
            changes.append(AreaChange(proposed, best, new))
        else:
            known.append(proposed.area.id)
    return Difference(tuple(changes), tuple(known), areas_for)


def _new(
    proposed: Mapping[str, tuple[str, ...]], existing: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    found = {}
    for language, words in proposed.items():
        old = {word.casefold() for word in existing.get(language, ())}
        new = tuple(word for word in words if word.casefold() not in old)
        if new:
            found[language] = new
    return found


def _free_id(name: str, taken_ids: set[str]) -> str:
    found, count = name, 2
    while found in taken_ids:
        found, count = f"{name}-{count}", count + 1
    return found


def _jaccard(left: np.ndarray[Any, np.dtype[np.bool_]], right: np.ndarray[Any, np.dtype[np.bool_]]) -> float:
    either = int((left | right).sum())
    return int((left & right).sum()) / either if either else 0.0
