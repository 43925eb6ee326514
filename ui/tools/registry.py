"""All tools, in the order in which they are told."""

from __future__ import annotations

from engine.verbs.cases import LIST_CASES
from engine.verbs.verb import Verb
from ui import grading_api, judging_api
from ui.check import api as audit_api
from ui.check import review_api
from ui.tools import corpora, exporting, following, reading
from ui.tools.cases import CASE
from ui.tools.planning import PLAN
from ui.tools.questions import ANSWER, INVESTIGATE

TOOLS: tuple[Verb, ...] = (
    corpora.TOOL,
    PLAN,
    INVESTIGATE,
    following.TOOL,
    reading.TOOL,
    ANSWER,
    audit_api.TOOL,
    LIST_CASES,
    CASE,
    exporting.TOOL,
    judging_api.TOOL,
    grading_api.TOOL,
    review_api.TOOL,
)
