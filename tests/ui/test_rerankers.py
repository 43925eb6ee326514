from __future__ import annotations

import gradio as gr
import pytest

from engine.errors import SettingsError
from engine.operator_settings import OperatorSettings
from ui import rerankers
from ui.controls import component, knobs, settings_from
from ui.rerankers import VARIABLE, check_offered, offered, title


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
    check_offered("none", OperatorSettings())
    with pytest.raises(SettingsError, match="not among those that this page offers"):
        settings_from({"reranker": "ce:somebody/else"})


def test_the_control_is_a_list_of_what_is_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "ce:org/name")
    control = component(next(knob for knob in knobs() if knob.name == "reranker"))
    assert isinstance(control, gr.Dropdown)
    assert control.choices == [("none", "none"), ("the language model", "llm"), ("name", "ce:org/name")]
    assert control.value == "none"
    assert settings_from({"reranker": "ce:org/name"}).reranker == "ce:org/name"
    assert rerankers.offered() == ("none", "llm", "ce:org/name")
