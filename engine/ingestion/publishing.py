"""From blocks to a corpus: what only the whole can tell is found, and a generation is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from engine.corpus.embedded.block import Block, open_block
from engine.corpus.embedded.deciding import Undecided
from engine.corpus.embedded.manifest import NO_MODEL, Manifest
from engine.corpus.embedded.writing import Parts, write_generation
from engine.errors import SourceError
from engine.ingestion.embedding import Embedded, Embedding, models
from engine.ingestion.families import in_families
from engine.ingestion.intervals import row_intervals
from engine.ingestion.ledger import Entry, Ledger, Previous, makers
from engine.ingestion.likeness import contents_of
from engine.ingestion.linking import Edge, declared_references, stated_edges
from engine.ingestion.naming import Naming
from engine.ingestion.pipeline import Control
from engine.ingestion.placing import Placed, place
from engine.ingestion.readers.base import Problem
from engine.ingestion.resolving import Resolving, links_name
from engine.ingestion.unread import unread
from engine.ingestion.view import CorpusView
from engine.ingestion.workers import Finished, Limits, WorkerPool, children_for, run
from engine.language.clustering import Encode
from engine.language.embedders import Embedder
from engine.language.name_scores import LEAST_SCORE

# Text of a passage of law, on the average of the corpora that were tried.
BYTES_A_PASSAGE = 500


@dataclass(slots=True)
class Plan:
    """What a corpus is to be made of, beside its files."""

    name: str
    embedding: str
    model: Embedder | None
    headings: bool
    edges: Sequence[Edge] = ()
    ontology: Mapping[str, Any] | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    sparse: str = NO_MODEL
    late: str = NO_MODEL
    entity_score: float = LEAST_SCORE


@dataclass(slots=True)
class Published:
    """What was written, and what is to be told of it."""

    manifest: Manifest
    placed: Placed
    undecided: Undecided
    not_embedded: int = 0
    embedded: int = 0


class Publishing:
    """Writes a generation from the entries of a ledger, whose blocks stand in it."""

    def __init__(
        self,
        folder: Path,
        generation: Path,
        before: Previous | None,
        plan: Plan,
        control: Control,
        seconds: dict[str, float],
    ) -> None:
        self._folder, self._generation, self._before = folder, generation, before
        self._plan, self._control, self._seconds = plan, control, seconds

    def run(self, entries: Sequence[Entry], problems: list[Problem]) -> Published:
        """Everything behind the blocks. Adds to ``problems``, those of the files, what comes up.

        Raises SourceError where the blocks hold no passage.
        """
        placed = place(entries, self._generation, self._before)
        problems.extend(placed.problems)
        if not placed.blocks:
            first = f"; first problem: {problems[0]}" if problems else ""
            raise SourceError(f"nothing usable in the sources: no passage in {len(entries)} files{first}")
        view = CorpusView(placed.blocks)
        self._find_versions(view, placed, entries, problems)
        links, resolving = self._references(view, placed, problems)
        mentions, naming = self._entities(view, placed)
        with self.step("entities"):
            table, definers = naming.table(mentions, self._plan.entity_score)
            naming.save_vocabulary()
        embedded = self._vectors(view)
        with self.step("write"):
            first_rows = view.document_rows.tolist()
            edges = stated_edges(self._plan.edges, view.source_ids(), problems) if self._plan.edges else ()
            stated = [*declared_references(view.documents, first_rows), *edges]
            references = resolving.columns(links, stated)
            parts = Parts(
                self._plan.name,
                list(zip(placed.names, placed.blocks, strict=True)),
                references,
                table.entities,
                (table.rows, table.numbers),
                definers,
                embedded.vectors,
                self._plan.embedding,
                self._plan.ontology,
                self._plan.metadata,
                row_intervals(view, references),
                self._plan.sparse,
                self._plan.late,
                {number: view.documents[number] for number in sorted(view.versions)},
            )
            options = {
                "headings": self._plan.headings,
                "entity_score": self._plan.entity_score,
                "edges": [edge[:2] for edge in self._plan.edges],
            }
            Ledger(tuple(entries), options).save(self._generation)
            manifest, undecided = write_generation(self._folder, self._generation, parts)
        return Published(manifest, placed, undecided, embedded.missing, embedded.encoded)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Tell of a step, measure it, and let nobody wait for its end who wants no more."""
        self._control.check()
        self._control.progress(name, 0, 1)
        start = perf_counter()
        yield
        seconds = perf_counter() - start
        self._seconds[name] = round(self._seconds.get(name, 0.0) + seconds, 3)
        self._control.progress(name, 1, 1)
        self._control.log(f"{name}: {seconds:.1f} s")

    def _find_versions(
        self, view: CorpusView, placed: Placed, entries: Sequence[Entry], problems: list[Problem]
    ) -> None:
        """Let the view know which documents are versions of one text, and from when to when each holds."""
        with self.step("versions"):
            paths: list[str | None] = []
            for block, owner in zip(placed.blocks, placed.owners, strict=True):
                alone = len(entries[owner].documents) == 1
                paths.extend([entries[owner].name if alone else None] * block.documents)
            found = in_families(view.documents, paths, contents_of(view))
            view.documents, view.versions = found.documents, found.changed
            problems.extend(found.notes)
            sizes = np.diff(view.document_rows).tolist()
            problems.extend(unread(view.documents, paths, view.versions, sizes))

    def _references(
        self, view: CorpusView, placed: Placed, problems: list[Problem]
    ) -> tuple[list[Block], Resolving]:
        with self.step("references"):
            resolving = Resolving(view, placed.names, self._generation, makers())
            found: dict[int, Block] = {}
            for number, name in enumerate(placed.names):
                kept = None if self._before is None else resolving.kept(number, self._before)
                if kept is not None and self._before is not None:
                    self._before.keep(links_name(name), self._generation)
                    found[number] = kept
            missing = [number for number in range(len(placed.names)) if number not in found]
            if missing:
                resolving.prepare(len(missing))
                text = BYTES_A_PASSAGE * sum(placed.blocks[number].passages for number in missing)
                size = min(children_for(text), len(missing))
                with WorkerPool[int, str](
                    resolving, size, self._plan.limits, writes=[self._generation]
                ) as workers:
                    self._resolve(workers, missing, found, resolving, placed, problems)
        return [found[number] for number in range(len(placed.names))], resolving

    def _resolve(
        self,
        workers: WorkerPool[int, str],
        missing: Sequence[int],
        found: dict[int, Block],
        resolving: Resolving,
        placed: Placed,
        problems: list[Problem],
    ) -> None:
        for event in run(workers, missing):
            self._control.check()
            if not isinstance(event, Finished):
                continue
            number = event.task
            if event.failure is None:
                found[number] = open_block(self._generation / links_name(placed.names[number]))
            else:
                found[number] = resolving.nothing()
                problems.append(Problem(placed.names[number], f"references not resolved: {event.failure}"))
            self._control.progress("references", len(found), len(placed.names))

    def _entities(self, view: CorpusView, placed: Placed) -> tuple[list[Block], Naming]:
        with self.step("entities"):
            model = self._plan.model
            encode = None if model is None else _encoder(model)
            naming = Naming(
                view, placed.names, self._generation, f"{makers()} {self._plan.embedding}", encode
            )
            if self._before is not None:
                naming.learn_from(self._before)
            found = []
            for number in range(len(placed.names)):
                kept = naming.kept(number)
                if kept is not None:
                    naming.keep(number)
                else:
                    kept = naming.found(number)
                    naming.save(number, kept)
                found.append(kept)
        return found, naming

    def _vectors(self, view: CorpusView) -> Embedded:
        plan = self._plan
        if plan.model is None and plan.sparse == plan.late == NO_MODEL:
            return Embedded()
        with self.step("embed"):
            chosen = models(plan.embedding, plan.sparse, plan.late)
            reading = Embedding(chosen, self._generation, self._before, self._control, headings=plan.headings)
            return reading.run(view)


def _encoder(model: Embedder) -> Encode:
    return lambda texts: model.encode(list(texts), kind="passage")
