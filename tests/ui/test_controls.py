from __future__ import annotations

from typing import Any

import gradio as gr
import pytest

from engine.errors import SettingsError
from engine.settings import PRESETS, InvestigationSettings
from ui.controls import GROUP_TITLES, component, knobs, settings_from, shown_value

NAMES = list(InvestigationSettings.model_fields)


def test_every_field_has_a_control_in_a_known_group() -> None:
    assert [knob.name for knob in knobs()] == NAMES
    assert {knob.group for knob in knobs()} == {"main", *GROUP_TITLES}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("rounds", gr.Slider),
        ("dense_threshold", gr.Slider),
        ("views", gr.Checkbox),
        ("fusion", gr.Radio),
        ("as_of", gr.Textbox),
        ("stop_confidence", gr.Textbox),
        ("call_budget", gr.Textbox),
        ("transaction_type", gr.Textbox),
    ],
)
def test_the_kind_of_a_field_decides_its_component(name: str, kind: type[gr.components.Component]) -> None:
    knob = next(knob for knob in knobs() if knob.name == name)
    assert isinstance(component(knob), kind)


def test_a_slider_has_the_bounds_of_its_field() -> None:
    slider = component(next(knob for knob in knobs() if knob.name == "pool_size"))
    assert isinstance(slider, gr.Slider)
    assert (slider.minimum, slider.maximum, slider.value) == (100, 2000, 500)


@pytest.mark.parametrize("settings", PRESETS.values(), ids=list(PRESETS))
def test_what_a_preset_shows_gives_the_preset_back(settings: InvestigationSettings) -> None:
    shown = [shown_value(name, settings) for name in NAMES]
    assert settings_from(NAMES, shown) == settings


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("rounds", 9, "rounds"),
        ("as_of", "yesterday", "as_of"),
        ("fusion", "magic", "fusion"),
        ("gate_threshold", 2, "gate"),
    ],
)
def test_a_wrong_value_is_named_in_one_line(name: str, value: Any, words: str) -> None:
    with pytest.raises(SettingsError, match=words) as caught:
        settings_from([name], [value])
    assert "\n" not in str(caught.value)


def test_a_date_and_an_empty_field() -> None:
    settings = settings_from(["as_of", "transaction_type", "time_budget"], [" 2024-01-31 ", " ", "1.5"])
    assert settings.as_of is not None
    assert settings.as_of.isoformat() == "2024-01-31"
    assert settings.transaction_type is None
    assert settings.time_budget == 1.5
