"""Load models, grammars and graphs in the background, so that the first question does not wait for them."""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable, Collection
from threading import Thread

import numpy as np

from engine.corpus.protocol import Corpus
from engine.errors import CorpusError, ModelError, ResourceError, SettingsError
from engine.investigation import run_case
from engine.isolation.confining import in_words, layers_here
from engine.language.embedders import NO_EMBEDDING, embedder
from engine.language.embedders.endpoint import EndpointEmbedder
from engine.retrieval.rerank.spec import reranker
from ui.models.choices import offered, offers
from ui.shelf import Library

LOG = logging.getLogger(__name__)
# Thresholds of the garbage collector. A case makes many objects but few cycles. All objects that are not
# frozen are examined about every 150 cases, so a session's memory is freed within minutes.
COLLECTED = (50_000, 5, 5)
# Length of the text of a corpus that replaces a question, in characters.
ASKED = 100
# Specs of the embedding models that are being loaded.
_UNDER_WAY: set[str] = set()


def loading(spec: str) -> bool:
    """Return whether an embedding model is being loaded: a case that needs it waits."""
    return spec in _UNDER_WAY


def warm_up(library: Library, first: Callable[[], object] | None = None) -> Thread:
    """Start the workers if the settings want some, else ``load`` in this process; returns the thread.

    ``first`` makes the first case, in the background, too.

    Raises InputError if the environment names an invalid reranker.
    """
    specs = _models(library, to_come=False)
    _UNDER_WAY.update(specs)
    offered()
    thread = Thread(target=_begin, args=(library, specs, first), name="warm-up", daemon=True)
    thread.start()
    return thread


def _begin(library: Library, specs: Collection[str], first: Callable[[], object] | None) -> None:
    LOG.info("worker: %s", in_words(layers_here()))
    starting = library.start_workers()
    if starting is not None:
        starting.join()
        if library.workers.wanted:
            _UNDER_WAY.difference_update(specs)
            if first is not None:
                first()
            _settle()
            return
    load(library, first=first)


def load(library: Library, *, to_come: bool = False, first: Callable[[], object] | None = None) -> None:
    """Use the model of each corpus once, ask one question in each of its languages, and load the rerankers.

    ``to_come``: also load the model for corpora that visitors will make.
    """
    for spec in sorted(_models(library, to_come=to_come)):
        try:
            model = embedder(spec)
            if model is not None:
                model.encode(["warm-up"], "query")
        except (ModelError, SettingsError) as error:
            LOG.warning("dense search is off: %s", error)
        finally:
            _UNDER_WAY.discard(spec)
    if first is not None:
        first()
    for name in library.names():
        try:
            corpus = library.corpus(name)
        except (CorpusError, ResourceError) as error:
            LOG.warning("corpus %s: %s", name, error)
            continue
        for text in openings(corpus):
            # Compiling the grammar of Arabic takes two seconds.
            run_case(corpus, text)
    for spec in offered():
        judge = reranker(spec)
        try:
            if judge is not None:
                judge.load()
        except ModelError as error:
            LOG.warning("reranking is off: %s", error)
    _settle()


def _models(library: Library, *, to_come: bool) -> set[str]:
    """Return the embedding models that the first questions need.

    They are those of the corpora, and with ``to_come`` the one for new corpora, if it is on this machine.
    """
    specs = {library.info(name).embedding for name in library.names()}
    if to_come and library.home is not None and library.settings.uploads:
        for offer in list(offers(library.settings).values())[:1]:
            if not isinstance(embedder(offer.spec), EndpointEmbedder):
                specs.add(offer.spec)
    return specs - {NO_EMBEDDING}


def _settle() -> None:
    # Objects from the start are permanent. Collecting them again and again took a tenth of each case.
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTED)


def openings(corpus: Corpus) -> list[str]:
    """Return the first words of a corpus in each language of its documents."""
    first = {document.language: document.id for document in reversed(corpus.documents())}
    rows = [rows[0] for rows in corpus.by_document(list(first.values())) if len(rows)]
    return [
        passage.text[:ASKED] for passage in corpus.passages(np.array(rows, np.int32)) if passage.text.strip()
    ]
