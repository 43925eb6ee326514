from __future__ import annotations

from datetime import date

import pytest

from engine.records.text import changed_fields, day_words, nearest, settings_words, value_words
from engine.settings import InvestigationSettings, Preset, preset


@pytest.mark.parametrize("name", Preset)
def test_a_preset_is_told_by_its_name_alone(name: Preset) -> None:
    assert nearest(preset(name)) is name
    assert settings_words(preset(name)) == name.value.capitalize()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (preset("balanced").changed(rounds=4), "Balanced, changed: rounds 4"),
        (
            preset("quick").changed(as_of=date(2020, 1, 2), close_gaps=False),
            "Quick, changed: close gaps off, as of 2020-01-02",
        ),
        (
            preset("detective").changed(
                rounds=1, pool_size=100, top_k=1, follow=False, citation_direction="out"
            ),
            "Detective, changed: follow off, rounds 1, pool size 100 and 2 more",
        ),
        (
            InvestigationSettings(must_include=("a, b", "c")),
            "Balanced, changed: must include “a, b”; “c”",
        ),
    ],
)
def test_what_was_changed_is_told(settings: InvestigationSettings, words: str) -> None:
    assert settings_words(settings) == words


def test_the_order_in_which_names_were_ticked_changes_nothing() -> None:
    balanced = preset(Preset.BALANCED)
    turned = balanced.changed(strategies=balanced.strategies[::-1], retrievers=balanced.retrievers[::-1])
    assert list(changed_fields(turned, balanced)) == []


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "none"),
        ((), "none"),
        (True, "on"),
        (False, "off"),
        (0, "0"),
        (0.14, "0.14"),
        (("a", "b"), "a, b"),
    ],
)
def test_values_in_words(value: object, words: str) -> None:
    assert value_words(value) == words


def test_a_day_in_words() -> None:
    assert day_words(date(2026, 11, 2)) == "2 Nov 2026"
