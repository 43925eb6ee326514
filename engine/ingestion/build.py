"""Build a corpus from sources, add sources to it, and remove documents from it."""

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
from engine.ingestion.embedding import make_models
from engine.ingestion.ledger import Entry, Previous, load_previous
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

# Files next to the documents of a source: an ontology, and example questions

LARGEST_EXAMPLES, MOST_EXAMPLES = 1_000_000, 1000


class Example(BaseModel):
    """A question that the page offers for a corpus."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    text: str
    language: str = "und"
    title: str = ""


Examples = Annotated[list[Example], Field(max_length=MOST_EXAMPLES)]


def load_ontology(source: SourceFile | None, problems: list[Problem]) -> dict[str, Any] | None:
    """Load and check an ontology file; an invalid one adds a problem and returns None."""
    if source is None:
        return None
    try:
        return parse_ontology(files.read(source.path, LARGEST), source.name)
    except (OSError, FileRefusedError, SourceError) as error:
        problems.append(Problem(source.name, str(error).removeprefix(f"{source.name}: ")))
        return None


def load_examples(source: SourceFile | None, problems: list[Problem]) -> list[dict[str, str]]:
    """Load the questions of a file of examples; an invalid one adds a problem and returns an empty list."""
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


# Three ways to change a corpus: ``build_corpus`` makes it contain exactly some sources, ``add_to_corpus``
# adds or replaces files, ``remove_from_corpus`` removes documents. Unchanged parts are reused, and the result
# equals a fresh ingestion of the same sources. The change is atomic; open readers continue with the old
# state.


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
    """Make the corpus in ``folder`` contain exactly these sources (files, folders, archives, or their URLs).

    Files that are unchanged since the last ingestion are not read again. ``sparse`` names a model for learned
    sparse search. ``with_edges`` adds the links of ``edges.tsv`` files; off by default, because they may be
    gold data. ``index_headings`` indexes the headings and names around a passage in addition to its text.
    Entities with a score below ``entity_score`` are left out of the corpus. ``passwords`` are tried on
    encrypted files; ``mapping`` assigns the fields of tables and JSON; ``limits`` apply to each file. With
    ``cluster``, workers of a Dask cluster read and analyse the files, within the same limits. ``progress`` is
    called for each step, ``log`` with a line for each file and step; ``cancelled`` is polled. The report
    lists unreadable files.

    Raises SourceError if nothing is usable, CorpusError if the folder is not, ModelError if the embedding
    model is unavailable, SettingsError for an unknown embedding, ClusterError if the cluster fails,
    IngestionCancelledError.
    """
    control = Control(progress or silent, log or _discard, cancelled or _never)
    work = Work(folder, control, limits or Limits(), tuple(passwords), mapping, index_headings, cluster)
    model = embedder(embedding)
    make_models(embedding, sparse)
    if not 0.0 <= entity_score <= 1.0:
        raise SettingsError(f"entity_score is {entity_score}, not between 0 and 1")
    check_sources(sources)
    with work.locked(), work.read(sources, before := _previous_if_intact(folder)) as (found, entries):
        problems = found.problems
        paths = found.edges if with_edges else ()
        plan = Plan(
            name or folder.resolve().name,
            embedding,
            model,
            index_headings,
            [edge for path in paths for edge in read_edges(path, problems)],
            load_ontology(found.ontology, problems),
            {
                "sources": [source_name(source) for source in sources],
                "examples": load_examples(found.examples, problems),
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
    """Add sources to the corpus in ``folder``; its original files are not needed.

    A file replaces the file of the same name. A document replaces the document of the same id from any file,
    unless their dates show that it is another version: then both stay. ``embedding`` None: the model of the
    corpus. ``later``: new passages have no vectors until ``embed_corpus`` makes them. Other parameters and
    errors as for ``build_corpus``; also raises CorpusError if there is no corpus.
    """
    control = Control(progress or silent, log or _discard, cancelled or _never)
    work = Work(folder, control, limits or Limits(), tuple(passwords), mapping, True, cluster)
    check_sources(sources)
    with work.locked():
        before = _require_corpus(folder)
        work.headings = bool(before.ledger.options.get("headings", True))
        with work.read(sources, before) as (found, new):
            new = work.read_versions(found, new, before)
            plan = _same_plan(before, work, embedding)
            plan.later = later
            found.problems.extend(_report_replacements(before.ledger.entries, new))
            ontology = load_ontology(found.ontology, found.problems)
            examples = load_examples(found.examples, found.problems)
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
    """Remove documents by their ids from the corpus in ``folder``.

    Without ids the corpus is rewritten, with current decisions of users and, if ``model`` is given, with its
    vectors. Removed documents return if their file is ingested again. ``later`` as in ``add_to_corpus``.
    Raises CorpusError if there is no corpus or a document is not in it, SourceError if no document would be
    left.
    """
    control = Control(progress or silent, log or _discard, cancelled or _never)
    work = Work(folder, control, Limits(), (), None, True)
    with work.locked():
        before = _require_corpus(folder)
        work.headings = bool(before.ledger.options.get("headings", True))
        current = {
            name for entry in before.ledger.entries for name in set(entry.documents) - set(entry.removed)
        }
        unknown = [name for name in documents if name not in current]
        if unknown:
            raise CorpusError(
                f"no document {unknown[0]!r} in the corpus at {folder}; `info` lists what is there"
            )
        entries = [entry.without(documents) for entry in before.ledger.entries]
        work.keep_blocks(entries, before)
        plan = _same_plan(before, work, None if model is None else model.spec)
        plan.model, plan.later = model or plan.model, later
        return work.publish(entries, before, plan, FoundFiles())


def _previous_if_intact(folder: Path) -> Previous | None:
    """Return the corpus in a folder, or None if it is missing or damaged: then everything is
    rebuilt."""
    try:
        return load_previous(folder)
    except CorpusError:
        return None


def _require_corpus(folder: Path) -> Previous:
    """Return the corpus in a folder. Raises CorpusError if there is none."""
    before = load_previous(folder)
    if not before.ledger.entries:
        raise CorpusError(f"no corpus at {folder} that could be changed; create one with `ingest`")
    return before


def _same_plan(before: Previous, work: Work, embedding: str | None) -> Plan:
    """Return a plan with the current models, edges and metadata of the corpus."""
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
    """Replace old entries by new ones of the same name, then append the other new entries.

    A document of a new entry removes documents of the same id from old entries.
    """
    by_name = {entry.name: entry for entry in new}
    documents = [name for entry in new for name in entry.documents]
    merged = [by_name.get(entry.name) or entry.without(documents) for entry in old]
    old_names = {entry.name for entry in old}
    return [*merged, *(entry for entry in new if entry.name not in old_names)]


def _report_replacements(old: Sequence[Entry], new: Sequence[Entry]) -> Iterator[Problem]:
    """Yield a note for each document that replaces a document of the same id from another file."""
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


def _discard(line: str) -> None:
    """Discard a line of the log."""


def _never() -> bool:
    return False
