"""All tools, in the order in which they are told."""

from __future__ import annotations

from ui import grading_api, judging_api
from ui.check import api as audit_api
from ui.check import review_api
from ui.tools import corpora, exporting, following, reading
from ui.tools.cases import CASE, CASES
from ui.tools.planning import PLAN
from ui.tools.questions import ANSWER, INVESTIGATE
from ui.tools.tool import Tool

TOOLS: tuple[Tool, ...] = (
    corpora.TOOL,
    PLAN,
    INVESTIGATE,
    following.TOOL,
    reading.TOOL,
    ANSWER,
    audit_api.TOOL,
    CASES,
    CASE,
    exporting.TOOL,
    judging_api.TOOL,
    grading_api.TOOL,
    review_api.TOOL,
)
