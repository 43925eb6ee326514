"""Better queries for areas without evidence: one prompt a round, for all of them.

The model sees what each open area is called, what was sent for it, and what little was found, and words
new queries as the missing text would put it (query rewriting, Ma et al. 2023,
https://arxiv.org/abs/2305.14283). The deterministic fallback is the areas' own queries (``facets.py``).
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
    """What the model fills in."""

    queries: list[AreaQuery]


FORM = Form(TASK, INSTRUCTIONS, GapQueries)


def proposed(
    asking: Asking,
    question: str,
    language: str,
    areas: Sequence[AreaCoverage],
    sent: SentQueries,
    corpus: Corpus,
    reading: Reading,
) -> Mapping[str, tuple[str, ...]]:
    """Queries by the ids of open areas; an area that is not there gets its own query."""
    if not areas:
        return {}
    asked, keys = prompt(question, language, areas, corpus, reading)
    answer = asking.answer(asked, GapQueries, INSTEAD)
    if answer is None:
        return {}
    found = {}
    for key, area in keys.items():
        queries = sent.fresh((one.query for one in answer.queries if one.area == key), MOST_A_AREA)
        if queries:
            found[area] = queries
            sent.add(queries)
    if not found:
        asking.note(f"{TASK}: the language model gave none that can be used; {INSTEAD}")
    return found


def prompt(
    question: str, language: str, areas: Sequence[AreaCoverage], corpus: Corpus, reading: Reading
) -> tuple[Prompt, dict[str, str]]:
    """What is asked about some open areas, and which area each key stands for."""
    parts: list[Data] = []
    keys: dict[str, str] = {}
    evidence: list[str] = []
    for number, area in enumerate(areas[:MOST_AREAS], 1):
        keys[f"A{number}"] = area.id
        name = suspicion.shown(area.name[:LONGEST_NAME])
        told = f"name: {name}\nevidence: {len(area.evidence)} of {area.minimum} passages"
        sent = f"\nsent: {area.query[:LONGEST_SENT]}" if area.query else ""
        parts.append(Data(f"area A{number}", told + sent))
        evidence += area.evidence[:MOST_EVIDENCE]
    shown = excerpts(corpus, reading, rows_of(corpus, list(dict.fromkeys(evidence))), LONGEST_EVIDENCE)
    data = (Data("question", question), Data("language", language), *parts, *shown.parts)
    return Prompt(TASK, INSTRUCTIONS, data, LONGEST_ANSWER), keys
