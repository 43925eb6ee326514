"""Metrics, and runs over gold questions."""

from engine.evaluation.evaluate import Evaluation, evaluate
from engine.evaluation.questions import Question, read_questions

__all__ = ["Evaluation", "Question", "evaluate", "read_questions"]
