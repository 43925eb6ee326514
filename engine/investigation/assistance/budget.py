"""What a language model may use in one case, as the settings say."""

from __future__ import annotations

from engine.llm import Budget
from engine.settings import InvestigationSettings


def budget_of(settings: InvestigationSettings) -> Budget:
    """The budget of a case; its seconds end with those of the run."""
    return Budget(settings.call_budget, settings.token_budget, settings.time_budget, settings.money_budget)
