"""A corpus with another ontology than its own, or with none: to compare what an ontology brings."""

from __future__ import annotations

from typing import Any, cast

from engine.corpus.protocol import Corpus, Ontology


class WithOntology:
    """All that a corpus can be asked, and areas, concepts and rules that are not its own."""

    def __init__(self, corpus: Corpus, ontology: Ontology | None) -> None:
        self._corpus, self.ontology = corpus, ontology

    def __getattr__(self, name: str) -> Any:
        return getattr(self._corpus, name)

    def __len__(self) -> int:
        return len(self._corpus)


def with_ontology(corpus: Corpus, ontology: Ontology | None) -> Corpus:
    """A corpus with this ontology in place of its own."""
    return cast("Corpus", WithOntology(corpus, ontology))


def without_ontology(corpus: Corpus) -> Corpus:
    """A corpus as if it had no ontology. What is looked up of it is kept as long as it is: keep it."""
    return corpus if corpus.ontology is None else with_ontology(corpus, None)
