from __future__ import annotations

import re
from datetime import date
from html import unescape
from typing import Any, cast

from engine.corpus.ontology import checked, ontology_from
from engine.settings import InvestigationSettings
from ui.investigate.case_views import rules_slot
from ui.open_case import OpenCase

RULES = {
    "facts": [{"id": "days_late", "type": "number"}],
    "rules": [{"id": "late", "when": "days_late > 3", "then": "late"}],
}


class Asked:
    """As much of a case as the place for its rules looks at."""

    def __init__(self, question: str, content: Any, **settings: Any) -> None:
        self.question, self.corpus_name, self.case, self.corpus = question, 'A "B"', self, self
        self.settings = InvestigationSettings(**settings)
        self.as_of = self.settings.as_of or date(2026, 1, 1)
        self.ontology = None if content is None else ontology_from(checked(content))


def slot(*given: Any, **settings: Any) -> str:
    return rules_slot(cast(OpenCase, Asked(*given, **settings)))


def test_a_corpus_without_rules_has_no_place_for_them() -> None:
    assert slot("why?", None) == ""
    assert slot("why?", {"areas": [{"id": "a"}]}) == ""


def test_the_place_names_the_case_and_is_escaped() -> None:
    html = slot('<b>"why"</b>', RULES, as_of=date(2024, 1, 31), transaction_type="sale")
    assert "<b>" not in html
    assert re.findall('data-corpus="(.*?)"', html) == ["A &#34;B&#34;"]
    assert unescape(re.findall('data-question="(.*?)"', html)[0]) == '<b>"why"</b>'
    assert 'data-day="2024-01-31"' in html
    assert 'data-kind="sale"' in html
