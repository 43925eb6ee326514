"""From source files to a corpus folder, and from a corpus to its next state; files beside documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import orjson
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from engine import files
from engine.corpus.embedded.generation import NO_MODEL
from engine.corpus.ontology import LARGEST, parse_ontology
from engine.errors import CorpusError, FileRefusedError, SettingsError, SourceError
from engine.ingestion.embedding import models
from engine.ingestion.ledger import Entry, Previous, previous
from engine.ingestion.linking import Edge, read_edges
from engine.ingestion.pipeline import Control
from engine.ingestion.publishing import Plan
from engine.ingestion.readers.base import Problem, SourceFile
from engine.ingestion.report import IngestionReport, Progress, silent
from engine.ingestion.sources import FoundFiles, Source, check_sources, source_name
from engine.ingestion.work import Work
from engine.ingestion.workers import Limits
from engine.language.embedders import Embedder, embedder
from engine.language.entities import LEAST_SCORE

# What may stand beside the documents of a source: an ontology, and questions to start with.

LARGEST_EXAMPLES, MOST_EXAMPLES = 1_000_000, 1000


class Example(BaseModel):
    """A question that the page offers for a corpus."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    text: str
    language: str = "und"
    title: str = ""


Examples = Annotated[list[Example], Field(max_length=MOST_EXAMPLES)]


def ontology_of(source: SourceFile | None, problems: list[Problem]) -> dict[str, Any] | None:
    """The checked content of an ontology file; a broken one is a problem and counts as none."""
    if source is None:
        return None
    try:
        return parse_ontology(files.read(source.path, LARGEST), source.name)
    except (OSError, FileRefusedError, SourceError) as error:
        problems.append(Problem(source.name, str(error).removeprefix(f"{source.name}: ")))
        return None


def examples_of(source: SourceFile | None, problems: list[Problem]) -> list[dict[str, str]]:
    """The questions of a file of examples; a broken one is a problem and counts as none."""
    if source is None:
        return []
    try:
        found = TypeAdapter(Examples).validate_python(orjson.loads(files.read(source.path, LARGEST_EXAMPLES)))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "file"
        problems.append(Problem(source.name, f"{where}: {first['msg']}"))
    except FileRefusedError as error:
        problems.append(Problem(source.name, str(error)))
    except (OSError, ValueError) as error:
        problems.append(Problem(source.name, f"not readable as JSON ({error})"))
    else:
        return [example.model_dump() for example in found]
    return []


# From source files to a corpus folder, and from a corpus to the next state of it.
#
# Three ways: ``build_corpus`` makes a corpus hold exactly some sources, ``add_to_corpus`` adds
# files or puts new ones in the place of old, ``remove_from_corpus`` takes documents out. What has
# not changed is taken over, and the result is the one that a fresh ingestion of the same sources
# would have. A corpus changes at once or not at all; whoever has it open goes on seeing what it
# was.


def build_corpus(
    sources: Sequence[Source],
    folder: Path,
    *,
    embedding: str = "minilm",
    sparse: str = NO_MODEL,
    name: str | None = None,
    with_edges: bool = False,
    index_headings: bool = True,
    entity_score: float = LEAST_SCORE,
    passwords: Sequence[str] = (),
    mapping: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    cluster: str | None = None,
    progress: Progress | None = None,
    log: Callable[[str], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> IngestionReport:
    """Make the corpus in ``folder`` hold exactly these sources (files, folders, archives, or URLs of them).

    Files that have not changed since the last ingestion are not read again. ``sparse`` names
    a model for learned sparse search. ``with_edges`` adds the links of ``edges.tsv``
    files; they may be gold, so nobody gets them unasked. ``index_headings`` indexes what stands around a
    passage beside its text; entities with a score below ``entity_score`` are left out, of this corpus for all
    who ask it. ``passwords`` are tried on encrypted files; ``mapping`` says
    what the fields of tables and of JSON mean; ``limits`` bound what one file may use. On a ``cluster``
    files are read and analysed by its workers, within the same limits. ``progress`` hears of each step,
    ``log`` a line for each file and step; ``cancelled`` is asked now and then whether to stop. What cannot be
    read is named in the report.

    Raises SourceError where nothing is usable, CorpusError where the folder is not, ModelError where the
    embedding model cannot be had, SettingsError for an unknown embedding, ClusterError where the cluster
    cannot do the work, IngestionCancelledError.
    """
    control = Control(progress or silent, log or _nobody, cancelled or _never)
    work = Work(folder, control, limits or Limits(), tuple(passwords), mapping, index_headings, cluster)
    model = embedder(embedding)
    models(embedding, sparse)
    if not 0.0 <= entity_score <= 1.0:
        raise SettingsError(f"entity_score is {entity_score}, not between 0 and 1")
    check_sources(sources)
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
                "sources": [source_name(source) for source in sources],
                "examples": examples_of(found.examples, problems),
            },
            work.limits,
            sparse,
            entity_score,
        )
        return work.publish(entries, before, plan, found)


def add_to_corpus(
    sources: Sequence[Source],
    folder: Path,
    *,
    embedding: str | None = None,
    passwords: Sequence[str] = (),
    mapping: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    later: bool = False,
    cluster: str | None = None,
    progress: Progress | None = None,
    log: Callable[[str], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> IngestionReport:
    """Add sources to the corpus in ``folder``; the files it was made from are not needed.

    A file takes the place of the one with its name; a document that of the one with its id, wherever that
    came from, unless their days tell that it is another version: then both stay. ``embedding`` None: as the
    corpus has it. ``later``: new passages are without vectors until ``embed_corpus`` gives them theirs.
    Otherwise as ``build_corpus``, whose errors it raises; CorpusError too where there is no corpus.
    """
    control = Control(progress or silent, log or _nobody, cancelled or _never)
    work = Work(folder, control, limits or Limits(), tuple(passwords), mapping, True, cluster)
    check_sources(sources)
    with work.opened():
        before = _existing(folder)
        work.headings = bool(before.ledger.options.get("headings", True))
        with work.read(sources, before) as (found, new):
            new = work.apart(found, new, before)
            plan = _same_plan(before, work, embedding)
            plan.later = later
            found.problems.extend(_taken_places(before.ledger.entries, new))
            ontology = ontology_of(found.ontology, found.problems)
            examples = examples_of(found.examples, found.problems)
            plan.ontology = plan.ontology if ontology is None else ontology
            names = [*plan.metadata.get("sources", ()), *(source_name(source) for source in sources)]
            metadata = {**plan.metadata, "sources": list(dict.fromkeys(names))}
            plan.metadata = {**metadata, "examples": examples} if examples else metadata
            return work.publish(_replaced(before.ledger.entries, new), before, plan, found)


def remove_from_corpus(
    documents: Sequence[str],
    folder: Path,
    *,
    model: Embedder | None = None,
    later: bool = False,
    progress: Progress | None = None,
    log: Callable[[str], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> IngestionReport:
    """Take documents out of the corpus in ``folder``, by their ids. Without any it is written anew as it is,
    with what people have decided, and with the vectors of another ``model`` where one is given.

    They come back when their file is ingested again. ``later`` as in ``add_to_corpus``. Raises CorpusError
    where there is no corpus or one of the documents is not in it, SourceError where none would be left.
    """
    control = Control(progress or silent, log or _nobody, cancelled or _never)
    work = Work(folder, control, Limits(), (), None, True)
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
        plan = _same_plan(before, work, None if model is None else model.spec)
        plan.model, plan.later = model or plan.model, later
        return work.publish(entries, before, plan, FoundFiles())


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


def _same_plan(before: Previous, work: Work, embedding: str | None) -> Plan:
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
