"""The views that the settings have a language model make: sub-questions and hypothetical passages.

A language model that is not connected, fails, or proposes nothing that
can be used is replaced by its fallback, and the plan's notes say so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.corpus.protocol import Corpus, Mask
from engine.language.embedders import Embedder
from engine.llm import Meter
from engine.model import View
from engine.retrieval.asking import Asking
from engine.retrieval.planning import decomposing, hypothetical
from engine.retrieval.planning.strategies import CLAUSE, HYPOTHETICAL, PART, SIDE
from engine.settings import HYPOTHETICAL as TASK
from engine.settings import SUB_QUESTIONS, InvestigationSettings

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
