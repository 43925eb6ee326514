"""From source files to a corpus folder, and from a corpus to the next state of it.

Three ways: ``build_corpus`` makes a corpus hold exactly some sources, ``add_to_corpus`` adds files or puts
new ones in the place of old, ``remove_from_corpus`` takes documents out. What has not changed is taken
over, and the result is the one that a fresh ingestion of the same sources would have. A corpus changes at
once or not at all; whoever has it open goes on seeing what it was.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any

from engine.corpus.embedded.block import BLOCKS, block_name
from engine.corpus.embedded.deciding import described
from engine.corpus.embedded.manifest import NO_MODEL
from engine.corpus.embedded.publication import DECISIONS_NAME, new_generation, publish, refuse_foreign
from engine.corpus.ontology_journal import ontology_in_force
from engine.errors import CorpusError, FileRefusedError, SettingsError, SourceError
from engine.ingestion.added_versions import versions_apart
from engine.ingestion.embedding import models
from engine.ingestion.extras import examples_of, ontology_of
from engine.ingestion.ledger import Entry, Previous, file_key, makers, previous
from engine.ingestion.linking import Edge, read_edges
from engine.ingestion.pipeline import Control, Pipeline
from engine.ingestion.progress import Progress, silent
from engine.ingestion.publishing import Plan, Published, Publishing
from engine.ingestion.readers.base import Problem
from engine.ingestion.reading import FileToRead
from engine.ingestion.report import FileReport, FileStatus, IngestionReport
from engine.ingestion.sources import Found, open_sources
from engine.ingestion.workers import Limits
from engine.language.embedders import embedder
from engine.language.name_scores import LEAST_SCORE


def build_corpus(
    sources: Sequence[Path],
    folder: Path,
    *,
    embedding: str = "minilm",
    sparse: str = NO_MODEL,
    late: str = NO_MODEL,
    name: str | None = None,
    with_edges: bool = False,
    index_headings: bool = True,
    entity_score: float = LEAST_SCORE,
    passwords: Sequence[str] = (),
    mapping: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
    log: Callable[[str], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> IngestionReport:
    """Make the corpus in ``folder`` hold exactly these sources (files, folders, archives).

    Files that have not changed since the last ingestion are not read again. ``sparse`` and ``late`` name
    models for learned sparse search and late interaction. ``with_edges`` adds the links of ``edges.tsv``
    files; they may be gold, so nobody gets them unasked. ``index_headings`` indexes what stands around a
    passage beside its text; entities with a score below ``entity_score`` are left out, of this corpus for all
    who ask it. ``passwords`` are tried on encrypted files; ``mapping`` says
    what the fields of tables and of JSON mean; ``limits`` bound what one file may use. ``progress`` hears
    of each step, ``log`` a line for each file and step; ``cancelled`` is asked now and then whether to
    stop. What cannot be read is named in the report.

    Raises SourceError where nothing is usable, CorpusError where the folder is not, ModelError where the
    embedding model cannot be had, SettingsError for an unknown embedding, IngestionCancelledError.
    """
    control = Control(progress or silent, log or _nobody, cancelled or _never)
    work = _Work(folder, control, limits or Limits(), tuple(passwords), mapping, index_headings)
    model = embedder(embedding)
    models(embedding, sparse, late)
    if not 0.0 <= entity_score <= 1.0:
        raise SettingsError(f"entity_score is {entity_score}, not between 0 and 1")
    _check_sources(sources)
    with work.opened(), work.read(sources, before := _usable(folder)) as (found, entries):
        problems = found.problems
        paths = found.edges if with_edges else ()
        plan = Plan(
            name or folder.resolve().name,
            embedding,
            model,
            index_headings,
            [edge for path in paths for edge in read_edges(path, problems)],
            ontology_of(found.ontology, problems),
            {
                "sources": [source.name for source in sources],
                "examples": examples_of(found.examples, problems),
            },
            work.limits,
            sparse,
            late,
            entity_score,
        )
        return work.publish(entries, before, plan, found)


def add_to_corpus(
    sources: Sequence[Path],
    folder: Path,
    *,
    embedding: str | None = None,
    passwords: Sequence[str] = (),
    mapping: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
    log: Callable[[str], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> IngestionReport:
    """Add sources to the corpus in ``folder``; the files it was made from are not needed.

    A file takes the place of the one with its name; a document that of the one with its id, wherever that
    came from, unless their days tell that it is another version: then both stay. ``embedding`` None: as the
    corpus has it. Otherwise as ``build_corpus``, whose errors it
    raises; CorpusError too where there is no corpus.
    """
    control = Control(progress or silent, log or _nobody, cancelled or _never)
    work = _Work(folder, control, limits or Limits(), tuple(passwords), mapping, True)
    _check_sources(sources)
    with work.opened():
        before = _existing(folder)
        work.headings = bool(before.ledger.options.get("headings", True))
        with work.read(sources, before) as (found, new):
            new = work.apart(found, new, before)
            plan = _same_plan(before, work, embedding)
            found.problems.extend(_taken_places(before.ledger.entries, new))
            ontology = ontology_of(found.ontology, found.problems)
            examples = examples_of(found.examples, found.problems)
            plan.ontology = plan.ontology if ontology is None else ontology
            names = [*plan.metadata.get("sources", ()), *(source.name for source in sources)]
            metadata = {**plan.metadata, "sources": list(dict.fromkeys(names))}
            plan.metadata = {**metadata, "examples": examples} if examples else metadata
            return work.publish(_replaced(before.ledger.entries, new), before, plan, found)


def remove_from_corpus(
    documents: Sequence[str],
    folder: Path,
    *,
    progress: Progress | None = None,
    log: Callable[[str], None] | None = None,
) -> IngestionReport:
    """Take documents out of the corpus in ``folder``, by their ids.

    They come back when their file is ingested again. Raises CorpusError where there is no corpus or one
    of the documents is not in it, SourceError where none would be left.
    """
    control = Control(progress or silent, log or _nobody, _never)
    work = _Work(folder, control, Limits(), (), None, True)
    with work.opened():
        before = _existing(folder)
        work.headings = bool(before.ledger.options.get("headings", True))
        held = {name for entry in before.ledger.entries for name in set(entry.documents) - set(entry.removed)}
        unknown = [name for name in documents if name not in held]
        if unknown:
            raise CorpusError(
                f"no document {unknown[0]!r} in the corpus at {folder}; `info` lists what is there"
            )
        entries = [entry.without(documents) for entry in before.ledger.entries]
        work.keep_blocks(entries, before)
        return work.publish(entries, before, _same_plan(before, work, None), Found())


EDITED_AREAS = "people have edited the areas of this corpus: theirs stay in force, those of the file wait"


@dataclass(slots=True)
class _Work:
    """One ingestion into a folder."""

    folder: Path
    control: Control
    limits: Limits
    passwords: tuple[str, ...]
    mapping: Mapping[str, Any] | None
    headings: bool
    generation: Path = Path()
    start: float = 0.0
    seconds: dict[str, float] = field(default_factory=dict)
    reused: set[str] = field(default_factory=set)

    @contextmanager
    def opened(self) -> Iterator[None]:
        """The folder, locked against other writers."""
        self.start = perf_counter()
        refuse_foreign(self.folder)
        with _less_collecting(), new_generation(self.folder) as generation:
            self.generation = generation
            (generation / BLOCKS).mkdir()
            yield

    @contextmanager
    def read(self, sources: Sequence[Path], before: Previous | None) -> Iterator[tuple[Found, list[Entry]]]:
        """What the sources hold, and an entry for each file with its blocks in place."""
        start = perf_counter()
        with open_sources(sources, passwords=self.passwords, mapping=self.mapping) as found:
            entries = self._entries(found, before)
            self.seconds["read"] = round(perf_counter() - start, 3)
            yield found, entries

    def apart(self, found: Found, new: Sequence[Entry], before: Previous) -> list[Entry]:
        """The entries of new files; those that are other versions of what the corpus has are read again under
        names of their own."""
        sources = [source for source, _ in found.documents]
        again = dict(versions_apart(sources, new, before, self.generation))
        if not again:
            return list(new)
        some = Found([(source, found.documents[number][1]) for number, source in again.items()])
        read = dict(zip(again, self._entries(some, before), strict=True))
        return [read.get(number, entry) for number, entry in enumerate(new)]

    def publish(
        self, entries: Sequence[Entry], before: Previous | None, plan: Plan, found: Found
    ) -> IngestionReport:
        """Write the generation and let it be the corpus."""
        self.keep_blocks(entries, before)
        problems = [*found.problems, *(problem for entry in entries for problem in entry.problems)]
        plan.metadata = {**plan.metadata, "index_headings": self.headings, "problems": len(problems)}
        if found.ontology is not None and ontology_in_force(self.folder) is not None:
            problems.append(Problem(found.ontology.name, EDITED_AREAS))
        publishing = Publishing(self.folder, self.generation, before, plan, self.control, self.seconds)
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
        """Take over the blocks of entries that the generation before has."""
        for file in (block_name(block) for entry in entries for block in entry.blocks):
            if before is not None and not (self.generation / file).exists():
                before.keep(file, self.generation)

    def _entries(self, found: Found, before: Previous | None) -> list[Entry]:
        old = {entry.key: entry for entry in (before.ledger.entries if before else ())}
        blocks = (block for entry in old.values() for block in entry.blocks)
        known = frozenset(block for block in blocks if before and before.has(block_name(block)))
        entries: dict[int, Entry] = {}
        tasks: list[FileToRead] = []
        for number, (source, reader) in enumerate(found.documents):
            try:
                key = file_key(source, reader, str(self.headings))
            except (OSError, FileRefusedError) as error:
                entries[number] = _unreadable(source.name, error)
                continue
            entry = old.get(key)
            if entry and entry.failure is None and known.issuperset(entry.blocks):
                entries[number] = replace(entry, removed=())
                self.reused.add(source.name)
            else:
                tasks.append(FileToRead(number, source, reader, key))
        version = f"{makers()} {self.headings}"
        pipeline = Pipeline(
            self.generation, known, version, self.limits, self.control, headings=self.headings
        )
        entries |= pipeline.run(tasks) if tasks else {}
        return [entries[number] for number in range(len(found.documents))]

    def _report(
        self, published: Published, entries: Sequence[Entry], problems: Sequence[Problem], found: Found
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
            late=manifest.late,
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


def _check_sources(sources: Sequence[Path]) -> None:
    """Before anything is made, which might be what is named."""
    for source in sources:
        if not source.exists():
            raise SourceError(f"no such file or folder: {source}")


def _usable(folder: Path) -> Previous | None:
    """What a folder holds, None where that is nothing to build upon: then all is made anew."""
    try:
        return previous(folder)
    except CorpusError:
        return None


def _existing(folder: Path) -> Previous:
    """What a folder holds, to be changed. Raises CorpusError."""
    before = previous(folder)
    if not before.ledger.entries:
        raise CorpusError(f"no corpus at {folder} that could be changed; create one with `ingest`")
    return before


def _same_plan(before: Previous, work: _Work, embedding: str | None) -> Plan:
    """What the corpus is made of now, to be made of it again."""
    manifest = before.manifest
    spec = manifest.embedding if embedding is None else embedding
    edges = [Edge(source, target) for source, target in before.ledger.options.get("edges", ())]
    return Plan(
        manifest.name,
        spec,
        embedder(spec),
        work.headings,
        edges,
        manifest.ontology,
        manifest.metadata,
        work.limits,
        manifest.sparse,
        manifest.late,
        float(before.ledger.options.get("entity_score", LEAST_SCORE)),
    )


def _replaced(old: Sequence[Entry], new: Sequence[Entry]) -> list[Entry]:
    """Old entries with new ones in their places by name, further ones behind; of documents with one id, the
    new one stays."""
    by_name = {entry.name: entry for entry in new}
    documents = [name for entry in new for name in entry.documents]
    merged = [by_name.get(entry.name) or entry.without(documents) for entry in old]
    known = {entry.name for entry in old}
    return [*merged, *(entry for entry in new if entry.name not in known)]


def _taken_places(old: Sequence[Entry], new: Sequence[Entry]) -> Iterator[Problem]:
    """What to tell of documents that take the place of those with their ids from files of other names."""
    names = {entry.name for entry in new}
    before = {
        name: entry.name
        for entry in old
        if entry.name not in names
        for name in entry.documents
        if name not in entry.removed
    }
    for entry in new:
        for name in entry.documents:
            if name in before:
                reason = (
                    f"takes the place of the document with this id from {before[name]}; where both are "
                    "versions of one text, state the day of each (valid_from)"
                )
                yield Problem(entry.name, reason, id=name, is_note=True)


def _nobody(line: str) -> None:
    """Hears nothing."""


def _never() -> bool:
    return False


@contextmanager
def _less_collecting() -> Iterator[None]:
    """Few objects are made here in a cycle: looking for cycles took a seventh of the time."""
    before = gc.get_threshold()
    gc.set_threshold(100_000, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)
