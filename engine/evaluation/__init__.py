"""Metrics, and runs over gold questions."""

from engine.evaluation.evaluate import Evaluation, evaluate, judged, summarise
from engine.evaluation.questions import Question, read_questions
from engine.evaluation.results import QuestionResult

__all__ = ["Evaluation", "Question", "QuestionResult", "evaluate", "judged", "read_questions", "summarise"]
