"""The place under the coverage of a case where the rules of its corpus are applied; its script fills it."""

from __future__ import annotations

from engine.language.characters import attribute
from engine.settings import InvestigationSettings
from ui.session import OpenCase


def rules_slot(opened: OpenCase) -> str:
    """An empty place that names the case's corpus, question, day and transaction; nothing without rules."""
    ontology = opened.corpus.ontology
    if ontology is None or not ontology.rules:
        return ""
    settings: InvestigationSettings = opened.case.settings
    return (
        f'<div class="rules-slot" data-corpus="{attribute(opened.shelved_as)}" '
        f'data-question="{attribute(opened.question)}" data-day="{opened.case.as_of.isoformat()}" '
        f'data-kind="{attribute(settings.transaction_type or "")}"></div>'
    )
