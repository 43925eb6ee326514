"""Hypothetical passages that a language model writes in the register and language of the corpus.

It is shown what the corpus is: types of documents, languages, headings, and a few passages as samples of
style. What it writes is checked (length, language, not a copy of a sample) and is only ever searched by.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from pydantic import BaseModel, Field

from engine.corpus.protocol import Corpus, Mask
from engine.errors import SettingsError
from engine.language.detection import detect_question, known_language
from engine.llm import Data, Form, Prompt
from engine.llm.suspicion import addresses_machine
from engine.model import Passage
from engine.retrieval.asking import Asking
from engine.retrieval.planning.hypothetical.weighing import Draft
from engine.settings import InvestigationSettings

TASK = "hypothetical passages"
INSTEAD = "the first passages found are used"
ORIGIN = "written by the language model, not found in the corpus"
SHORTEST, LONGEST = 40, 1_500
# Tokens of an answer, for each passage.
LONGEST_ANSWER = 400
# What the setting of the language may say besides a code.
OF_QUESTION, OF_CORPUS = "question", "corpus"
SAMPLES, LONGEST_SAMPLE = 3, 500
MOST_HEADINGS, MOST_TYPES, MOST_LANGUAGES = 12, 8, 4
LONGEST_HEADING = 120
# Where samples and headings come from: the first passages for the question's words.
LOOKED_AT = 30

INSTRUCTIONS = """\
Write short passages as they might stand in the collection that the parts describe, each of which would answer
the part "question" if it were real. They are used to search for real passages, never shown as law.
- Write as many as the part "number" says.
- Write in the language that the part "language" names (a code of ISO 639-1), and in the register of the
  parts "sample": same kind of document, same turns of phrase, same way of numbering.
- 40 to 120 words each. Each takes another view: the rule, its definition or scope, its exception or sanction.
- Use the terms that the headings and samples use. Name no article numbers, dates, amounts or institutions
  that the question does not name: leave them out.
- Do not copy a sample, do not mention the question, do not explain.
"""


@dataclass(frozen=True, slots=True)
class Wish:
    """How many passages are wished for, how freely they are worded, and in which language."""

    passages: int = 3
    temperature: float = 0.0
    language: str = OF_QUESTION

    @classmethod
    def of(cls, settings: InvestigationSettings) -> Self:
        """What the settings of a case say."""
        return cls(
            settings.hypothetical_passages,
            settings.hypothetical_temperature,
            settings.hypothetical_language,
        )


class Passages(BaseModel):
    """What the model fills in."""

    passages: list[str] = Field(description="Hypothetical passages, without headings or numbers")


FORM = Form(TASK, INSTRUCTIONS, Passages)


def written(
    asking: Asking,
    text: str,
    language: str,
    corpus: Corpus,
    mask: Mask | None,
    wish: Wish = Wish(),
) -> tuple[Draft, ...]:
    """The passages that a language model writes for a question; empty where the fallback has to take over."""
    asked = prompt(text, language, corpus, mask, wish)
    answer = asking.answer(asked, Passages, INSTEAD)
    if answer is None:
        return ()
    samples = [part.text for part in asked.data if part.name.startswith("sample")]
    target = target_language(corpus, language, wish.language)
    found = checked(answer.passages, target, samples, wish.passages)
    if not found:
        asking.note(f"{TASK}: the language model wrote none that can be used; {INSTEAD}")
    return tuple(Draft(passage, ORIGIN) for passage in found)


def prompt(
    text: str,
    language: str,
    corpus: Corpus,
    mask: Mask | None = None,
    wish: Wish = Wish(),
) -> Prompt:
    """What is asked about a question in a language."""
    first = _first(corpus, text, language, mask)
    target = target_language(corpus, language, wish.language)
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
        Data("number", str(wish.passages)),
        Data("types of documents", "\n".join(name for name, _ in types.most_common(MOST_TYPES))),
        Data("headings", "\n".join(list(headings)[:MOST_HEADINGS])),
    ]
    parts += [Data(f"sample {number}", sample) for number, sample in enumerate(_samples(first, target), 1)]
    data = tuple(part for part in parts if part.text)
    longest = LONGEST_ANSWER * wish.passages
    return Prompt(TASK, INSTRUCTIONS, data, longest, wish.temperature)


def target_language(corpus: Corpus, language: str, wished: str = OF_QUESTION) -> str:
    """The language to write in: a code that is wished for, the corpus's most frequent one, or the question's,
    where the corpus has that, else its most frequent one, too."""
    languages = corpus.info().languages
    if wished not in (OF_QUESTION, OF_CORPUS):
        return wished
    if not languages or (wished == OF_QUESTION and language in languages):
        return language
    return max(languages, key=lambda code: languages[code])


def check_language(corpus: Corpus, wished: str) -> None:
    """Raises SettingsError for what is no language, nor says whose it is."""
    if wished in (OF_QUESTION, OF_CORPUS, *corpus.info().languages) or known_language(wished):
        return
    raise SettingsError(
        f"hypothetical_language: {wished!r:.40} is no language that is known; "
        f"write {OF_QUESTION}, {OF_CORPUS}, or a code of ISO 639-1 such as de"
    )


def checked(
    passages: Sequence[str], language: str, samples: Sequence[str] = (), most: int = 3
) -> tuple[str, ...]:
    """Those that can be used, each once: 40 to 1,500 characters, in the language, no copy."""
    copies = {_plain(sample) for sample in samples}
    found: dict[str, str] = {}
    for passage in passages:
        words = " ".join(passage.split())
        if not SHORTEST <= len(words) <= LONGEST or any(_plain(words) in copy for copy in copies):
            continue
        if language != "und" and detect_question(words, (language,)) != language:
            continue
        found.setdefault(_plain(words), words)
    return tuple(found.values())[:most]


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
