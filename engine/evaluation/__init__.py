"""Metrics, and evaluation runs over gold questions."""

from engine.evaluation.evaluate import Evaluation, evaluate, judge_questions, summarise
from engine.evaluation.metrics import QuestionResult
from engine.evaluation.questions import Question, read_questions

__all__ = [
    "Evaluation",
    "Question",
    "QuestionResult",
    "evaluate",
    "judge_questions",
    "read_questions",
    "summarise",
]
