"""Settings: every knob explained, bounds kept, one line for what is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from engine.errors import InputError, SettingsError
from engine.investigation.strategies.base import strategy
from engine.settings import InvestigationSettings, Preset, checked, preset, presets

FIELDS = InvestigationSettings.model_fields


@pytest.mark.parametrize("name", list(FIELDS))
def test_every_knob_has_meaning_unit_and_group(name: str) -> None:
    field = FIELDS[name]
    assert field.description
    assert field.description.endswith(".")
    extra = field.json_schema_extra
    assert isinstance(extra, dict)
    assert extra["unit"]
    assert extra["group"] in {"main", "filters", "search", "stopping", "model"}


@pytest.mark.parametrize("name", list(Preset))
def test_presets_are_valid_and_name_known_strategies(name: str) -> None:
    chosen = preset(name)
    assert chosen == presets()[Preset(name)]
    assert checked(chosen.model_dump()) == chosen
    assert [strategy(item).name for item in chosen.strategies] == list(chosen.strategies)


def test_presets_grow_from_a_quick_look_to_every_thread() -> None:
    order = [preset(name) for name in Preset if name is not Preset.AUTO]
    for name in ("rounds", "pool_size", "top_k"):
        values = [getattr(settings, name) for settings in order]
        assert values == sorted(values), name


def test_an_unknown_preset_is_refused_with_the_known_ones() -> None:
    with pytest.raises(SettingsError, match="unknown preset 'fast'; known presets: auto, quick, balanced"):
        preset("fast")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rounds": 6}, r"rounds: .*less than or equal to 5 \(given: 6\)"),
        ({"rounds": -1}, "rounds: "),
        ({"stop_when": "coverage is 1"}, "stop_when: .*'coverage is 1' is not a condition: write it as"),
        ({"stop_when": "fame > 0.5"}, "stop_when: .*'fame' is not a figure of a case; known figures"),
        ({"stop_when": "coverage > 0.5 and"}, "stop_when: .*is not a condition"),
        ({"stop_when": "passages >= 30%"}, "stop_when: .*passages are counted; write a number without %"),
        ({"stop_when": "coverage > 2"}, "stop_when: .*a figure must be between 0 and 1"),
        ({"model_tasks": "cooking"}, "model_tasks: .*'cooking' is no task .*; known: sub-questions"),
        ({"strategies": 5}, "strategies: "),
    ],
)
def test_what_is_wrong_is_named_in_one_line(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message) as caught:
        InvestigationSettings().changed(**changes)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, InputError)


def test_conditions_are_kept_in_one_way_and_once() -> None:
    settings = InvestigationSettings().changed(
        stop_when=["coverage>=.9", "coverage >= 90 %", "efficiency<0.1 and passages>=30"]
    )
    assert settings.stop_when == ("coverage >= 0.9", "efficiency < 0.1 and passages >= 30")
    assert settings.changed(rounds=3).stop_when == settings.stop_when


def test_there_are_few_enough_to_be_read() -> None:
    assert len(FIELDS) <= 33
