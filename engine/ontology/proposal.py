"""A proposed ontology: groups, types of transactions, and its differences from the present one."""

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
from engine.ontology.drafting import Draft, Drafting, Evidence, Index, Reach, languages_of, overlaps, slug
from engine.ontology.material import Material, Unit, gather, says_something

# Groups of units that are about the same.
#
# Latent semantic analysis (Deerwester et al. 1990) of their terms and headings, Ward's method
# (1963) over it, and as many groups as the silhouette (Rousseeuw 1987) likes best.

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


# Types of transactions that a corpus speaks of: an application, a licence, a contract in its
# headings.
#
# A type needs the areas that the provisions under its headings speak of, and those of the
# provisions they cite.

MOST_TRANSACTIONS = 8
MOST_AREAS = 4
LONGEST = 6
# An area is needed where so much of what stands below the headings, or is cited there, is in it.
SHARE = 0.3
# What is cited counts less than what stands there.
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
    """The types with the most passages below their headings and references to these, the largest first."""
    if not areas:
        return ()
    language = languages_of(material)[0]
    named: defaultdict[frozenset[str], list[tuple[str, Unit]]] = defaultdict(list)
    for unit in material.units:
        for title in unit.titles.get(language, ())[:1]:
            terms = frozenset(analyzer(language).terms(title))
            if (
                terms & _cues(language)
                and says_something(title, language)
                and 2 <= len(title.split()) <= LONGEST
            ):
                named[terms].append((title, unit))
    strengths = np.stack([np.minimum(index.counts(area), 3) for area in areas])
    cited = corpus.citation_counts()
    taken: set[str] = set()
    found = []
    for members in named.values():
        rows = np.asarray(sorted({row for _, unit in members for row in unit.rows}), np.int32)
        needed = _needed(corpus, rows, strengths)
        if needed:
            weight = len(rows) + int(cited[rows].sum())
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
    """The first of some rows that is in a language, else the first."""
    own = rows[index.of_language(language)[rows]]
    return (own if len(own) else rows)[:1]


@cache
def _cues(language: str) -> frozenset[str]:
    listed = law(language).transactions
    return frozenset(term for word in listed for term in analyzer(language).terms(word))


# A proposal for the ontology of a corpus, made without any model: areas with evidence,
# transactions.

CORPUS, MODEL = "corpus", "model"


@dataclass(frozen=True, slots=True)
class ProposedArea:
    """An area with what it was made from and what it covers. ``overlap`` is the area that shares most of its
    passages, with the share. ``source`` says who put it together: the corpus itself, or a model, which then
    joined the areas ``made_of`` and ``added`` keywords (language, text)."""

    area: Area
    evidence: tuple[Evidence, ...]
    reach: Reach
    overlap: tuple[str, float] | None = None
    source: str = CORPUS
    made_of: tuple[str, ...] = ()
    added: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """Areas and transactions for a corpus. ``covered`` is the share of the corpus's passages that some area
    covers; ``notes`` say what was left out, and why."""

    areas: tuple[ProposedArea, ...]
    transactions: tuple[ProposedTransaction, ...]
    covered: float
    notes: tuple[str, ...] = ()

    def content(self) -> dict[str, Any]:
        """The proposal as the content of an ontology file."""
        return {
            "areas": [area_content(proposed.area) for proposed in self.areas],
            "transactions": {found.id: list(found.areas) for found in self.transactions},
        }


def propose(corpus: Corpus) -> Proposal:
    """Areas and transactions from the headings, defined terms and texts of a corpus; deterministic."""
    material, index = gather(corpus), Index(corpus)
    labels = group(material, corpus)
    drafts = list(Drafting(corpus, material, labels, index).drafts())
    areas = [draft.area for draft in drafts]
    notes = []
    if not drafts:
        notes.append("no area: the corpus has too few headings and terms to tell any apart")
    if len(material.passages) < material.total:
        notes.append(f"read: {len(material.passages):,} of {material.total:,} passages, some of each section")
    return Proposal(
        measured(drafts, index),
        find_transactions(corpus, material, areas, index),
        covered_share(areas, index),
        tuple(notes),
    )


def measured(drafts: Sequence[Draft], index: Index, source: str = CORPUS) -> tuple[ProposedArea, ...]:
    """Areas with what they cover and what they share."""
    shared = overlaps({draft.area.id: index.counts(draft.area) > 0 for draft in drafts})
    return tuple(
        ProposedArea(draft.area, draft.evidence, index.reach(draft.area), shared.get(draft.area.id), source)
        for draft in drafts
    )


def covered_share(areas: Sequence[Area], index: Index) -> float:
    """The share of a corpus's passages that some area covers."""
    masks = [index.counts(area) > 0 for area in areas]
    return float(np.mean(np.logical_or.reduce(masks))) if masks and len(masks[0]) else 0.0


def area_content(area: Area) -> dict[str, Any]:
    """An area as it stands in an ontology file."""
    return {
        "id": area.id,
        "names": dict(area.names),
        "keywords": {language: list(words) for language, words in area.keywords.items()},
        "required": area.required,
        "minimum_passages": area.minimum_passages,
        "minimum_similarity": area.minimum_similarity,
    }


# What a proposal would change of the ontology that stands: each change can be taken or left on
# its own.

# Two areas are the same where so many of the passages that either covers are covered by both.
SAME = 0.3


@dataclass(frozen=True, slots=True)
class AreaChange:
    """A proposed area. ``stands`` is the area that it would add keywords to, None where it would be new;
    ``keywords`` are those to be added, by language."""

    proposed: ProposedArea
    stands: str | None
    keywords: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Difference:
    """All changes; ``known`` are ids of proposed areas that say nothing new. ``areas_for`` maps each proposed
    area to the one that stands for it once the change is taken."""

    areas: tuple[AreaChange, ...]
    known: tuple[str, ...]
    areas_for: Mapping[str, str]


def difference(corpus: Corpus, standing: Ontology | None, proposal: Proposal) -> Difference:
    """Proposed areas beside those that stand, matched by the passages that they cover."""
    index = Index(corpus)
    stands = () if standing is None else standing.areas
    masks = {area.id: index.counts(area) > 0 for area in stands}
    keywords = {area.id: area.keywords for area in stands}
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
    proposed: Mapping[str, tuple[str, ...]], stands: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    found = {}
    for language, words in proposed.items():
        old = {word.casefold() for word in stands.get(language, ())}
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
