"""From source files to a corpus folder."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from engine.corpus.contents import Contents
from engine.corpus.embedded.manifest import Manifest
from engine.corpus.embedded.publication import refuse_foreign
from engine.corpus.embedded.writing import write_corpus
from engine.ingestion.analysis import Analysis, analyse, in_corpus_order
from engine.ingestion.extras import examples_of, ontology_of
from engine.ingestion.gathering import Collection, gather
from engine.ingestion.indexing import passage_vectors
from engine.ingestion.linking import declared_references, edge_references, version_references
from engine.ingestion.progress import Progress, silent
from engine.ingestion.report import IngestionReport
from engine.ingestion.sources import Found, open_sources
from engine.language.embedders import embedder
from engine.model import Reference


def build_corpus(
    sources: Sequence[Path],
    folder: Path,
    *,
    embedding: str = "minilm",
    name: str | None = None,
    with_edges: bool = False,
    index_headings: bool = True,
    progress: Progress | None = None,
) -> IngestionReport:
    """Read sources (files and folders) and put their corpus into ``folder``, at once or not at all.

    ``with_edges`` adds the links of ``edges.tsv`` files; they may be gold, so nobody gets them unasked.
    ``index_headings`` indexes what stands around a passage beside its text. What cannot be read is
    named in the report. Raises SourceError where nothing is usable, CorpusError where the folder is
    not, ModelError where the embedding model cannot be had, SettingsError for an unknown embedding.
    """
    tell, seconds = progress or silent, dict[str, float]()
    start = perf_counter()
    model = embedder(embedding)
    refuse_foreign(folder)
    with _step("read", seconds), open_sources(sources) as found:
        collection = gather(found.documents, found.problems, tell)
        ontology = ontology_of(found.ontology, found.problems)
        examples = examples_of(found.examples, found.problems)
    with _without_collector():
        analysis = analyse(collection, tell, headings=index_headings)
    seconds.update(analysis.seconds)
    references = _all_references(collection, analysis, found, with_edges=with_edges)
    vectors: NDArray[np.float32] | None = None
    not_embedded = 0
    if model is not None:
        with _step("embed", seconds):
            vectors, not_embedded = passage_vectors(collection.passages, model, tell, headings=index_headings)
    with _step("write", seconds):
        tell("write", 0, 1)
        manifest = write_corpus(
            folder,
            Contents(
                name=name or folder.resolve().name,
                documents=collection.documents,
                sections=collection.sections,
                passages=collection.passages,
                terms=analysis.texts,
                contexts=analysis.contexts,
                references=references,
                entities=analysis.entities.entities,
                mentions=(analysis.entities.rows, analysis.entities.numbers),
                vectors=vectors,
                embedding=embedding,
                ontology=ontology,
                metadata={
                    "sources": [source.name for source in sources],
                    "examples": examples,
                    "index_headings": index_headings,
                    "problems": len(found.problems),
                },
            ),
        )
        tell("write", 1, 1)
    return _report(manifest, found, not_embedded, seconds, perf_counter() - start)


def _all_references(
    collection: Collection, analysis: Analysis, found: Found, *, with_edges: bool
) -> list[Reference]:
    """What the texts cite, what sources state beside them, and the edges that were asked for."""
    stated = [*declared_references(collection), *version_references(collection)]
    if with_edges:
        for path in found.edges:
            stated.extend(edge_references(path, collection, found.problems))
    return in_corpus_order([*analysis.references, *stated], collection)


def _report(
    manifest: Manifest, found: Found, not_embedded: int, seconds: dict[str, float], total: float
) -> IngestionReport:
    return IngestionReport(
        name=manifest.name,
        documents=manifest.documents,
        sections=manifest.sections,
        passages=manifest.passages,
        references_by_relation=manifest.references_by_relation,
        references_by_status=manifest.references_by_status,
        entities=manifest.entities,
        languages=dict(Counter(manifest.languages).most_common()),
        embedding=manifest.embedding,
        not_embedded=not_embedded,
        seconds=seconds,
        total_seconds=round(total, 3),
        problems=tuple(found.problems),
    )


@contextmanager
def _without_collector() -> Iterator[None]:
    """Millions of objects are made, none in a cycle: looking for cycles took a seventh of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def _step(name: str, seconds: dict[str, float]) -> Iterator[None]:
    start = perf_counter()
    yield
    seconds[name] = round(perf_counter() - start, 3)
