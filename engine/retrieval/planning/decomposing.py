"""Sub-questions proposed by a language model, and their checks.

Splitting a question before retrieval helps if the answer is in several passages (least-to-most prompting,
Zhou et al. 2023, https://arxiv.org/abs/2205.10625; self-ask, Press et al. 2023,
https://arxiv.org/abs/2210.03350). The deterministic fallback is ``parting.py``.
"""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import BaseModel, Field

from engine.language.analysis import analyzer
from engine.language.detection import detect_question
from engine.llm import Data, Form, Prompt
from engine.retrieval.asking import Asking

TASK = "sub-questions"
INSTEAD = "the question's own structure is used"
FEWEST, MOST = 2, 5
# A sub-question of fewer terms is too short to be searched alone.
SHORTEST = 2
LONGEST = 300
# The weight of a part, and the highest sum of weights: parts only repeat the question in pieces.
WEIGHT, TOGETHER = 0.3, 0.9
LONGEST_ANSWER = 600

INSTRUCTIONS = """\
The part "question" is a question to a collection of legal texts that cite each other. Take it apart into the
sub-questions that must be answered to answer it, so that each can be searched on its own.
- 2 to 5 sub-questions, in the language that the part "language" names (a code of ISO 639-1).
- Each is one full question that can be understood without the others: repeat the names, dates, amounts and
  terms it needs, as the question writes them.
- Ask nothing that the question does not ask. Add no facts, no article numbers and no names.
- Where one thing must be found first (a definition, a deadline, who is competent), ask for it first.
- Where the question asks for one thing only, give an empty list.
"""


class SubQuestions(BaseModel):
    """The form that the model fills in."""

    sub_questions: list[str] = Field(description="The sub-questions; first what must be found first")


FORM = Form(TASK, INSTRUCTIONS, SubQuestions)


def prompt(text: str, language: str) -> Prompt:
    """Make the prompt for a question."""
    return Prompt(TASK, INSTRUCTIONS, (Data("question", text), Data("language", language)), LONGEST_ANSWER)


def proposed(asking: Asking, text: str, language: str) -> tuple[str, ...]:
    """Return a language model's sub-questions; empty if the fallback has to be used."""
    answer = asking.answer(prompt(text, language), SubQuestions, INSTEAD)
    if answer is None:
        return ()
    found = checked(answer.sub_questions, text, language)
    if not found:
        asking.note(f"{TASK}: the language model gave none that can be used; {INSTEAD}")
    return found


def checked(proposals: Iterable[str], text: str, language: str) -> tuple[str, ...]:
    """Return the usable sub-questions, each once, at most five; none if fewer than two are left.

    A sub-question has at least two terms, at most 300 characters, the question's language and a common term
    with it, and does not repeat it.
    """
    in_question = set(analyzer(language).terms(text))
    seen = {_key(text, language)}
    found = []
    for proposal in proposals:
        words = " ".join(proposal.split())
        terms = set(analyzer(language).terms(words))
        key = _key(words, language)
        if len(words) > LONGEST or len(terms) < SHORTEST or not terms & in_question or key in seen:
            continue
        if language != "und" and detect_question(words, (language,)) != language:
            continue
        seen.add(key)
        found.append(words)
    return tuple(found[:MOST]) if len(found) >= FEWEST else ()


def weight_of(count: int) -> float:
    """Return the weight of each of ``count`` sub-questions, relative to the question's 1."""
    return min(WEIGHT, TOGETHER / max(count, 1))


def _key(text: str, language: str) -> tuple[str, ...]:
    return tuple(sorted(set(analyzer(language).terms(text))))
