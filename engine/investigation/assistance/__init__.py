"""What a language model may do in a case, and the deterministic fallback of each.

A setting of the group "model" says who does it: ``plain`` is the fallback, ``model`` the language model with
the fallback behind it. Without a model, or where it fails, a note says so and the fallback goes on.
"""

from engine.investigation.assistance.assistance import Assistance
from engine.investigation.assistance.cost import budget_of, expected_cost, with_prefix

__all__ = ["Assistance", "budget_of", "expected_cost", "with_prefix"]
