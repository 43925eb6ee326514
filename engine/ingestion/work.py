"""Run an ingestion into a folder: read new sources, reuse unchanged ones, publish the result.

``build.py`` contains the public functions.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any

from engine.corpus.embedded.block import BLOCKS, Block, block_name
from engine.corpus.embedded.deciding import described
from engine.corpus.embedded.publication import DECISIONS_NAME, new_generation, publish, refuse_foreign
from engine.corpus.embedded.stored import stored_block
from engine.corpus.ontology import ontology_in_force
from engine.errors import FileRefusedError
from engine.ingestion.cluster.pools import make_pools
from engine.ingestion.ledger import Entry, Previous, code_digest, file_key
from engine.ingestion.pipeline import Control, Pipeline, Pools
from engine.ingestion.publishing import Plan, Published, Publisher
from engine.ingestion.readers.base import Problem, Reader, SourceFile
from engine.ingestion.reading import FileToRead
from engine.ingestion.report import FileReport, FileStatus, IngestionReport
from engine.ingestion.sources import FoundFiles, Source, fetch_sources, open_sources
from engine.ingestion.versions.intervals import find_added_versions, find_parts
from engine.ingestion.workers import Limits

# Maximum number of files hashed in parallel.
HASHING = 4
# Number of languages of the existing corpus to prepare before reading.
MOST_READY = 2
EDITED_AREAS = "people have edited the areas of this corpus: theirs stay in force, those of the file wait"


@dataclass(slots=True)
class Work:
    """An ingestion into a folder."""

    folder: Path
    control: Control
    limits: Limits
    passwords: tuple[str, ...]
    mapping: Mapping[str, Any] | None
    headings: bool
    cluster: str | None = None
    generation: Path = Path()
    start: float = 0.0
    seconds: dict[str, float] = field(default_factory=dict)
    reused: set[str] = field(default_factory=set)
    pools: Pools = field(init=False)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the folder against other writers and create a new generation."""
        self.start = perf_counter()
        refuse_foreign(self.folder)
        pools = make_pools(self.cluster, self.limits)
        with (
            _with_rare_collections(),
            closing(pools) as self.pools,
            new_generation(self.folder) as generation,
        ):
            self.generation = generation
            (generation / BLOCKS).mkdir()
            yield

    @contextmanager
    def read(
        self, sources: Sequence[Source], before: Previous | None
    ) -> Iterator[tuple[FoundFiles, list[Entry]]]:
        """Read the sources; yield their files, and an entry for each file whose blocks are in the
        generation."""
        start = perf_counter()
        with (
            fetch_sources(sources) as here,
            open_sources(here.paths, passwords=self.passwords, mapping=self.mapping) as found,
        ):
            here.named(found)
            entries = self._read_parts(found, self._entries(found, before), (), before)
            self.seconds["read"] = round(perf_counter() - start, 3)
            yield found, entries

    def read_versions(self, found: FoundFiles, new: Sequence[Entry], before: Previous) -> list[Entry]:
        """Read files again that are other versions of documents in the corpus; return the entries of all new
        files."""
        sources = [source for source, _ in found.documents]
        new = self._read_again(found, new, before, find_added_versions(sources, new, before, self.generation))
        names = {entry.name for entry in new}
        others = [entry for entry in before.ledger.entries if entry.name not in names]
        return self._read_parts(found, new, others, before)

    def _read_parts(
        self, found: FoundFiles, new: Sequence[Entry], others: Sequence[Entry], before: Previous | None
    ) -> list[Entry]:
        """Read files again that contain other parts of a document of an earlier file."""

        def stored(name: str) -> Block:
            path = self.generation / block_name(name)
            if not path.is_file() and before is not None:
                before.keep(block_name(name), self.generation)
            return stored_block(path)

        sources = [source for source, _ in found.documents]
        return self._read_again(found, new, before, find_parts(sources, new, others, stored))

    def _read_again(
        self,
        found: FoundFiles,
        new: Sequence[Entry],
        before: Previous | None,
        files: Iterable[tuple[int, SourceFile]],
    ) -> list[Entry]:
        sources = dict(files)
        if not sources:
            return list(new)
        again = FoundFiles([(source, found.documents[number][1]) for number, source in sources.items()])
        read = dict(zip(sources, self._entries(again, before), strict=True))
        return [read.get(number, entry) for number, entry in enumerate(new)]

    def publish(
        self, entries: Sequence[Entry], before: Previous | None, plan: Plan, found: FoundFiles
    ) -> IngestionReport:
        """Write the generation and make it the current state of the corpus."""
        self.keep_blocks(entries, before)
        problems = [*found.problems, *(problem for entry in entries for problem in entry.problems)]
        plan.metadata = {**plan.metadata, "index_headings": self.headings, "problems": len(problems)}
        if found.ontology is not None and ontology_in_force(self.folder) is not None:
            problems.append(Problem(found.ontology.name, EDITED_AREAS))
        publishing = Publisher(
            self.folder, self.generation, before, plan, self.control, self.seconds, self.pools
        )
        published = publishing.run(entries, problems)
        where = str(self.folder / DECISIONS_NAME)
        problems.extend(
            Problem(where, reason, id=source_id) for source_id, reason in described(published.undecided)
        )
        self.control.check()
        publish(self.folder, published.manifest)
        self.control.log(f"{published.manifest.documents} documents, {published.manifest.passages} passages")
        return self._report(published, entries, problems, found)

    def keep_blocks(self, entries: Sequence[Entry], before: Previous | None) -> None:
        """Reuse the blocks of entries that the previous generation contains."""
        for file in (block_name(block) for entry in entries for block in entry.blocks):
            if before is not None and not (self.generation / file).exists():
                before.keep(file, self.generation)

    def _entries(self, found: FoundFiles, before: Previous | None) -> list[Entry]:
        old = {entry.key: entry for entry in (before.ledger.entries if before else ())}
        blocks = [block for entry in old.values() for block in entry.blocks]
        # Hashing waits for the disk or releases the interpreter lock.
        with ThreadPoolExecutor(HASHING, "redstring-hashing") as hashing:
            keys = hashing.map(self._key_of, found.documents)
            sound = hashing.map(lambda block: before is not None and before.has(block_name(block)), blocks)
            known = frozenset(block for block, is_sound in zip(blocks, sound, strict=True) if is_sound)
        entries: dict[int, Entry] = {}
        tasks: list[FileToRead] = []
        for number, ((source, reader), key) in enumerate(zip(found.documents, keys, strict=True)):
            if isinstance(key, Exception):
                entries[number] = _unreadable(source.name, key)
                continue
            entry = old.get(key)
            if entry and entry.failure is None and known.issuperset(entry.blocks):
                entries[number] = replace(entry, removed=())
                self.reused.add(source.name)
            else:
                tasks.append(FileToRead(number, source, reader, key))
        version = f"{code_digest()} {self.headings}"
        pipeline = Pipeline(
            self.generation,
            known,
            version,
            self.pools,
            self.control,
            headings=self.headings,
            languages=list(before.manifest.most_frequent())[:MOST_READY] if before else (),
        )
        entries |= pipeline.run(tasks) if tasks else {}
        return [entries[number] for number in range(len(found.documents))]

    def _key_of(self, document: tuple[SourceFile, Reader]) -> str | OSError | FileRefusedError:
        """Return the key of a file, or the error that prevents reading it."""
        try:
            return file_key(*document, str(self.headings))
        except (OSError, FileRefusedError) as error:
            return error

    def _report(
        self, published: Published, entries: Sequence[Entry], problems: Sequence[Problem], found: FoundFiles
    ) -> IngestionReport:
        manifest = published.manifest
        left_out = {problem.path for problem in published.placed.problems}
        return IngestionReport(
            name=manifest.name,
            documents=manifest.documents,
            sections=manifest.sections,
            passages=manifest.passages,
            references_by_relation=manifest.references_by_relation,
            references_by_status=manifest.references_by_status,
            entities=manifest.entities,
            languages=manifest.most_frequent(),
            embedding=manifest.embedding,
            sparse=manifest.sparse,
            not_embedded=published.not_embedded,
            seconds=self.seconds,
            total_seconds=round(perf_counter() - self.start, 3),
            problems=tuple(problems),
            files=(
                *(_file_report(entry, self.reused, left_out) for entry in entries),
                *(_refused(problem) for problem in found.problems if not problem.is_note),
            ),
            skipped=tuple(found.skipped),
            embedded=published.embedded,
        )


def _file_report(entry: Entry, reused: set[str], left_out: set[str]) -> FileReport:
    reasons = [entry.failure] if entry.failure else [problem.reason for problem in entry.problems]
    if entry.name in left_out:
        reasons.append("some of its documents are in the corpus already")
    if not entry.documents:
        status = FileStatus.NOT_READ
        reasons = reasons or ["it holds no document"]
    else:
        is_whole = entry.name not in left_out and all(problem.is_note for problem in entry.problems)
        status = FileStatus.READ if is_whole and not entry.failure else FileStatus.PARTLY
    return FileReport(
        entry.name,
        status,
        reasons[0] if reasons else "",
        len(set(entry.documents) - set(entry.removed)),
        entry.passages,
        entry.seconds,
        entry.name in reused,
    )


def _refused(problem: Problem) -> FileReport:
    return FileReport(problem.path, FileStatus.NOT_READ, problem.reason, 0, 0, 0.0, False)


def _unreadable(name: str, error: OSError | FileRefusedError) -> Entry:
    reason = f"cannot be read ({error})"
    return Entry(name, "", problems=(Problem(name, reason),), failure=reason)


@contextmanager
def _with_rare_collections() -> Iterator[None]:
    """Run garbage collection rarely: ingestion creates few cycles, and collection took a seventh of the
    time."""
    before = gc.get_threshold()
    gc.set_threshold(100_000, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)
