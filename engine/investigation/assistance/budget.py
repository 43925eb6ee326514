"""What a language model may use in one case, as the settings say."""

from __future__ import annotations

from engine.llm import Budget
from engine.settings import InvestigationSettings


def budget_of(settings: InvestigationSettings) -> Budget:
    """The budget of a case; its seconds end with those of the run."""
    limits = (settings.model_seconds, settings.time_budget)
    seconds = min((limit for limit in limits if limit is not None), default=None)
    return Budget(settings.call_budget, settings.token_budget, seconds, settings.money_budget)
