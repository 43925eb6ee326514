"""What a language model adds to a plan: strategies, sub-questions, hypothetical passages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import BaseModel, Field

from engine.corpus.protocol import Corpus, Mask
from engine.language.analysis import analyzer
from engine.language.detection import detect_question
from engine.language.embedders import Embedder
from engine.llm import Data, Form, Meter, Prompt
from engine.llm.base import Asking
from engine.model import Intent, View
from engine.retrieval.planning import hypothetical
from engine.settings import HYPOTHETICAL as TASK
from engine.settings import SUB_QUESTIONS, InvestigationSettings

# Sub-questions proposed by a language model, and their checks.
#
# Splitting a question before retrieval helps if the answer is in several passages (least-to-most
# prompting, Zhou et al. 2023, https://arxiv.org/abs/2205.10625; self-ask, Press et al. 2023,
# https://arxiv.org/abs/2210.03350). The deterministic fallback is ``parting.py``.

PARTS_TASK = "sub-questions"
INSTEAD = "the question's own structure is used"
FEWEST, MOST = 2, 5
# A sub-question of fewer terms is too short to be searched alone.
SHORTEST = 2
LONGEST = 300
# The weight of a part, and the highest sum of weights: parts only repeat the question in pieces.
WEIGHT, PARTS_TOGETHER = 0.3, 0.9
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


FORM = Form(PARTS_TASK, INSTRUCTIONS, SubQuestions)


def prompt(text: str, language: str) -> Prompt:
    """Make the prompt for a question."""
    return Prompt(
        PARTS_TASK, INSTRUCTIONS, (Data("question", text), Data("language", language)), LONGEST_ANSWER
    )


def proposed(asking: Asking, text: str, language: str) -> tuple[str, ...]:
    """Return a language model's sub-questions; empty if the fallback has to be used."""
    answer = asking.answer(prompt(text, language), SubQuestions, INSTEAD)
    if answer is None:
        return ()
    found = checked(answer.sub_questions, text, language)
    if not found:
        asking.note(f"{PARTS_TASK}: the language model gave none that can be used; {INSTEAD}")
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
    return min(WEIGHT, PARTS_TOGETHER / max(count, 1))


def _key(text: str, language: str) -> tuple[str, ...]:
    return tuple(sorted(set(analyzer(language).terms(text))))


# Query strategies, and views made by a language model: sub-questions and hypothetical passages.

# Query strategies: the views of a plan and their weights, for precision, balanced and recall
#
# Views that are on in ``balanced`` cost no gold set recall@10 in the scan and gain 0.3 to 2.6 points on sets
# of several hops. Words of the first passages are on for multi-hop questions only: on others they cost
# obliqa_xref 2.8 points of recall@5. The legal register gains 1.2 points of recall@10 on id_kuhperdata, whose
# questions are in everyday words. Clauses, acronyms and terms move recall@10 by less than half a point on
# most sets and are left to ``recall``, which uses all views: on sets of several hops it gains up to 8 points
# of recall@5, on obliqa_xref it loses 1.9 of recall@10. ``precision`` uses only the question itself.

LITERAL, GAP, OWN, HYPOTHETICAL = "literal", "gap", "own", "hypothetical"
# Kinds of views that a plan may add to the literal question, in the order in which they are shown.
KINDS = PART, SIDE, CLAUSE, REGISTER, ACRONYM, TERMS, FEEDBACK = (
    "part",
    "side",
    "clause",
    "register",
    "acronym",
    "terms",
    "feedback",
)


@dataclass(frozen=True, slots=True)
class Use:
    """How a query strategy uses a kind of view.

    ``dense``: also search by meaning, which costs 8 ms. ``intents``: only for these intents; empty for all.
    """

    weight: float
    on: bool = True
    dense: bool = False
    intents: tuple[Intent, ...] = ()


_BALANCED: Mapping[str, Use] = {
    PART: Use(0.3, dense=True),
    SIDE: Use(0.3),
    CLAUSE: Use(0.3, on=False),
    REGISTER: Use(0.2),
    ACRONYM: Use(0.2, on=False),
    TERMS: Use(0.2, on=False),
    # The intermediate result of a multi-hop question shares words with the answer, not with the question.
    FEEDBACK: Use(0.2, intents=(Intent.MULTI_HOP,)),
}
STRATEGIES: Mapping[str, Mapping[str, Use]] = {
    "precision": {kind: replace(use, on=False) for kind, use in _BALANCED.items()},
    "balanced": _BALANCED,
    "recall": {kind: replace(use, on=True, intents=()) for kind, use in _BALANCED.items()},
}


def uses_of(strategy: str, intent: Intent | None) -> Mapping[str, Use]:
    """Return how a query strategy uses each kind of view for an intent."""
    return {
        kind: replace(use, on=use.on and (not use.intents or intent in use.intents), intents=())
        for kind, use in STRATEGIES[strategy].items()
    }


# Views made by a language model. Without a model, or if it fails or proposes nothing usable, the fallback is
# used and the plan's notes report it.

# The kinds of views that sub-questions of a language model replace.
STRUCTURE = frozenset({PART, SIDE, CLAUSE})
# Weight of a hypothetical passage in full agreement, relative to the question's 1; the first passages found,
# which may be the wrong ones, have a lower weight.
WRITTEN, FED_BACK = 0.3, 0.2
# The highest sum of their weights.
TOGETHER = 0.9
LIGHTEST = 0.05


@dataclass(frozen=True, slots=True)
class Helpers:
    """Models that a plan may use: the language model of the case, and the embedder of the corpus."""

    asking: Asking = field(default_factory=lambda: Asking(None, Meter()))
    embedder: Embedder | None = None


def with_sub_questions(
    views: Sequence[View], text: str, language: str, settings: InvestigationSettings, helpers: Helpers
) -> tuple[View, ...]:
    """Replace the views of the question's structure by a language model's sub-questions.

    Unchanged if the settings do not ask for it, or there are none.
    """
    if SUB_QUESTIONS not in settings.model_tasks:
        return tuple(views)
    found = proposed(helpers.asking, text, language)
    if not found:
        return tuple(views)
    weight = weight_of(len(found))
    origin = "a part of the question, by the language model"
    parts = [View(PART, part, weight, True, True, origin) for part in found]
    return (*parts, *(view for view in views if view.name not in STRUCTURE))


def hypothetical_views(
    text: str,
    language: str,
    corpus: Corpus,
    mask: Mask | None,
    settings: InvestigationSettings,
    helpers: Helpers,
) -> tuple[tuple[View, ...], tuple[str, ...]]:
    """Return hypothetical passages as views, and notes; none unless the settings ask for them.

    A passage that is too dissimilar to the question is included, switched off.
    """
    if TASK not in settings.model_tasks:
        return (), ()
    embedder, request = helpers.embedder, hypothetical.DraftRequest.of(settings)
    drafts = hypothetical.write_drafts(helpers.asking, text, language, corpus, mask, request)
    heaviest = WRITTEN if drafts else FED_BACK
    drafts = drafts or hypothetical.feedback_drafts(text, language, corpus, embedder, mask, request.passages)
    heaviest = min(heaviest, TOGETHER / max(len(drafts), 1))
    found = hypothetical.weigh_drafts(drafts, text, language, corpus, embedder)
    return tuple(_view(draft, heaviest) for draft in found), _notes(found)


def _view(weighed: hypothetical.WeighedDraft, heaviest: float) -> View:
    figures = f"similarity {weighed.similarity:.2f}, agreement {weighed.agreement:.2f}"
    why = "" if weighed.used else f"; off, as it is under {hypothetical.LOWEST_SIMILARITY:g}"
    weight = max(LIGHTEST, round(heaviest * weighed.agreement, 2))
    origin = f"{weighed.draft.origin}; {figures}{why}"
    return View(HYPOTHETICAL, weighed.draft.text, weight, True, weighed.used, origin)


def _notes(found: Sequence[hypothetical.WeighedDraft]) -> tuple[str, ...]:
    """Return notes on weighed hypothetical passages."""
    if not found:
        return ("no hypothetical passage could be made: only the question is searched",)
    used = [draft for draft in found if draft.used]
    if not used:
        return (
            f"no hypothetical passage is similar enough to the question "
            f"({hypothetical.LOWEST_SIMILARITY:g}): only the question is searched",
        )
    confidence = sum(draft.agreement for draft in used) / len(used)
    if confidence < hypothetical.LOW_CONFIDENCE:
        return (f"hypothetical passages of low confidence: they agree by {confidence:.2f} only",)
    return ()
