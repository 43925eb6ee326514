"""Hypothetical passages that a language model writes in the register and language of the corpus.

It is shown what the corpus is: types of documents, languages, headings, and a few passages as samples of
style. What it writes is checked (length, language, not a copy of a sample) and is only ever searched by.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from pydantic import BaseModel, Field

from engine.corpus.protocol import Corpus, Mask
from engine.language.detect import detect_question
from engine.llm import Data, Form, Prompt
from engine.llm.suspicion import addresses_machine
from engine.model import Passage
from engine.retrieval.asking import Asking
from engine.retrieval.planning.hypothetical.weighing import Draft

TASK = "hypothetical passages"
INSTEAD = "the first passages found are used"
ORIGIN = "written by the language model, not found in the corpus"
MOST = 3
SHORTEST, LONGEST = 40, 1_500
LONGEST_ANSWER = 1_200
SAMPLES, LONGEST_SAMPLE = 3, 500
MOST_HEADINGS, MOST_TYPES, MOST_LANGUAGES = 12, 8, 4
LONGEST_HEADING = 120
# Where samples and headings come from: the first passages for the question's words.
LOOKED_AT = 30

INSTRUCTIONS = """\
Write 2 or 3 short passages as they might stand in the collection that the parts describe, each of which would
answer the part "question" if it were real. They are used to search for real passages, never shown as law.
- Write in the language that the part "language" names (a code of ISO 639-1), and in the register of the
  parts "sample": same kind of document, same turns of phrase, same way of numbering.
- 40 to 120 words each. Each takes another view: the rule, its definition or scope, its exception or sanction.
- Use the terms that the headings and samples use. Name no article numbers, dates, amounts or institutions
  that the question does not name: leave them out.
- Do not copy a sample, do not mention the question, do not explain.
"""


class Passages(BaseModel):
    """What the model fills in."""

    passages: list[str] = Field(description="2 or 3 hypothetical passages, without headings or numbers")


FORM = Form(TASK, INSTRUCTIONS, Passages)


def written(asking: Asking, text: str, language: str, corpus: Corpus, mask: Mask | None) -> tuple[Draft, ...]:
    """The passages that a language model writes for a question; empty where the twin has to take over."""
    asked = prompt(text, language, corpus, mask)
    answer = asking.answer(asked, Passages, INSTEAD)
    if answer is None:
        return ()
    samples = [part.text for part in asked.data if part.name.startswith("sample")]
    target = target_language(corpus, language)
    found = checked(answer.passages, target, samples)
    if not found:
        asking.note(f"{TASK}: the language model wrote none that can be used; {INSTEAD}")
    return tuple(Draft(passage, ORIGIN) for passage in found)


def prompt(text: str, language: str, corpus: Corpus, mask: Mask | None = None) -> Prompt:
    """What is asked about a question in a language."""
    first = _first(corpus, text, language, mask)
    target = target_language(corpus, language)
    types = Counter(document.type for document in corpus.documents() if document.type)
    headings = dict.fromkeys(
        heading[:LONGEST_HEADING]
        for passage in first
        for heading in passage.headings[-2:]
        if heading and not addresses_machine(heading)
    )
    parts = [
        Data("question", text),
        Data("language", target),
        Data("types of documents", "\n".join(name for name, _ in types.most_common(MOST_TYPES))),
        Data("headings", "\n".join(list(headings)[:MOST_HEADINGS])),
    ]
    parts += [Data(f"sample {number}", sample) for number, sample in enumerate(_samples(first, target), 1)]
    return Prompt(TASK, INSTRUCTIONS, tuple(part for part in parts if part.text), LONGEST_ANSWER)


def target_language(corpus: Corpus, language: str) -> str:
    """The language to write in: the question's where the corpus has it, else the corpus's most frequent."""
    languages = list(corpus.info().languages)
    return language if language in languages or not languages else languages[0]


def checked(passages: Sequence[str], language: str, samples: Sequence[str] = ()) -> tuple[str, ...]:
    """Those that can be used, each once, at most three: 40 to 1,500 characters, in the language, no copy."""
    copies = {_plain(sample) for sample in samples}
    found: dict[str, str] = {}
    for passage in passages:
        words = " ".join(passage.split())
        if not SHORTEST <= len(words) <= LONGEST or any(_plain(words) in copy for copy in copies):
            continue
        if language != "und" and detect_question(words, (language,)) != language:
            continue
        found.setdefault(_plain(words), words)
    return tuple(found.values())[:MOST]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _first(corpus: Corpus, text: str, language: str, mask: Mask | None) -> list[Passage]:
    """Passages in the question's words; where it shares none with the corpus, the corpus's first ones. None
    that addresses a machine."""
    (hits,) = corpus.search_lexical([text], language, LOOKED_AT, mask=mask)
    rows = hits.rows
    if not len(rows):
        rows = np.arange(min(LOOKED_AT, len(corpus)), dtype=np.int32)
    return [passage for passage in corpus.passages(rows) if not addresses_machine(passage.text)]


def _samples(first: Sequence[Passage], language: str) -> list[str]:
    """Beginnings of a few passages in the language, of different documents where there are several."""
    worthy = [passage for passage in first if len(passage.text) >= SHORTEST]
    worthy = [passage for passage in worthy if passage.language == language] or worthy
    by_document = {passage.document_id: passage for passage in reversed(worthy)}
    chosen = list(reversed(by_document.values()))[:SAMPLES]
    chosen += [passage for passage in worthy if passage not in chosen][: SAMPLES - len(chosen)]
    return [_cut(passage.text) for passage in chosen]


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_SAMPLE else text[:LONGEST_SAMPLE].rsplit(" ", 1)[0]
