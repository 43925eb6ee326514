"""Compute the data that depend on the whole corpus, and write a generation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from engine.corpus.embedded.block import FIELDS, Block, open_block
from engine.corpus.embedded.deciding import IneffectiveDecisions
from engine.corpus.embedded.generation import NO_MODEL, Manifest, mapped_block
from engine.corpus.embedded.lexical import LexicalField
from engine.corpus.embedded.passages import Definers
from engine.corpus.embedded.writing import Parts, write_generation
from engine.errors import ResourceError, SourceError
from engine.ingestion.embedding import Embedded, Embedding, make_models
from engine.ingestion.entities import EntityFinder
from engine.ingestion.ledger import (
    LATER,
    POSTINGS_NAME,
    Entry,
    Ledger,
    Previous,
    SelectedBlocks,
    code_digest,
    merge_postings,
    select_blocks,
)
from engine.ingestion.linking import Edge, declared_references, explaining_references, stated_edges
from engine.ingestion.mentions import FoundMentions, Terms
from engine.ingestion.pipeline import Control, Pools, run
from engine.ingestion.readers.base import Problem
from engine.ingestion.resolving import CorpusReferences, links_name
from engine.ingestion.versions.families import find_families, make_content_reader
from engine.ingestion.versions.intervals import row_intervals
from engine.ingestion.versions.validity import report_unread_dates
from engine.ingestion.view import CorpusView
from engine.ingestion.workers import Finished, Limits, Produced, WorkerPool, children_for
from engine.language.clustering import Encode
from engine.language.embedders import Embedder
from engine.language.entities import LEAST_SCORE, EntityTable

# Work in child processes, which have their own core and interpreter lock

# With fewer passages, the work takes less time than starting a child.
WORTH_A_CHILD = 20_000
# Limits do not apply to the program's own work on its own files.
_UNBOUNDED = Limits(deadline=1e6, memory=1 << 48)


class BackgroundTasks:
    """Runs tasks in forked children that write below one folder.

    A context manager: children end with it.
    """

    def __init__(self, writes: Path, check: Callable[[], None], passages: int) -> None:
        """``check`` is called repeatedly while waiting; ``passages`` measures the amount of work."""
        self._writes, self._check, self._children = writes, check, ExitStack()
        self._is_worth_it = passages >= WORTH_A_CHILD

    def __enter__(self) -> BackgroundTasks:
        return self

    def __exit__(self, *error: object) -> None:
        self._children.close()

    def start(self, work: Callable[[], None]) -> Callable[[], None]:
        """Start a task and return a function that waits for its end; small tasks run when the function is
        called.

        That function raises ResourceError if the child fails, and CorpusError if the task raises it.
        """
        if not self._is_worth_it:
            return cache(work)

        def once(_: str) -> Iterator[str]:
            work()
            yield ""

        child = WorkerPool[str, str](once, 1, _UNBOUNDED, writes=[self._writes])
        self._children.enter_context(child)
        child.start("")

        def wait() -> None:
            for event in run(child, [], self._check):
                if isinstance(event, Finished) and event.failure is not None:
                    raise ResourceError(f"a part of the corpus could not be written: {event.failure}")

        return wait


# From blocks to a generation

# Average size of a passage of law in the corpora that were measured.
BYTES_A_PASSAGE = 500
# Up to this number of blocks, entities are searched without children.
MOST_ALONE = 4


@dataclass(slots=True)
class Plan:
    """Settings of a corpus, in addition to its files."""

    name: str
    embedding: str
    model: Embedder | None
    headings: bool
    edges: Sequence[Edge] = ()
    ontology: Mapping[str, Any] | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    sparse: str = NO_MODEL
    entity_score: float = LEAST_SCORE
    # If True, the embedding model is not called: new passages get their vectors later.
    later: bool = False


@dataclass(slots=True)
class Published:
    """The result of writing a generation."""

    manifest: Manifest
    placed: SelectedBlocks
    undecided: IneffectiveDecisions
    not_embedded: int = 0
    embedded: int = 0


class Publisher:
    """Writes a generation from the entries of a ledger, whose blocks are already in it."""

    def __init__(
        self,
        folder: Path,
        generation: Path,
        before: Previous | None,
        plan: Plan,
        control: Control,
        seconds: dict[str, float],
        pools: Pools,
    ) -> None:
        self._folder, self._generation, self._before = folder, generation, before
        self._plan, self._control, self._seconds, self._pools = plan, control, seconds, pools

    def run(self, entries: Sequence[Entry], problems: list[Problem]) -> Published:
        """Compute everything after the blocks. Adds new problems to ``problems``.

        Raises SourceError if the blocks contain no passage.
        """
        placed = select_blocks(entries, self._generation, self._before)
        problems.extend(placed.problems)
        if not placed.blocks:
            first = f"; first problem: {problems[0]}" if problems else ""
            raise SourceError(f"nothing usable in the sources: no passage in {len(entries)} files{first}")
        view = CorpusView(placed.blocks)
        self._find_versions(view, placed, entries, problems)

        with BackgroundTasks(self._generation, self._control.check, len(view)) as background:

            @cache
            def start_postings() -> Callable[[], None]:
                return background.start(lambda: self._write_postings(placed))

            @cache
            def find_entities() -> tuple[EntityTable, Definers]:
                with self.step("entities"):
                    finder = self._entity_finder(view, placed)
                    start_postings()
                    finder.save(self._generation)
                    return finder.table(self._plan.entity_score)

            links, resolving = self._references(view, placed, problems, (start_postings, find_entities))
            table, definers = find_entities()
            embedded = self._vectors(view)
            with self.step("write"):
                first_rows = view.document_rows.tolist()
                edges = (
                    stated_edges(self._plan.edges, view.source_ids(), problems) if self._plan.edges else ()
                )
                declared = declared_references(view.documents, first_rows)
                stated = [*declared, *explaining_references(view), *edges]
                references = resolving.columns(links, stated)
                intervals = row_intervals(view, references)

                def lexical() -> Block:
                    wait = start_postings()
                    wait()
                    return self._lexical()

                parts = Parts(
                    self._plan.name,
                    list(zip(placed.names, placed.blocks, strict=True)),
                    references,
                    table.entities,
                    (table.rows, table.numbers),
                    definers,
                    None if embedded.room is None else embedded.room.array,
                    self._plan.embedding,
                    self._plan.ontology,
                    self._plan.metadata,
                    intervals,
                    self._plan.sparse,
                    {number: view.documents[number] for number in sorted(view.versions)},
                    lexical,
                    start=background.start,
                    codes=embedded.codes,
                )
                if embedded.room is not None:
                    parts.release = embedded.room.release
                options: dict[str, Any] = {
                    "headings": self._plan.headings,
                    "entity_score": self._plan.entity_score,
                    "edges": [edge[:2] for edge in self._plan.edges],
                }
                if self._plan.later and self._plan.model is not None:
                    options[LATER] = True
                Ledger(tuple(entries), options).save(self._generation)
                manifest, undecided = write_generation(self._folder, self._generation, parts)
        return Published(manifest, placed, undecided, embedded.missing, embedded.encoded)

    def _write_postings(self, placed: SelectedBlocks) -> None:
        """Merge and save the postings of all blocks."""
        merge_postings(placed.names, placed.blocks, self._before).save(self._generation / POSTINGS_NAME)

    def _lexical(self) -> Block:
        """Build the word index from the postings."""
        postings, lexical = mapped_block(self._generation / POSTINGS_NAME), Block({})
        for name in FIELDS:
            LexicalField.put_later(lexical, name, postings.postings(name))
        return lexical

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Report a step and measure its time without nested steps. Raises IngestionCancelledError."""
        self._control.check()
        self._control.progress(name, 0, 1)
        start, others = perf_counter(), sum(self._seconds.values())
        yield
        seconds = perf_counter() - start - (sum(self._seconds.values()) - others)
        self._seconds[name] = round(self._seconds.get(name, 0.0) + seconds, 3)
        self._control.progress(name, 1, 1)
        self._control.log(f"{name}: {seconds:.1f} s")

    def _find_versions(
        self, view: CorpusView, placed: SelectedBlocks, entries: Sequence[Entry], problems: list[Problem]
    ) -> None:
        """Set in the view which documents are versions of one text, and when each is in force."""
        with self.step("versions"):
            paths: list[str | None] = []
            for block, owner in zip(placed.blocks, placed.owners, strict=True):
                alone = len(entries[owner].documents) == 1
                paths.extend([entries[owner].name if alone else None] * block.documents)
            found = find_families(view.documents, paths, make_content_reader(view))
            view.documents, view.versions = found.documents, found.changed
            problems.extend(found.notes)
            sizes = np.diff(view.document_rows).tolist()
            problems.extend(report_unread_dates(view.documents, paths, view.versions, sizes))

    def _references(
        self,
        view: CorpusView,
        placed: SelectedBlocks,
        problems: list[Problem],
        concurrent_tasks: Sequence[Callable[[], object]],
    ) -> tuple[list[Block], CorpusReferences]:
        """Resolve the references of each block.

        ``concurrent_tasks``: tasks for this process while children resolve without it.
        """
        with self.step("references"):
            resolving = CorpusReferences(view, placed.names, self._generation, code_digest())
            found: dict[int, Block] = {}
            for number, name in enumerate(placed.names):
                previous = None if self._before is None else resolving.get_stored(number, self._before)
                if previous is not None and self._before is not None:
                    self._before.keep(links_name(name), self._generation)
                    found[number] = previous
            missing = [number for number in range(len(placed.names)) if number not in found]
            text = BYTES_A_PASSAGE * sum(placed.blocks[number].passages for number in missing)
            size = min(children_for(text), len(missing))
            # If the local children can do everything at once, the cluster is not used.
            if len(missing) > size:
                for number in self._pools.resolved(
                    view, placed.names, missing, self._generation, self._control.check
                ):
                    found[number] = self._links(placed, number)
                    self._control.progress("references", len(found), len(placed.names))
                missing = [number for number in missing if number not in found]
            # Children that are forked after this must not inherit a connection to a cluster.
            self._pools.close()
            if missing:
                resolving.prepare()
                with WorkerPool[int, str](
                    resolving, size, self._plan.limits, writes=[self._generation]
                ) as workers:
                    if len(missing) <= size:
                        for number in missing:
                            workers.start(number)
                        for work in concurrent_tasks:
                            work()
                        missing = []
                    self._resolve(workers, missing, found, resolving, placed, problems)
        return [found[number] for number in range(len(placed.names))], resolving

    def _resolve(
        self,
        workers: WorkerPool[int, str],
        missing: Sequence[int],
        found: dict[int, Block],
        resolving: CorpusReferences,
        placed: SelectedBlocks,
        problems: list[Problem],
    ) -> None:
        for event in run(workers, missing, self._control.check):
            if not isinstance(event, Finished):
                continue
            number = event.task
            if event.failure is None:
                found[number] = self._links(placed, number)
            else:
                found[number] = resolving.empty()
                problems.append(Problem(placed.names[number], f"references not resolved: {event.failure}"))
            self._control.progress("references", len(found), len(placed.names))

    def _links(self, placed: SelectedBlocks, number: int) -> Block:
        return open_block(self._generation / links_name(placed.names[number]))

    def _entity_finder(self, view: CorpusView, placed: SelectedBlocks) -> EntityFinder:
        model = self._plan.model
        encode = None if model is None or self._plan.later else _encoder(model)
        version = f"{code_digest()} {self._plan.embedding} {encode is not None}"
        finder = EntityFinder(view, placed.names, version, encode, self._before)
        finder.find(lambda terms, numbers: self._mentions(view, terms, numbers))
        return finder

    def _mentions(self, view: CorpusView, terms: Terms, numbers: Sequence[int]) -> list[FoundMentions]:
        """Find the mentions in some blocks; with children if there are enough blocks."""

        def work(number: int) -> Iterator[tuple[bytes, ...]]:
            yield tuple(column.tobytes() for column in terms.mentions_in(view.blocks[number]))

        mentions: dict[int, FoundMentions] = {}
        size = children_for(BYTES_A_PASSAGE * sum(view.blocks[number].passages for number in numbers))
        if size > 1 and len(numbers) > MOST_ALONE:
            with WorkerPool[int, tuple[bytes, ...]](work, size, self._plan.limits) as workers:
                for event in run(workers, numbers, self._control.check):
                    if isinstance(event, Produced):
                        mentions[event.task] = FoundMentions.from_bytes(*event.item)
        return [mentions.get(number) or terms.mentions_in(view.blocks[number]) for number in numbers]

    def _vectors(self, view: CorpusView) -> Embedded:
        plan = self._plan
        if plan.model is None and plan.sparse == NO_MODEL:
            return Embedded()
        with self.step("embed"):
            chosen = replace(make_models(plan.embedding, plan.sparse), dense_model=plan.model)
            reading = Embedding(
                *(chosen, self._generation, self._before, self._control),
                headings=plan.headings,
                later=plan.later,
            )
            return reading.run(view)


def _encoder(model: Embedder) -> Encode:
    return lambda texts: model.encode(list(texts), kind="passage")
