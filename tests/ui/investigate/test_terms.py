from __future__ import annotations

import re
from datetime import UTC, date, datetime

from engine.settings import InvestigationSettings
from ui.investigate.controls import Terms, terms_step


def step(settings: InvestigationSettings) -> str:
    return terms_step(Terms(settings, datetime(2026, 11, 2, 9, 5, tzinfo=UTC), date(2020, 1, 2)))


def test_every_setting_stands_in_the_table_and_those_that_were_changed_are_marked() -> None:
    html = step(InvestigationSettings(rounds=4, retrievers=("bm25",)))
    rows = re.findall(r'<tr( class="changed")? data-setting="(\w+)">', html)
    assert {name for _, name in rows} == set(InvestigationSettings.model_fields)
    assert {name for mark, name in rows if mark} == {"rounds", "retrievers"}
    assert "2 Nov 2026, 09:05 UTC" in html
    assert "law of 2 Jan 2020" in html


def test_what_was_typed_is_no_markup() -> None:
    html = step(InvestigationSettings(must_include=("<img src=x onerror=alert(1)>",)))
    assert "<img" not in html
    assert html.count("&lt;img") == 2
