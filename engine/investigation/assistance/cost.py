"""What the language model of a case will use at most, before it is run.

Prompts whose parts are not known yet are taken at their full length, filled with the corpus's own text where
it needs the most tokens for its length; every answer is taken to need its one repair. What fails on its way
and is sent again is not counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from pydantic import BaseModel

from engine.corpus.protocol import Corpus
from engine.investigation.assistance import gap_queries, sufficiency
from engine.investigation.assistance.prefix import with_prefix
from engine.investigation.assistance.table import LONGEST_NAME, MOST_AREAS
from engine.investigation.depth import bounded
from engine.investigation.reranking import DEPTH as RERANKED
from engine.llm import Data, LanguageModel, Prompt, Usage
from engine.llm.estimating import most_tokens
from engine.retrieval.planning import decomposing, hypothetical, make_plan
from engine.retrieval.rerank import LISTWISE, listwise
from engine.settings import (
    GAP_QUERIES,
    HYPOTHETICAL,
    SUB_QUESTIONS,
    SUFFICIENCY,
    InvestigationSettings,
)

if TYPE_CHECKING:
    from engine.investigation.case import Case

# Passages that are looked at for text that needs many tokens.
SAMPLE = 64
# What stands around the key, the state and the counts of an area.
AROUND_AREA = 80
# The answer that does not fit, and why, are sent again with the prompt.
REJECTED_CHARACTERS = 8_500


def expected_cost(case: Case) -> Mapping[str, Usage]:
    """What each task will use at most; empty where no language model is connected, or none is asked.

    Money is None where the model has no prices.
    """
    if case.model is None:
        return {}
    model = with_prefix(case.model, case.corpus)
    filler = _filler(case.corpus)
    found: dict[str, Usage] = {}
    for prompt, schema, times in _prompts(case, filler):
        if times > 0:
            found[prompt.task] = _times(_with_repair(model, prompt, schema, filler), times)
    return found


def _prompts(case: Case, filler: str) -> Iterator[tuple[Prompt, type[BaseModel], int]]:
    """Each prompt at its longest, its schema, and how often it is asked."""
    settings, corpus = bounded(case.settings, None), case.corpus
    plain = settings.changed(model_tasks=(), query_strategy="precision")
    plan = make_plan(case.question, list(corpus.info().languages), plain)
    text, language = plan.views[0].text, plan.language
    if case.edited is None and SUB_QUESTIONS in settings.model_tasks:
        yield decomposing.prompt(text, language), decomposing.SubQuestions, 1
    if case.edited is None and HYPOTHETICAL in settings.model_tasks:
        wish = hypothetical.Wish.of(settings)
        yield hypothetical.prompt(text, language, corpus, None, wish), hypothetical.Passages, 1
    yield _gap_prompt(text, filler), gap_queries.GapQueries, _gap_rounds(settings)
    judged = (
        max(0, settings.rounds - sufficiency.FIRST_ROUND + 1) if SUFFICIENCY in settings.model_tasks else 0
    )
    yield _sufficiency_prompt(text, filler), sufficiency.Sufficiency, judged
    if settings.reranker == LISTWISE:
        judged = min(RERANKED, settings.pool_size, len(corpus))
        texts = [filler[: listwise.LONGEST_TEXT]] * min(judged, listwise.WINDOW)
        yield listwise.prompt(text, texts), listwise.Order, listwise.windows(judged)


def _gap_rounds(settings: InvestigationSettings) -> int:
    return settings.rounds if GAP_QUERIES in settings.model_tasks and settings.close_gaps else 0


def _gap_prompt(question: str, filler: str) -> Prompt:
    area = filler[: LONGEST_NAME + gap_queries.LONGEST_SENT + AROUND_AREA]
    excerpt = filler[: gap_queries.LONGEST_EVIDENCE + 3 * LONGEST_NAME]
    parts = [Data(f"area A{number}", area) for number in range(1, MOST_AREAS + 1)]
    shown = MOST_AREAS * gap_queries.MOST_EVIDENCE
    parts += [Data(f"passage P{number}", excerpt) for number in range(1, shown + 1)]
    data = (Data("question", question), Data("language", "und"), *parts)
    return Prompt(gap_queries.TASK, gap_queries.INSTRUCTIONS, data, gap_queries.LONGEST_ANSWER)


def _sufficiency_prompt(question: str, filler: str) -> Prompt:
    table = "\n".join([filler[: LONGEST_NAME + AROUND_AREA]] * MOST_AREAS)
    excerpt = filler[: sufficiency.LONGEST_EXCERPT + 3 * LONGEST_NAME]
    shown = range(1, sufficiency.MOST_PASSAGES + 1)
    parts = [Data("coverage", table), *(Data(f"passage P{number}", excerpt) for number in shown)]
    data = (Data("question", question), *parts)
    return Prompt(sufficiency.TASK, sufficiency.INSTRUCTIONS, data, sufficiency.LONGEST_ANSWER)


def _with_repair(model: LanguageModel, prompt: Prompt, schema: type[BaseModel], filler: str) -> Usage:
    rejected = Data("rejected answer", filler[:REJECTED_CHARACTERS])
    return model.expected(prompt, schema) + model.expected(
        replace(prompt, data=(*prompt.data, rejected)), schema
    )


def _times(used: Usage, times: int) -> Usage:
    return sum([used] * times, Usage())


def _filler(corpus: Corpus) -> str:
    """Text of the corpus that needs the most tokens for its length, long enough for the longest part."""
    rows = np.unique(np.linspace(0, len(corpus) - 1, min(SAMPLE, len(corpus))).astype(np.int32))
    texts = [" ".join(passage.text.split()) for passage in corpus.passages(rows)]
    # Text of a line or two is mostly numbers and names.
    texts = [text for text in texts if len(text) > LONGEST_NAME] or [text for text in texts if text]
    if not texts:
        return ""
    densest = max(texts, key=lambda text: most_tokens(text) / len(text)) + " "
    return densest * (REJECTED_CHARACTERS // len(densest) + 1)
