"""Plans with a language model: query strategies, hypothetical passages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from engine.corpus.protocol import Corpus, Mask
from engine.language.embedders import Embedder
from engine.llm import Meter
from engine.model import Intent, View
from engine.retrieval.asking import Asking
from engine.retrieval.planning import decomposing, hypothetical
from engine.settings import HYPOTHETICAL as TASK
from engine.settings import SUB_QUESTIONS, InvestigationSettings

# Which views a plan uses, at which weights and to what depth: precision, balanced, recall.
#
# What is on in ``balanced`` earned its place in the scan of all nine gold sets: no set loses
# recall@10 by it, and those of several hops win 0.3 to 2.6 points. Words of the first passages
# are on where a question asks for one thing through another: on all others they cost obliqa_xref
# 2.8 points of recall@5 for what they win elsewhere. The register of the law changes nothing on
# questions that are written in it, and wins 1.2 points of recall@10 on id_kuhperdata, whose
# questions are not. Clauses, acronyms and terms move recall@10 by less than half a point either
# way on most sets, and are left to ``recall``, which takes whatever may bring one passage more:
# on sets of several hops it wins up to 8 points of recall@5, on obliqa_xref it loses 1.9 of
# recall@10. ``precision`` takes what the question says and nothing else.

LITERAL, GAP, OWN, HYPOTHETICAL = "literal", "gap", "own", "hypothetical"
# What a plan may add to the literal question, in the order in which it is shown.
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
    """How a strategy uses a kind of view. ``dense``: it is embedded too, which costs 8 ms. ``intents``: it
    is on for these questions only, for all where there are none."""

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
    # What must be found first shares words with the answer, not with the question.
    FEEDBACK: Use(0.2, intents=(Intent.MULTI_HOP,)),
}
STRATEGIES: Mapping[str, Mapping[str, Use]] = {
    "precision": {kind: replace(use, on=False) for kind, use in _BALANCED.items()},
    "balanced": _BALANCED,
    "recall": {kind: replace(use, on=True, intents=()) for kind, use in _BALANCED.items()},
}


def uses_of(strategy: str, intent: Intent | None) -> Mapping[str, Use]:
    """How a strategy uses each kind in a question."""
    return {
        kind: replace(use, on=use.on and (not use.intents or intent in use.intents), intents=())
        for kind, use in STRATEGIES[strategy].items()
    }


# The views that the settings have a language model make: sub-questions and hypothetical passages.
#
# A language model that is not connected, fails, or proposes nothing that can be used is replaced
# by its fallback, and the plan's notes say so.

# What the sub-questions of a language model stand for.
STRUCTURE = frozenset({PART, SIDE, CLAUSE})
# What a hypothetical passage weighs beside the question's 1 where it agrees in full with question and others;
# the first passages found, which may be the wrong ones, less.
WRITTEN, FED_BACK = 0.3, 0.2
# All of them together weigh no more than the question.
TOGETHER = 0.9
LIGHTEST = 0.05


@dataclass(frozen=True, slots=True)
class Helpers:
    """What making a plan may use besides the corpus: the language model of the case, and the model of the
    corpus's vectors."""

    asking: Asking = field(default_factory=lambda: Asking(None, Meter()))
    embedder: Embedder | None = None


def with_sub_questions(
    views: Sequence[View], text: str, language: str, settings: InvestigationSettings, helpers: Helpers
) -> tuple[View, ...]:
    """The views of a question with a language model's sub-questions in place of those that its structure
    gives; as they were where the settings do not say so, or there are none."""
    if SUB_QUESTIONS not in settings.model_tasks:
        return tuple(views)
    found = decomposing.proposed(helpers.asking, text, language)
    if not found:
        return tuple(views)
    weight = decomposing.weight_of(len(found))
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
    """Hypothetical passages as views, and notes; none where the settings leave them out.

    One that is too far from the question is there too, switched off.
    """
    if TASK not in settings.model_tasks:
        return (), ()
    embedder, wish = helpers.embedder, hypothetical.Wish.of(settings)
    drafts = hypothetical.written(helpers.asking, text, language, corpus, mask, wish)
    heaviest = WRITTEN if drafts else FED_BACK
    drafts = drafts or hypothetical.fed_back(text, language, corpus, embedder, mask, wish.passages)
    heaviest = min(heaviest, TOGETHER / max(len(drafts), 1))
    found = hypothetical.weighed(drafts, text, language, corpus, embedder)
    return tuple(_view(one, heaviest) for one in found), _notes(found)


def _view(weighed: hypothetical.Weighed, heaviest: float) -> View:
    figures = f"similarity {weighed.similarity:.2f}, agreement {weighed.agreement:.2f}"
    why = "" if weighed.used else f"; off, as it is under {hypothetical.LOWEST_SIMILARITY:g}"
    weight = max(LIGHTEST, round(heaviest * weighed.agreement, 2))
    origin = f"{weighed.draft.origin}; {figures}{why}"
    return View(HYPOTHETICAL, weighed.draft.text, weight, True, weighed.used, origin)


def _notes(found: Sequence[hypothetical.Weighed]) -> tuple[str, ...]:
    """What a person should know of hypothetical passages that were weighed."""
    if not found:
        return ("no hypothetical passage could be made: the question stands alone",)
    used = [one for one in found if one.used]
    if not used:
        return (
            f"no hypothetical passage is similar enough to the question "
            f"({hypothetical.LOWEST_SIMILARITY:g}): it stands alone",
        )
    confidence = sum(one.agreement for one in used) / len(used)
    if confidence < hypothetical.LOW_CONFIDENCE:
        return (f"hypothetical passages of low confidence: they agree by {confidence:.2f} only",)
    return ()
