"""Making the plan of a question: what it asks, what it demands, and the views by which it is scanned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from engine.corpus.protocol import Corpus, Mask
from engine.errors import InputError
from engine.language.detect import detect_question
from engine.language.references.registry import find_mentions
from engine.model import Constraints, QueryPlan, Suggestion, View
from engine.retrieval.foreign import note_on
from engine.retrieval.planning.feedback import feedback_words
from engine.retrieval.planning.intent import intent_of
from engine.retrieval.planning.prose import dates_in_prose, documents_in_prose, types_in_prose
from engine.retrieval.planning.register import in_legal_register
from engine.retrieval.planning.strategies import (
    ACRONYM,
    CLAUSE,
    FEEDBACK,
    LITERAL,
    PART,
    REGISTER,
    SIDE,
    TERMS,
    Use,
    uses_of,
)
from engine.retrieval.planning.structure import clauses, parts, sides
from engine.retrieval.planning.syntax import read_signs
from engine.retrieval.planning.vocabulary import exchanged_acronyms, terms_in
from engine.settings import InvestigationSettings

LONGEST_QUESTION = 4_000
_DEFAULTS = InvestigationSettings()


def make_plan(
    question: str,
    languages: Sequence[str],
    settings: InvestigationSettings = _DEFAULTS,
    *,
    corpus: Corpus | None = None,
    mask: Mask | None = None,
) -> QueryPlan:
    """The plan for a question put to a corpus in these languages (most frequent first).

    Without a ``corpus`` there are no views made from its words, and no documents are recognised.
    ``mask`` limits what the corpus is asked, shape (passages,). A question of more than 4,000
    characters is cut there, and the plan's notes say so. Raises InputError for a demand that cannot be
    read (``year:soon``) and a question that is nothing but demands.
    """
    notes: tuple[str, ...] = ()
    text = " ".join(question.split())
    if len(text) > LONGEST_QUESTION:
        text = text[:LONGEST_QUESTION]
        notes = (f"the question was cut to {LONGEST_QUESTION} characters",)
    signs = read_signs(text)
    if text and not signs.text:
        raise InputError("the question only says what passages must be like: add what it is about")
    text = signs.text
    language = detect_question(text, tuple(languages)) if languages else "und"
    references = tuple(dict.fromkeys(mention.text for mention in find_mentions(text, language)))
    told = intent_of(text, language, references)
    plan = QueryPlan(
        question,
        language,
        (View(LITERAL, text, origin="the question"),),
        references,
        notes,
        told.intent,
        told.evidence,
        constraints=with_settings(signs.constraints, settings),
        suggestions=(
            *(Suggestion("must_include", phrase, phrase) for phrase in signs.quoted),
            *dates_in_prose(text, language),
        ),
        strategy=settings.query_strategy,
    )
    if corpus is not None:
        plan = replace(
            plan,
            notes=(*plan.notes, *note_on(corpus, language)),
            document_types=types_in_prose(corpus, text, language),
            document_ids=documents_in_prose(corpus, text, language),
        )
    if settings.views:
        plan = replace(plan, views=(*plan.views, *_views(text, language, settings, corpus, mask)))
    return plan


def with_settings(constraints: Constraints, settings: InvestigationSettings) -> Constraints:
    """Constraints with the phrases that the settings demand besides."""
    return replace(
        constraints,
        must_include=_union(constraints.must_include, settings.must_include),
        must_exclude=_union(constraints.must_exclude, settings.must_exclude),
    )


def active(plan: QueryPlan) -> QueryPlan:
    """The plan with the views that are switched on, and only those."""
    return replace(plan, views=tuple(view for view in plan.views if view.enabled))


def _union(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))


def _views(
    text: str, language: str, settings: InvestigationSettings, corpus: Corpus | None, mask: Mask | None
) -> Iterator[View]:
    """The views besides the literal one, each text once; what a strategy leaves out is switched off."""
    seen = {text.casefold()}
    for kind, use in uses_of(settings.query_strategy, settings.view_kinds).items():
        for words, origin in _texts(kind, use, text, language, corpus, mask):
            if words.casefold() not in seen:
                seen.add(words.casefold())
                yield View(kind, words, use.weight, use.dense, use.on, origin)


def _texts(
    kind: str, use: Use, text: str, language: str, corpus: Corpus | None, mask: Mask | None
) -> Iterator[tuple[str, str]]:
    """The texts of one kind of view, and where their words come from."""
    if kind == PART:
        yield from ((part, "a part of the question") for part in parts(text, language))
    elif kind == SIDE:
        yield from ((side, "one side of the comparison") for side in sides(text, language))
    elif kind == CLAUSE:
        names = ("what must be found first", "what is asked of it")
        yield from zip(clauses(text, language), names, strict=False)
    elif kind == REGISTER:
        rephrased = in_legal_register(text, language)
        if rephrased is not None:
            yield rephrased.text, f"words of the law: {'; '.join(rephrased.exchanges)}"
    elif corpus is not None and (use.on or kind != FEEDBACK):
        yield from _from_corpus(kind, text, language, corpus, mask)


def _from_corpus(
    kind: str, text: str, language: str, corpus: Corpus, mask: Mask | None
) -> Iterator[tuple[str, str]]:
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
        words = feedback_words(corpus, text, language, mask)
        if words:
            yield " ".join(words), "words of the first passages found"
