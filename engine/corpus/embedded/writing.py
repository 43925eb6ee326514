"""Writing of a generation, and application of users' decisions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.corpus.contents import NO_EMBEDDING, Contents, pack
from engine.corpus.embedded.block import (
    BLOCKS,
    CONTEXT_FIELD,
    TEXT_FIELD,
    TITLE_FIELD,
    Block,
    block_name,
    open_block,
    postings_of,
)
from engine.corpus.embedded.deciding import IneffectiveDecisions, decided
from engine.corpus.embedded.documents import DocumentTable, GivenNames, SectionTable, join_columns
from engine.corpus.embedded.generation import (
    CITED_NAME,
    FORMAT_VERSION,
    FOUND_NAME,
    GRAPH_NAME,
    SPARSE_NAME,
    STATE_NAME,
    Generation,
    Manifest,
    current_generation,
    find_current_generation,
    keep_file,
    seals_of,
)
from engine.corpus.embedded.lexical import LexicalIndex
from engine.corpus.embedded.links import (
    LinkIndex,
    ReferenceColumns,
    ReferenceTable,
    Targets,
    columns_in,
    columns_of,
)
from engine.corpus.embedded.passages import Definers, EntityTable, PassageTable, definers_of
from engine.corpus.embedded.publication import flush, new_generation, publish
from engine.corpus.judgements import current_decisions, load_decisions
from engine.corpus.protocol import Mentions
from engine.model import Document, Entity

if TYPE_CHECKING:
    from engine.corpus.embedded.dense import KnownCodes


# Writing a corpus folder from blocks or from plain contents.

CONTENT_KEYS = "passages.content"


@dataclass(slots=True)
class Parts:
    """The content of a generation, after its blocks are written.

    ``blocks``: names and blocks in corpus order. ``references`` have rows and numbers of the corpus.
    ``mentions``: arrays (rows, entity numbers); ``definers``: the rows that define each entity. ``vectors``:
    shape (passages, d), or None. ``intervals``: first and last day of each passage as day numbers, shapes
    (passages,), if they differ from the blocks'; ``dated``: the same for documents, by number. ``sparse``:
    the model whose index the generation contains already; ``lexical`` gives the lexical index if it is not
    built from the blocks. ``release`` releases the memory of vectors in a file. ``start`` begins a
    parallel task and returns a function that waits for it; None: a thread. ``codes``: existing codes of
    vectors.
    """

    name: str
    blocks: Sequence[tuple[str, Block]]
    references: ReferenceColumns
    entities: Sequence[Entity] = ()
    mentions: tuple[NDArray[Any], NDArray[Any]] = field(
        default_factory=lambda: (np.zeros(0, np.int32), np.zeros(0, np.int32))
    )
    definers: Definers = field(default_factory=lambda: definers_of((), {}))
    vectors: NDArray[np.float32] | None = None
    embedding: str = NO_EMBEDDING
    ontology: Mapping[str, Any] | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    intervals: tuple[NDArray[np.int32], NDArray[np.int32]] | None = None
    sparse: str = NO_EMBEDDING
    dated: Mapping[int, Document] = field(default_factory=dict)
    lexical: Callable[[], Block] | None = None
    release: Callable[[], None] = lambda: None
    start: Callable[[Callable[[], None]], Callable[[], None]] | None = None
    codes: KnownCodes | None = None


def write_corpus(folder: Path, contents: Contents) -> Manifest:
    """Replace the corpus in ``folder`` atomically.

    Raises CorpusError if the folder is in use or contains other files, ValueError for inconsistent contents.
    """
    with new_generation(folder) as generation:
        terms = {
            TEXT_FIELD: postings_of(contents.terms),
            CONTEXT_FIELD: postings_of(contents.contexts),
            TITLE_FIELD: postings_of(contents.titles or [()] * len(contents.passages)),
        }
        block = pack(contents.documents, contents.sections, contents.passages, terms)
        if contents.vectors is not None and len(contents.vectors) != len(contents.passages):
            raise ValueError(f"{len(contents.vectors)} vectors for {len(contents.passages)} passages")
        GivenNames.pack(block, contents.defined_names)
        (generation / BLOCKS).mkdir()
        block.save(generation / block_name("contents"))
        targets = Targets(
            {passage.id: row for row, passage in enumerate(contents.passages)},
            {section.id: number for number, section in enumerate(contents.sections)},
            {document.id: number for number, document in enumerate(contents.documents)},
        )
        parts = Parts(
            contents.name,
            [("contents", block)],
            columns_of(contents.references, targets),
            contents.entities,
            contents.mentions,
            definers_of(contents.entities, targets.passages),
            contents.vectors,
            contents.embedding,
            contents.ontology,
            contents.metadata,
            sparse=NO_EMBEDDING if contents.sparse is None else contents.sparse_model,
        )
        if contents.sparse is not None:
            from engine.corpus.embedded.lexical import SparseIndex

            SparseIndex.build(contents.sparse, contents.vocabulary).save(generation / SPARSE_NAME)
        manifest, _ = write_generation(folder, generation, parts)
        publish(folder, manifest)
    return manifest


def write_generation(folder: Path, generation: Path, parts: Parts) -> tuple[Manifest, IneffectiveDecisions]:
    """Write all files built from the blocks, without publishing.

    Return the manifest and decisions without effect.
    """
    blocks = [block for _, block in parts.blocks]
    languages = _languages(blocks)
    language_codes = {language: code for code, language in enumerate(sorted(languages))}
    statuses = sorted({status for block in blocks for status in block.strings("statuses").all()})
    status_codes = {status: code for code, status in enumerate(statuses)}
    passages = sum(block.passages for block in blocks)
    state, named = (
        Block({CONTENT_KEYS: join_columns(blocks, CONTENT_KEYS, np.uint64).reshape(-1, 2)}),
        Block({}),
    )
    DocumentTable.put(state, blocks, status_codes, parts.dated)
    SectionTable.put(state, blocks)
    EntityTable.put(named, parts.entities, *parts.mentions, parts.definers, passages)
    documents, sections = DocumentTable(state), SectionTable(state)
    references, undecided = parts.references, IneffectiveDecisions(())

    def link() -> None:
        write_references(generation, references, sections, documents, EntityTable(named).every())

    with ThreadPoolExecutor(1, "redstring-writing") as thread:
        decisions = current_decisions(load_decisions(folder))
        start = parts.start or (lambda work: thread.submit(work).result)
        # Decisions are located in the texts, which are written first.
        linked = link if decisions else start(link)
        PassageTable.put(state, blocks, language_codes, status_codes)
        _put_further(state, blocks, parts)
        state.arrays |= named.arrays
        _put_lexical(state, blocks, parts)
        floor, recall = _put_vectors(state, parts.vectors, parts.release, parts.codes)
        state.save(generation / STATE_NAME)
        # By far the largest file: it is flushed while the others are built and sealed.
        flushed = thread.submit(flush, generation / STATE_NAME)
        parts.references.block().save(generation / FOUND_NAME)
        if decisions:
            table = PassageTable(open_block(generation / STATE_NAME), sorted(languages), statuses)
            references, undecided = decided(references, decisions, table, sections, documents)
        linked()
        seals = seals_of(generation, find_current_generation(folder))
        flushed.result()
    manifest = Manifest(
        format=FORMAT_VERSION,
        name=parts.name,
        generation=generation.name,
        created=datetime.now(UTC).isoformat(timespec="microseconds"),
        documents=len(documents),
        sections=len(sections),
        passages=passages,
        references=len(references),
        entities=len(parts.entities),
        languages=dict(languages),
        statuses=tuple(statuses),
        grammars=references.grammars,
        found_grammars=parts.references.grammars,
        references_by_relation=references.by_relation(),
        references_by_status=references.by_status(),
        embedding=NO_EMBEDDING if parts.vectors is None else parts.embedding,
        dimensions=0 if parts.vectors is None else parts.vectors.shape[1],
        similarity_floor=floor,
        ontology=None if parts.ontology is None else dict(parts.ontology),
        metadata=dict(parts.metadata),
        files=seals,
        sparse=parts.sparse,
        dense_recall=recall,
    )
    return manifest.sealed(), undecided


def write_references(
    generation: Path,
    references: ReferenceColumns,
    sections: SectionTable,
    documents: DocumentTable,
    mentions: Mentions,
) -> None:
    """Write the reference table, its links, and their graph with the mentions."""
    # Imports scipy, which readers do not need.
    from engine.corpus.related import adjacency_of

    passages = int(documents.first[-1])
    cited = references.block()
    edges = ReferenceTable(cited, references.grammars).edges(sections, documents)
    LinkIndex.put(cited, edges, passages)
    cited.save(generation / CITED_NAME)
    graph = adjacency_of(mentions, LinkIndex(cited).every(), passages)
    Block(graph.arrays()).save(generation / GRAPH_NAME)


def _put_further(state: Block, blocks: Sequence[Block], parts: Parts) -> None:
    """Set validity from the whole corpus, and the names that passages define."""
    if parts.intervals is not None:
        for name, days in zip(("valid_from", "valid_to"), parts.intervals, strict=True):
            state.arrays[f"passages.{name}"] = days.astype(np.int32)
    GivenNames.put(state, blocks)


def _put_lexical(state: Block, blocks: Sequence[Block], parts: Parts) -> None:
    if parts.lexical is None:
        LexicalIndex.put(state, blocks)
        return
    lexical = parts.lexical()
    state.arrays |= lexical.arrays
    state.later |= lexical.later


def _put_vectors(
    state: Block,
    vectors: NDArray[np.float32] | None,
    release: Callable[[], None] = lambda: None,
    codes: KnownCodes | None = None,
) -> tuple[float, float | None]:
    if vectors is None:
        return 0.0, None
    from engine.corpus.embedded.dense import CODES, LEAST_RECALL, VectorIndex, similarity_floor

    VectorIndex.put(state, vectors, release, codes)
    recall = VectorIndex(state).recall(release)
    if recall is not None and recall < LEAST_RECALL:
        # Codes are not precise enough for these vectors, so all are compared.
        del state.arrays[CODES]
        recall = None
    floor = similarity_floor(vectors, present=state["vectors.present"])
    VectorIndex.write_later(state, release)
    return floor, recall


def _languages(blocks: Sequence[Block]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for block in blocks:
        names = block.strings("languages").all()
        for code, count in enumerate(np.bincount(block["passages.language"]).tolist()):
            if count:
                counts[names[code]] += count
    return counts


# Applying decisions without an ingestion.


def apply_decisions(folder: Path | str) -> IneffectiveDecisions:
    """Write the references of a corpus again, from its texts and users' decisions; return those without
    effect.

    Other files are reused. The result is visible to corpora opened from now on. Raises CorpusError if there
    is no corpus, or another process is writing it.
    """
    folder = Path(folder)
    current_generation(folder)
    with new_generation(folder) as generation:
        before = current_generation(folder)
        kept = [name for name in before.manifest.files if name not in (CITED_NAME, GRAPH_NAME)]
        for parent in {(generation / name).parent for name in kept}:
            parent.mkdir(exist_ok=True)
        for name in kept:
            keep_file(before.data / name, generation / name)
        return _rewrite(before, generation)


def _rewrite(before: Generation, generation: Path) -> IneffectiveDecisions:
    folder, manifest = before.folder, before.manifest
    state = before.block(STATE_NAME)
    documents, sections = DocumentTable(state), SectionTable(state)
    passages = PassageTable(state, sorted(manifest.languages), manifest.statuses)
    found = columns_in(before.block(FOUND_NAME), manifest.found_grammars)
    references, undecided = decided(
        found, current_decisions(load_decisions(folder)), passages, sections, documents
    )
    write_references(generation, references, sections, documents, EntityTable(state).every())
    changed = manifest.model_copy(
        update={
            "generation": generation.name,
            "created": datetime.now(UTC).isoformat(timespec="microseconds"),
            "references": len(references),
            "grammars": references.grammars,
            "references_by_relation": references.by_relation(),
            "references_by_status": references.by_status(),
            "files": seals_of(generation, before),
        }
    )
    publish(folder, changed.sealed())
    return undecided
