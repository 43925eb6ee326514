"""Sub-questions that a language model proposes, and what must be right about them.

Taking a question apart before retrieval helps where the answer stands in several places (least-to-most
prompting, Zhou et al. 2023, https://arxiv.org/abs/2205.10625; self-ask, Press et al. 2023,
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
# A sub-question of fewer terms says too little to be searched on its own.
SHORTEST = 2
LONGEST = 300
# Together the parts weigh no more than the question itself, which they only repeat in pieces.
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
    """What the model fills in."""

    sub_questions: list[str] = Field(description="The sub-questions; first what must be found first")


FORM = Form(TASK, INSTRUCTIONS, SubQuestions)


def prompt(text: str, language: str) -> Prompt:
    """What is asked about a question."""
    return Prompt(TASK, INSTRUCTIONS, (Data("question", text), Data("language", language)), LONGEST_ANSWER)


def proposed(asking: Asking, text: str, language: str) -> tuple[str, ...]:
    """The sub-questions of a question by a language model; empty where the fallback has to take over."""
    answer = asking.answer(prompt(text, language), SubQuestions, INSTEAD)
    if answer is None:
        return ()
    found = checked(answer.sub_questions, text, language)
    if not found:
        asking.note(f"{TASK}: the language model gave none that can be used; {INSTEAD}")
    return found


def checked(proposals: Iterable[str], text: str, language: str) -> tuple[str, ...]:
    """Those that can be used, each once, at most five; nothing where fewer than two are left.

    A sub-question has two terms or more, at most 300 characters, the question's language, shares a term with
    it, and is not the question again.
    """
    asked = set(analyzer(language).terms(text))
    seen = {_key(text, language)}
    found = []
    for proposal in proposals:
        words = " ".join(proposal.split())
        terms = set(analyzer(language).terms(words))
        key = _key(words, language)
        if len(words) > LONGEST or len(terms) < SHORTEST or not terms & asked or key in seen:
            continue
        if language != "und" and detect_question(words, (language,)) != language:
            continue
        seen.add(key)
        found.append(words)
    return tuple(found[:MOST]) if len(found) >= FEWEST else ()


def weight_of(count: int) -> float:
    """The weight of each of some sub-questions beside the question's 1."""
    return min(WEIGHT, TOGETHER / max(count, 1))


def _key(text: str, language: str) -> tuple[str, ...]:
    return tuple(sorted(set(analyzer(language).terms(text))))
