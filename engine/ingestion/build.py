"""From source files to a corpus folder."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from engine.corpus.contents import Contents
from engine.corpus.embedded.writing import write_corpus
from engine.corpus.ontology import read_ontology
from engine.errors import SourceError
from engine.ingestion.gathering import Collection, gather
from engine.ingestion.indexing import lexical_terms, passage_vectors
from engine.ingestion.linking import declared_references, edge_references, version_references
from engine.ingestion.progress import Progress, silent
from engine.ingestion.readers.base import Problem
from engine.ingestion.report import IngestionReport
from engine.ingestion.sources import Found, find_sources
from engine.language.embedders import embedder
from engine.language.entities import extract_entities
from engine.language.references import Resolver
from engine.model import Reference


class Example(BaseModel):
    """A question that the page offers for a corpus."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    text: str
    language: str = "und"
    title: str = ""


class Stopwatch:
    """Seconds per step."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Measure the block as a step."""
        start = perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = round(self.seconds.get(name, 0.0) + perf_counter() - start, 3)


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
    named in the report. Raises SourceError where nothing is usable, CorpusError where the folder is,
    ModelError where the embedding model cannot be had, SettingsError for an unknown embedding.
    """
    tell = progress or silent
    watch = Stopwatch()
    model = embedder(embedding)
    with watch.step("read"):
        found = find_sources(sources)
        collection = gather(found.documents, found.problems, tell)
        ontology, examples = _extras(found)
    with watch.step("references"):
        references = _references(collection, found, tell, with_edges=with_edges)
    with watch.step("entities"):
        tell("entities", 0, 1)
        entities = extract_entities(collection.passages)
        tell("entities", 1, 1)
    with watch.step("index"):
        texts, contexts = lexical_terms(collection, tell, headings=index_headings)
    vectors: NDArray[np.float32] | None = None
    not_embedded = len(collection.passages)
    if model is not None:
        with watch.step("embed"):
            vectors, not_embedded = passage_vectors(collection.passages, model, tell)
    with watch.step("write"):
        manifest = write_corpus(
            folder,
            Contents(
                name=name or folder.name,
                documents=collection.documents,
                sections=collection.sections,
                passages=collection.passages,
                terms=texts,
                contexts=contexts,
                references=references,
                entities=entities.entities,
                mentions=(entities.rows, entities.numbers),
                vectors=vectors,
                embedding=embedding,
                ontology=ontology,
                metadata={
                    "sources": [source.name for source in sources],
                    "examples": examples,
                    "index_headings": index_headings,
                    "problems": len(found.problems),
                    "seconds": dict(watch.seconds),
                },
            ),
        )
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
        not_embedded=0 if model is None else not_embedded,
        seconds=watch.seconds,
        problems=tuple(found.problems),
    )


def _extras(found: Found) -> tuple[dict[str, Any] | None, list[dict[str, str]]]:
    """The ontology and the example questions; a broken file is a problem, not the end."""
    ontology: dict[str, Any] | None = None
    examples: list[dict[str, str]] = []
    if found.ontology is not None:
        try:
            ontology = read_ontology(found.ontology)
        except SourceError as error:
            place, _, reason = str(error).partition(": ")
            found.problems.append(Problem(place, reason))
    if found.examples is not None:
        try:
            content = json.loads(found.examples.read_bytes())
            examples = [
                example.model_dump() for example in TypeAdapter(list[Example]).validate_python(content)
            ]
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            found.problems.append(Problem(str(found.examples), f"{where}: {first['msg']}"))
        except (OSError, ValueError) as error:
            found.problems.append(Problem(str(found.examples), f"not readable as JSON ({error})"))
    return ontology, examples


def _references(
    collection: Collection, found: Found, progress: Progress, *, with_edges: bool
) -> list[Reference]:
    references = [*declared_references(collection), *version_references(collection)]
    resolver = Resolver(collection.documents, collection.sections, collection.passages)
    total = len(collection.passages)
    for row, passage in enumerate(collection.passages):
        if row % 1024 == 0:
            progress("references", row, total)
        references.extend(resolver.references(passage))
    progress("references", total, total)
    if with_edges:
        for path in found.edges:
            references.extend(edge_references(path, collection, found.problems))
    rows = {passage.id: row for row, passage in enumerate(collection.passages)}
    return sorted(references, key=lambda reference: (rows[reference.source_id], reference.span.start))
