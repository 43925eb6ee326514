"""The small corpora that are attacked, and the outcomes of attacks."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.corpus.protocol import Corpus, Links
from engine.language.embedders.base import SparseVectors

# What came of a class of attacks.

# Failures that are told one by one; of the rest the number is told.
MOST_TOLD = 20


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attack. ``held``: the product did what its threat model says. ``note``: what happened instead."""

    name: str
    held: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """All attacks of a class. ``failures`` has a line for each that was not held."""

    kind: str
    tries: int
    failures: tuple[str, ...]

    @property
    def held(self) -> int:
        """How many attacks were held."""
        return self.tries - len(self.failures)


def counted(kind: str, attempts: Iterable[Attempt]) -> Outcome:
    """The outcome of attempts that are made one after the other."""
    tries, failures = 0, []
    for attempt in attempts:
        tries += 1
        if not attempt.held:
            failures.append(f"{attempt.name}: {attempt.note or 'not held'}")
    return Outcome(kind, tries, tuple(failures))


def table(outcomes: Iterable[Outcome]) -> str:
    """A Markdown table of classes, and the failures below it."""
    rows = list(outcomes)
    lines = ["| class | tries | held | failed |", "| --- | --- | --- | --- |"]
    lines += [f"| {row.kind} | {row.tries:,} | {row.held:,} | {len(row.failures):,} |" for row in rows]
    tries, held = sum(row.tries for row in rows), sum(row.held for row in rows)
    lines.append(f"| all | {tries:,} | {held:,} | {tries - held:,} |")
    for row in rows:
        if row.failures:
            lines += ["", f"{row.kind}:", *(f"- {failure}" for failure in row.failures[:MOST_TOLD])]
            if len(row.failures) > MOST_TOLD:
                lines.append(f"- and {len(row.failures) - MOST_TOLD:,} more")
    return "\n".join(lines)


# The small corpora that are killed and damaged, and a digest of everything that a corpus answers.

TITLES = ("Harbour Act", "Vessel Act", "Fee Act", "Pilot Act")


def act(number: int, version: int) -> str:
    """An act that cites two others by name, and whose articles depend on the version."""
    title, other = TITLES[number], TITLES[(number + 1) % len(TITLES)]
    articles = [
        f"## Article {n} Powers\n\nThe Port Authority of act {number} may act under Article {n + 1} of the "
        f"{other}, subject to Article 1 of the {TITLES[(number + 2) % len(TITLES)]} and to Article {n + 1}. "
        f"Version {version}."
        for n in range(1, 4 + version)
    ]
    return f"---\nid: act-{number}\ntitle: {title}\nlanguage: en\n---\n# {title}\n\n" + "\n\n".join(articles)


def write_acts(folder: Path, versions: Mapping[int, int]) -> Path:
    """A folder with a file for each act, in these versions."""
    folder.mkdir(parents=True)
    for number, version in versions.items():
        (folder / f"{number}.md").write_text(act(number, version), encoding="utf-8")
    return folder


def fingerprint(corpus: Corpus) -> str:
    """A digest of all that a corpus says: another one wherever any answer is another."""
    rows = np.arange(len(corpus), dtype=np.int32)
    documents = corpus.documents()
    entities = corpus.entities_of(rows)
    parts: list[object] = [
        corpus.ontology,
        documents,
        corpus.passages(rows),
        [corpus.sections(corpus.document_sections(n).tolist()) for n in range(len(documents))],
        list(corpus.all_references()),
        [corpus.entities([number])[0] for own in entities for number in own],
        *_columns(corpus.siblings(rows, 5)),
        *_columns(corpus.by_entity(rows, 5)),
        corpus.citation_counts().tolist(),
        *_found(corpus),
        *_graph(corpus),
    ]
    return hashlib.sha256("\n".join(map(repr, parts)).encode()).hexdigest()


def _graph(corpus: Corpus) -> list[object]:
    """What a walk over the whole corpus reads."""
    graph = corpus.adjacency()
    return [] if graph is None else [values.tolist() for values in graph.arrays().values()]


def _found(corpus: Corpus) -> list[object]:
    """What every way of searching finds."""
    rows = np.arange(len(corpus), dtype=np.int32)
    found: list[object] = []
    hits = corpus.search_lexical(["port authority article 2 version 1", "fees of vessels"], "en", 50)
    vectors = corpus.vectors(rows)
    if vectors.shape[1]:
        hits += corpus.search_dense(vectors[:3], 50, -1.0)
    if corpus.sparse_model != "none":
        terms = np.arange(4, dtype=np.int32)
        hits += corpus.search_sparse(SparseVectors(np.array([0, 4]), terms, np.ones(4, np.float32)), 50)
    for hit in hits:
        found += [hit.rows.tolist(), hit.scores.tolist()]
    return found


def _columns(links: Links) -> list[object]:
    columns = (links.origins, links.rows, links.relations, links.weights, links.evidence)
    return [column.tolist() for column in columns]
