from __future__ import annotations

from typing import Any

import gradio as gr
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import SettingsError
from engine.settings import FIGURES, InvestigationSettings, presets
from tests.ui.served import inside_a_loop
from ui.investigate.controls import Knob, component, knobs, settings_from, shown
from ui.models.choices import offered
from ui.page import build_page
from ui.shelf import Library

NAMES = list(InvestigationSettings.model_fields)


def test_at_most_a_dozen_stand_before_the_filters_and_more_settings(library: Library) -> None:
    page = inside_a_loop(lambda: build_page(library))
    ids = {"threads" if name == "strategies" else f"set-{name}": name for name in NAMES}

    def folded(block: Any) -> bool:
        return block is not None and (isinstance(block, gr.Accordion) or folded(block.parent))

    controls = [one for one in page.blocks.values() if getattr(one, "elem_id", None) in ids]
    assert {ids[str(one.elem_id)] for one in controls} == set(NAMES)
    shown_at_once = [ids[str(one.elem_id)] for one in controls if not folded(one)]
    assert len(shown_at_once) <= 12
    assert {"follow", "strategies", "rounds", "pool_size", "top_k"} <= set(shown_at_once)


@pytest.mark.parametrize("settings", presets().values(), ids=list(presets()))
def test_what_a_preset_shows_gives_the_preset_back(settings: InvestigationSettings) -> None:
    assert settings_from(shown(settings)) == settings


def _values(knob: Knob) -> st.SearchStrategy[Any]:
    """Values that a field of the settings may have."""
    if knob.name == "reranker":
        return st.sampled_from(offered())
    if knob.kind == "names" and knob.choices:
        return st.lists(st.sampled_from(knob.choices), unique=True).map(tuple)
    if knob.name == "stop_when":
        return st.lists(
            st.builds(
                "{} {} {}%".format,
                st.sampled_from(FIGURES),
                st.sampled_from(["<", ">="]),
                st.integers(0, 100),
            )
        )
    if knob.kind in ("names", "lines"):
        return st.lists(st.text()).map(tuple)
    if knob.kind == "choice":
        return st.sampled_from(knob.choices)
    low, high = knob.low, knob.high
    made: st.SearchStrategy[Any] = {
        "boolean": st.booleans(),
        "integer": st.integers(int(low or 0), int(high or 0)),
        "number": st.floats(low, high),
        "date": st.dates(),
        "string": st.text(),
    }[knob.kind]
    return st.none() | made if knob.optional else made


@given(st.fixed_dictionaries({}, optional={knob.name: _values(knob) for knob in knobs()}))
def test_what_the_controls_show_gives_any_settings_back(values: dict[str, Any]) -> None:
    settings = InvestigationSettings.model_validate(values)
    assert settings_from(shown(settings)) == settings


@pytest.mark.parametrize(
    ("typed", "held"),
    [
        ("power of attorney, general\nproxy", ("power of attorney, general", "proxy")),
        ("  one \n\n two\tthree\r\n", ("one", "two three")),
        ("[]", ("[]",)),
        ("", ()),
    ],
)
def test_a_phrase_may_hold_a_comma_and_has_its_own_line(typed: str, held: tuple[str, ...]) -> None:
    assert settings_from({"must_include": typed}).must_include == held


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("rounds", 9, "rounds"),
        ("rounds", None, "rounds: nothing is given; give a number from 0 to 5"),
        ("as_of", "yesterday", "as_of"),
        ("query_strategy", "magic", "query_strategy"),
        ("stop_when", "fame > 1", "stop_when: .*'fame' is not a figure"),
        ("retrievers", "['bm25'", "retrievers|bm25"),
        ("nonsense", 1, "'nonsense' is no setting"),
    ],
)
def test_a_wrong_value_is_named_in_one_line(name: str, value: Any, words: str) -> None:
    with pytest.raises(SettingsError, match=words) as caught:
        settings_from({name: value})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("knob", knobs(), ids=lambda knob: knob.name)
def test_every_control_starts_with_a_value_that_it_can_show(knob: Knob) -> None:
    control = component(knob)
    for settings in presets().values():
        value = shown(settings)[knob.name]
        if isinstance(control, gr.Slider):
            assert control.minimum <= value <= control.maximum
            assert value / control.step == pytest.approx(round(value / control.step))
        elif isinstance(control, gr.CheckboxGroup):
            assert isinstance(value, list)
            assert set(value) <= {name for _, name in control.choices}
        elif isinstance(control, gr.Textbox):
            assert isinstance(value, str)
        elif isinstance(control, gr.Checkbox):
            assert isinstance(value, bool)
        else:
            assert isinstance(control, gr.Radio | gr.Dropdown)
            assert value in [name for _, name in control.choices]
