from __future__ import annotations

import gradio as gr
import pytest

from engine.errors import SettingsError
from engine.operator_settings import OperatorSettings
from ui.controls import component, knobs, settings_from, shown
from ui.rerankers import VARIABLE, offered, spec_of, title


def test_nothing_is_offered_unless_somebody_offers_it() -> None:
    assert offered(OperatorSettings()) == ("none", "llm")
    assert offered(OperatorSettings(rerankers=("ce:/models/mine?languages=en,de", "ce:org/name"))) == (
        "none",
        "llm",
        "ce:/models/mine?languages=en,de",
        "ce:org/name",
    )


@pytest.mark.parametrize("given", ["magic", "ce:", "ce:m?lang=en"])
def test_a_wrong_offer_is_named(given: str) -> None:
    with pytest.raises(SettingsError, match=f"{VARIABLE}: unknown"):
        offered(OperatorSettings(rerankers=(given,)))


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("none", "none"),
        ("ce:cross-encoder/ms-marco-MiniLM-L6-v2?languages=en", "ms-marco-MiniLM-L6-v2"),
        ("ce:/models/mine/", "mine"),
        ("llm", "the language model"),
    ],
)
def test_titles(spec: str, expected: str) -> None:
    assert title(spec) == expected


def test_a_visitor_cannot_make_the_page_load_a_model() -> None:
    assert spec_of("none", OperatorSettings()) == "none"
    for name in ("ce:somebody/else", "ce:/etc", "", "NONE", ["none"], None, 1):
        with pytest.raises(SettingsError, match=r"that this page offers|nothing is given"):
            settings_from({"reranker": name})


def test_a_name_stands_for_one_reranker() -> None:
    with pytest.raises(SettingsError, match="two rerankers are called 'mine'"):
        spec_of("mine", OperatorSettings(rerankers=("ce:/models/mine", "ce:org/mine")))


def test_the_control_is_a_list_of_what_is_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "ce:/srv/models/name?languages=en")
    control = component(next(knob for knob in knobs() if knob.name == "reranker"))
    assert isinstance(control, gr.Dropdown)
    assert control.choices == [("none", "none"), ("the language model", "llm"), ("name", "name")]
    assert control.value == "none"
    assert settings_from({"reranker": "name"}).reranker == "ce:/srv/models/name?languages=en"
    # What is shown of the settings gives them back, and no folder stands in it.
    assert shown(settings_from({"reranker": "name"}))["reranker"] == "name"
