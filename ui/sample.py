"""The sample corpus: built from the sources in this repository at the first start, then kept."""

from __future__ import annotations

import hashlib
import logging
import shutil
from pathlib import Path

from engine.corpus import open_corpus
from engine.errors import CorpusError, ModelError
from engine.ingestion.build import build_corpus
from engine.operator_settings import PROJECT

LOG = logging.getLogger(__name__)
SOURCES = PROJECT / "sample_data" / "meridia"
NAME = "Republic of Meridia"
MODEL, NO_MODEL = "minilm", "none"


def sample_folder(home: Path, sources: Path = SOURCES) -> Path:
    """The folder of the sample corpus below the server's own, built if it is not there or cannot be opened.

    The folder is named after the sources' content, so that changed sources are built anew. Without
    the packaged model the corpus is built for lexical search alone.
    """
    folder = home / "corpora" / f"meridia-{_fingerprint(sources)}"
    if folder.is_dir():
        try:
            open_corpus(folder)
        except CorpusError:
            shutil.rmtree(folder)
        else:
            return folder
    LOG.info("building the sample corpus in %s", folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        build_corpus([sources], folder, name=NAME, embedding=MODEL)
    except ModelError:
        build_corpus([sources], folder, name=NAME, embedding=NO_MODEL)
    return folder


def _fingerprint(sources: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(sources.rglob("*")):
        if path.is_file():
            digest.update(path.relative_to(sources).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:10]
