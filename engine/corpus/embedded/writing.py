"""Write a corpus folder from what an ingestion has gathered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from engine.corpus.contents import NO_EMBEDDING, Contents
from engine.corpus.embedded.documents import DocumentTable, SectionTable
from engine.corpus.embedded.lexical import LexicalIndex
from engine.corpus.embedded.links import LinkIndex, ReferenceTable, Targets
from engine.corpus.embedded.manifest import FORMAT_VERSION, Manifest
from engine.corpus.embedded.mentions import EntityTable
from engine.corpus.embedded.passages import PassageTable
from engine.corpus.embedded.publication import new_generation, publish


def write_corpus(folder: Path, contents: Contents) -> Manifest:
    """Put a corpus in the place of the one in ``folder``, at once or not at all.

    Raises CorpusError where the folder is in use or holds something else.
    """
    with new_generation(folder) as generation:
        manifest = _write(generation, contents)
        publish(folder, manifest)
    return manifest


def _write(generation: Path, contents: Contents) -> Manifest:
    documents = {document.id: number for number, document in enumerate(contents.documents)}
    sections = {section.id: number for number, section in enumerate(contents.sections)}
    rows = {passage.id: row for row, passage in enumerate(contents.passages)}
    _check(contents, documents, sections, rows)
    languages = Counter(passage.language for passage in contents.passages)
    language_codes = {language: code for code, language in enumerate(sorted(languages))}
    named = [d.status for d in contents.documents] + [p.status for p in contents.passages]
    statuses = sorted({status for status in named if status is not None})
    status_codes: dict[str | None, int] = {None: -1, **{status: code for code, status in enumerate(statuses)}}
    grammars = sorted({reference.grammar for reference in contents.references})
    grammar_codes = {grammar: code for code, grammar in enumerate(grammars)}
    owner = np.asarray([documents[passage.document_id] for passage in contents.passages], np.int64)
    first = np.searchsorted(owner, np.arange(len(documents) + 1)).tolist()

    DocumentTable.write(generation, contents.documents, first, status_codes)
    SectionTable.write(generation, contents.sections, documents, first)
    PassageTable.write(generation, contents.passages, documents, sections, language_codes, status_codes)
    ReferenceTable.write(generation, contents.references, Targets(rows, sections, documents), grammar_codes)
    EntityTable.write(generation, contents.entities, *contents.mentions, rows)
    edges = ReferenceTable(generation, grammars).edges(SectionTable(generation), DocumentTable(generation))
    LinkIndex.write(generation, edges, len(rows))
    LexicalIndex.write(generation, contents.terms, contents.contexts)
    floor = 0.0
    if contents.vectors is not None:
        from engine.corpus.embedded.dense import VectorIndex, similarity_floor

        VectorIndex.write(generation, contents.vectors)
        floor = similarity_floor(contents.vectors)
    return Manifest(
        format=FORMAT_VERSION,
        name=contents.name,
        generation=generation.name,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        documents=len(documents),
        sections=len(sections),
        passages=len(rows),
        references=len(contents.references),
        entities=len(contents.entities),
        languages=dict(languages),
        statuses=tuple(statuses),
        grammars=tuple(grammars),
        references_by_relation=dict(Counter(str(r.relation) for r in contents.references)),
        references_by_status=dict(Counter(str(r.status) for r in contents.references)),
        embedding=NO_EMBEDDING if contents.vectors is None else contents.embedding,
        dimensions=0 if contents.vectors is None else contents.vectors.shape[1],
        similarity_floor=floor,
        ontology=None if contents.ontology is None else dict(contents.ontology),
        metadata=dict(contents.metadata),
        files=_files(generation),
    ).sealed()


def _files(generation: Path) -> dict[str, int]:
    paths = sorted(path for path in generation.rglob("*") if path.is_file())
    return {path.relative_to(generation).as_posix(): path.stat().st_size for path in paths}


def _check(
    contents: Contents, documents: Mapping[str, int], sections: Mapping[str, int], rows: Mapping[str, int]
) -> None:
    """Refuse contents that would make a corpus whose rows mean something else than they say."""
    sizes = {"document": (documents, contents.documents), "section": (sections, contents.sections)}
    for noun, (numbers, values) in {**sizes, "passage": (rows, contents.passages)}.items():
        if len(numbers) != len(values):
            raise ValueError(f"{len(values) - len(numbers)} repeated {noun} ids")
    places = [(documents[passage.document_id], passage.position) for passage in contents.passages]
    expected = [
        (document, position)
        for document, count in sorted(Counter(document for document, _ in places).items())
        for position in range(count)
    ]
    if places != expected:
        raise ValueError("passages do not stand in the order of their documents and positions")
    if contents.vectors is not None and len(contents.vectors) != len(rows):
        raise ValueError(f"{len(contents.vectors)} vectors for {len(rows)} passages")
