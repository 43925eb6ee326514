"""The tasks of a language model in a case, and their deterministic fallbacks.

A setting of the group "model" chooses for each task: ``plain`` is the fallback, ``model`` the language model
with that fallback. Without a model, or if it fails, the fallback is used and a note reports it.
"""

from engine.investigation.assistance.assistance import Assistance
from engine.investigation.assistance.cost import budget_of, expected_cost, with_prefix

__all__ = ["Assistance", "budget_of", "expected_cost", "with_prefix"]
