"""The plan of a case: that of its question, with the definition of the term that it asks for."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from engine.corpus.protocol import Corpus
from engine.investigation.filters import Filters
from engine.investigation.meanings import meaning_named
from engine.model import QueryPlan
from engine.retrieval.planning import Helpers, make_plan
from engine.settings import InvestigationSettings


def plan_of(
    question: str,
    corpus: Corpus,
    settings: InvestigationSettings,
    filters: Filters,
    day: date,
    helpers: Helpers,
    *,
    offered: bool = False,
) -> QueryPlan:
    """The plan by which a question is scanned in a corpus as its filters let it be seen; ``day`` is the day
    that "today" means, ``offered``: with what a person may choose besides."""
    plan = make_plan(
        question,
        list(corpus.info().languages),
        settings,
        corpus=corpus,
        mask=filters.mask,
        allowed=filters.constrained,
        day=day,
        offered=offered,
        helpers=helpers,
    )
    text = plan.views[0].text
    defined = meaning_named(corpus, text, plan.language, filters.mask, plan.document_ids)
    if defined is None or plan.named:
        return plan
    return replace(plan, named=(defined,))
