"""One switch for everything that a language model may help with, and what a case would cost with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from typing import Any

import gradio as gr
from gradio.components import Component

from ui.controls import knobs

BY_MODEL = "model"
Estimate = Callable[..., str]


def helpers() -> Mapping[str, str]:
    """Settings that a language model may take over, with what each is without one."""
    return {knob.name: str(knob.default) for knob in knobs() if BY_MODEL in knob.choices}


def build_assist() -> tuple[gr.Checkbox, gr.HTML]:
    """Build the switch and the line beneath it. Both are seen only where a model is connected."""
    switch = gr.Checkbox(False, label="Use the language model", elem_id="use-model", interactive=True)
    cost = gr.HTML("", elem_id="expected-cost", apply_default_css=False)
    return switch, cost


def cost_line(words: str) -> str:
    """The line beneath the switch."""
    return f'<p class="expected">{escape(words)}</p>' if words else ""


def wire_assist(
    switch: gr.Checkbox,
    settings: Mapping[str, Component],
) -> None:
    """The switch turns every helper on or off; a helper that is changed by hand changes the switch."""
    names = list(helpers())

    def turn(on: bool) -> list[Any]:
        return [BY_MODEL if on else without for without in helpers().values()]

    def turned(*values: Any) -> bool:
        return all(value == BY_MODEL for value in values)

    chosen = [settings[name] for name in names]
    switch.input(turn, switch, chosen, api_visibility="private", show_progress="hidden", queue=False)
    for control in chosen:
        assert isinstance(control, gr.Radio | gr.Dropdown)
        control.input(turned, chosen, switch, api_visibility="private", show_progress="hidden", queue=False)
