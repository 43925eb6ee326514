"""Load embedding models in the background, so that the first question does not wait for them."""

from __future__ import annotations

import logging
from threading import Thread

from engine.errors import ModelError
from engine.language.embedders import embedder
from ui.shelf import Library

LOG = logging.getLogger(__name__)


def warm_up(library: Library) -> Thread:
    """Embed one word with each corpus's model on a thread of its own; returns the thread."""
    specs = sorted({library.corpus(name).embedding for name in library.names()})
    thread = Thread(target=_load, args=(specs,), name="warm-up", daemon=True)
    thread.start()
    return thread


def _load(specs: list[str]) -> None:
    for spec in specs:
        model = embedder(spec)
        if model is None:
            continue
        try:
            model.encode(["warm-up"], "query")
        except ModelError as error:
            LOG.warning("dense search is off: %s", error)
