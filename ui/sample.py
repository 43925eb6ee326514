"""The sample corpus: ships built, or is built from its sources if the shipped one does not fit."""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.corpus import open_corpus
from engine.corpus.embedded.generation import MANIFEST_NAME, current_generation
from engine.corpus.embedded.publication import PRIVATE_FILE
from engine.errors import CorpusError, ModelError, system_error
from engine.files import make_private_folder
from ui.templating import SAMPLE_DATA

LOG = logging.getLogger(__name__)
SOURCES = SAMPLE_DATA / "meridia"
# Made by ``python -m benchmarks.built_sample``.
BUILT = SAMPLE_DATA / "built"
NAME = "Republic of Meridia"
MODEL, NO_MODEL = "minilm", "none"


def sample_folder(home: Path, sources: Path = SOURCES, built: Path = BUILT) -> Path:
    """Return the folder of the sample corpus in the server's home, copied from the shipped one in ``built``.

    The folder is named after the content of the sources, here and in ``built``, so a shipped corpus is used
    only for its own sources. If no shipped corpus fits, or it has another format, the corpus is built;
    without the packaged model for lexical search only. The shipped corpus is never written to. If neither
    folder is writable, the shipped corpus is used directly. Raises CorpusError or ResourceError if only the
    server's folder is not writable.
    """
    name = folder_name(sources)
    folder = home / "corpora" / name
    if folder.is_dir():
        try:
            open_corpus(folder)
        except CorpusError:
            shutil.rmtree(folder)
        else:
            return folder
    try:
        _copy(built / name, folder)
    except CorpusError as error:
        LOG.warning("the sample corpus that ships cannot be used: %s", error)
    except OSError as error:
        if os.access(built / name, os.W_OK):
            raise system_error(f"keep the sample corpus in {folder}", error) from error
        LOG.warning("the sample corpus is shown where it ships: nothing that people say of it can be kept")
        return built / name
    else:
        return folder
    LOG.warning("building the sample corpus in %s; this takes a while", folder)
    build_sample(sources, folder)
    return folder


def folder_name(sources: Path) -> str:
    """Return the name of the corpus folder for these sources."""
    digest = hashlib.sha256()
    for path in sorted(sources.rglob("*")):
        if path.is_file():
            digest.update(path.relative_to(sources).as_posix().encode() + b"\0" + path.read_bytes())
    return f"meridia-{digest.hexdigest()[:10]}"


def build_sample(sources: Path, folder: Path) -> None:
    """Build the corpus from its sources; without the packaged model, for lexical search only."""
    from engine.ingestion.build import build_corpus

    make_private_folder(folder.parent)
    try:
        build_corpus([sources], folder, name=NAME, embedding=MODEL)
    except ModelError:
        build_corpus([sources], folder, name=NAME, embedding=NO_MODEL)


def _copy(built: Path, folder: Path) -> None:
    """Copy a corpus atomically.

    Raises CorpusError if it is missing, damaged or of another format, and OSError.
    """
    generation = current_generation(built)
    make_private_folder(folder.parent)
    with TemporaryDirectory(prefix=".sample-", dir=folder.parent) as made:
        copy = Path(made) / folder.name
        files = (f"{generation.manifest.generation}/{file}" for file in generation.manifest.files)
        for name in (MANIFEST_NAME, *files):
            make_private_folder((copy / name).parent)
            # Copy only the content: the shipped files may be read-only.
            shutil.copyfile(built / name, copy / name)
            (copy / name).chmod(PRIVATE_FILE)
        open_corpus(copy)
        try:
            copy.rename(folder)
        except OSError:
            # Another process has made it first.
            open_corpus(folder)
