"""The views of a question besides its own words, made by the techniques of this package."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from engine.corpus.protocol import Corpus, Mask
from engine.model import Intent, View
from engine.retrieval.planning.feedback import feedback_words
from engine.retrieval.planning.parting import parts, told_and_asked
from engine.retrieval.planning.register import in_legal_register
from engine.retrieval.planning.strategies import (
    ACRONYM,
    CLAUSE,
    FEEDBACK,
    PART,
    REGISTER,
    SIDE,
    TERMS,
    uses_of,
)
from engine.retrieval.planning.structure import clauses, sides
from engine.retrieval.planning.vocabulary import exchanged_acronyms, terms_in
from engine.settings import InvestigationSettings

# Where the words of views come from that are no part of what is asked by themselves.
TOLD = ("what the question tells first", "what it asks then")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as the views are made from it: its words without signs, and whom it is put to."""

    text: str
    language: str
    intent: Intent
    corpus: Corpus | None = None
    mask: Mask | None = None


def views_of(asked: Asked, settings: InvestigationSettings, *, offered: bool) -> Iterator[View]:
    """The views that the settings' strategy uses, each text once; with ``offered`` also those that it
    leaves out, switched off."""
    seen = {asked.text.casefold()}
    for kind, use in uses_of(settings.query_strategy, asked.intent).items():
        if not (use.on or offered):
            continue
        for words, origin in _texts(kind, asked):
            if words.casefold() not in seen:
                seen.add(words.casefold())
                yield View(kind, words, use.weight, use.dense, use.on, origin)


def _texts(kind: str, asked: Asked) -> Iterator[tuple[str, str]]:
    """The texts of one kind of view, and where their words come from."""
    text, language = asked.text, asked.language
    if kind == PART:
        found = parts(text, language)
        yield from ((part, "a part of the question") for part in found)
        told = None if found else told_and_asked(text, language)
        if told is not None:
            yield from zip(told, TOLD, strict=True)
    elif kind == SIDE:
        yield from ((side, "one side of the comparison") for side in _first(sides, text, language))
    elif kind == CLAUSE:
        names = ("what must be found first", "what is asked of it")
        yield from zip(_first(clauses, text, language), names, strict=False)
    elif kind == REGISTER:
        rephrased = in_legal_register(text, language)
        if rephrased is not None:
            yield rephrased.text, f"words of the law: {'; '.join(rephrased.exchanges)}"
    elif asked.corpus is not None:
        yield from _from_corpus(kind, asked, asked.corpus)


def _first(structure: Callable[[str, str], list[str]], text: str, language: str) -> list[str]:
    """What the first part of the question that has a structure is made of."""
    for part in parts(text, language) or [text]:
        found = structure(part, language)
        if found:
            return found
    return []


def _from_corpus(kind: str, asked: Asked, corpus: Corpus) -> Iterator[tuple[str, str]]:
    text, language = asked.text, asked.language
    if kind == ACRONYM:
        pairs = exchanged_acronyms(corpus, text, language)
        if pairs:
            told = "; ".join(f"{found} = {other}" for found, other in pairs)
            yield " ".join(other for _, other in pairs), f"the corpus's own acronyms: {told}"
    elif kind == TERMS:
        terms = terms_in(corpus, text, language)
        if terms:
            yield " ".join(terms), "terms that the corpus defines or names"
    elif kind == FEEDBACK:
        words = feedback_words(corpus, text, language, asked.mask)
        if words:
            yield " ".join(words), "words of the first passages found"
