"""Load models and make graphs in the background, so that the first question does not wait for them."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from threading import Thread

from engine.corpus.protocol import Corpus
from engine.errors import ModelError
from engine.investigation.associations import associations
from engine.language.embedders import embedder
from engine.retrieval.rerank import reranker
from ui.rerankers import offered
from ui.shelf import Library

LOG = logging.getLogger(__name__)


def warm_up(library: Library) -> Thread:
    """Use each corpus's model once, make its graph and load the rerankers on offer, on a thread of its own;
    returns it.

    Raises InputError where the environment names a reranker that cannot be read.
    """
    corpora = [library.corpus(name) for name in library.names()]
    thread = Thread(target=_load, args=(corpora, offered()), name="warm-up", daemon=True)
    thread.start()
    return thread


def _load(corpora: Sequence[Corpus], rerankers: Sequence[str]) -> None:
    for corpus in corpora:
        associations(corpus)
    for spec in sorted({corpus.embedding for corpus in corpora}):
        model = embedder(spec)
        if model is None:
            continue
        try:
            model.encode(["warm-up"], "query")
        except ModelError as error:
            LOG.warning("dense search is off: %s", error)
    for spec in rerankers:
        judge = reranker(spec)
        try:
            if judge is not None:
                judge.load()
        except ModelError as error:
            LOG.warning("reranking is off: %s", error)
