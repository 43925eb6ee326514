"""Better queries for areas without evidence: one prompt a round, for all of them.

The model reads the name of each open area, the queries that were sent and the passages found, and writes new
queries in the words of the missing text (query rewriting, Ma et al. 2023, https://arxiv.org/abs/2305.14283).
The deterministic fallback is the areas' own queries (``facets.py``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import BaseModel, Field

from engine.corpus.protocol import Corpus
from engine.investigation.assistance.queries import LONGEST_NAME, MOST_AREAS, SentQueries, excerpts, rows_of
from engine.investigation.pool import Reading
from engine.llm import Data, Form, Prompt, suspicion
from engine.model import AreaCoverage
from engine.retrieval.asking import Asking

TASK = "gap queries"
INSTEAD = "the areas' own queries are sent"
MOST_A_AREA = 2
MOST_EVIDENCE, LONGEST_EVIDENCE = 2, 240
LONGEST_SENT = 400
LONGEST_ANSWER = 800

INSTRUCTIONS = """\
A search in a collection of legal texts has found too little for some areas of the part "question". Each part
"area A1", "area A2", ... is one of them: its name, how much evidence it has, the queries that were sent. The
parts "passage P1", ... are what little was found for them. Write better queries.
- One or two queries for each area, each with the key of its area ("A1"), in the language that the part
  "language" names (a code of ISO 639-1).
- A query is 3 to 15 words such as the missing provision itself would use: its terms of law, its verbs, its
  subject. No question words, no article numbers that the parts do not name.
- Never repeat a query that was sent, nor the question: come from another side (a synonym of the law, the
  wider or the narrower term, the consequence, the exception, the procedure, who is competent).
- Leave an area out where you have no better query.
"""


class AreaQuery(BaseModel):
    """A query for one area."""

    area: str = Field(description='The key of the area, such as "A1"')
    query: str


class GapQueries(BaseModel):
    """The form that the model fills in."""

    queries: list[AreaQuery]


FORM = Form(TASK, INSTRUCTIONS, GapQueries)


def propose_queries(
    asking: Asking,
    question: str,
    language: str,
    areas: Sequence[AreaCoverage],
    sent: SentQueries,
    corpus: Corpus,
    reading: Reading,
) -> Mapping[str, tuple[str, ...]]:
    """Return the model's queries by the ids of open areas; areas without one use their own query."""
    if not areas:
        return {}
    request, keys = prompt(question, language, areas, corpus, reading)
    answer = asking.answer(request, GapQueries, INSTEAD)
    if answer is None:
        return {}
    found = {}
    for key, area in keys.items():
        texts = (proposal.query for proposal in answer.queries if proposal.area == key)
        queries = sent.fresh(texts, MOST_A_AREA)
        if queries:
            found[area] = queries
            sent.add(queries)
    if not found:
        asking.note(f"{TASK}: the language model gave none that can be used; {INSTEAD}")
    return found


def prompt(
    question: str, language: str, areas: Sequence[AreaCoverage], corpus: Corpus, reading: Reading
) -> tuple[Prompt, dict[str, str]]:
    """Make the prompt on open areas, and return the area id of each key in it."""
    parts: list[Data] = []
    keys: dict[str, str] = {}
    evidence: list[str] = []
    for number, area in enumerate(areas[:MOST_AREAS], 1):
        keys[f"A{number}"] = area.id
        name = suspicion.shown(area.name[:LONGEST_NAME])
        state = f"name: {name}\nevidence: {len(area.evidence)} of {area.minimum} passages"
        sent = f"\nsent: {area.query[:LONGEST_SENT]}" if area.query else ""
        parts.append(Data(f"area A{number}", state + sent))
        evidence += area.evidence[:MOST_EVIDENCE]
    shown = excerpts(corpus, reading, rows_of(corpus, list(dict.fromkeys(evidence))), LONGEST_EVIDENCE)
    data = (Data("question", question), Data("language", language), *parts, *shown.parts)
    return Prompt(TASK, INSTRUCTIONS, data, LONGEST_ANSWER), keys
