"""The left rail: the question, and everything that decides how it is investigated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import gradio as gr
from gradio.components import Component

from engine.settings import Preset, preset
from ui.controls import GROUP_TITLES, Knob, component, knobs, shown_value
from ui.palette import colour, thread
from ui.shelf import Example, Library

START = Preset.BALANCED
FEWEST_ROUNDS = 1
SHOWN_CHIPS = 4


@dataclass(frozen=True, slots=True)
class Rail:
    """The rail's components. ``settings`` maps fields of the settings to their controls."""

    question: gr.Textbox
    go: gr.Button
    cancel: gr.Button
    chips: gr.HTML
    corpus: gr.Dropdown
    depth: gr.Radio
    settings: dict[str, Component]


def build_rail(library: Library, strategies: Sequence[str]) -> Rail:
    """Build the rail inside the column that is open."""
    question = gr.Textbox(
        label="Question", lines=3, max_lines=8, elem_id="question", interactive=True, max_length=4000,
        placeholder="Ask in your own words", container=True,
    )  # fmt: skip
    go = gr.Button("Investigate", variant="primary", elem_id="go")
    cancel = gr.Button("Cancel", elem_id="cancel")
    chips = gr.HTML(
        chips_html(library.examples(None)), elem_id="chips", apply_default_css=False,
        js_on_load="redstring.chips(element)",
    )  # fmt: skip
    gr.HTML(
        '<button type="button" id="fold" aria-expanded="false">Settings</button>', elem_id="fold-bar",
        apply_default_css=False, js_on_load="redstring.fold(element)",
    )  # fmt: skip
    corpus = gr.Dropdown(
        library.names, value=library.names[0], label="Corpus", elem_id="corpus", interactive=True,
        elem_classes=["fold"], visible=len(library.names) > 1,
    )  # fmt: skip
    depth = gr.Radio(
        [(choice.value.capitalize(), choice.value) for choice in Preset], value=START.value, label="Depth",
        elem_id="depth", interactive=True, elem_classes=["fold"],
    )  # fmt: skip
    return Rail(question, go, cancel, chips, corpus, depth, _settings(strategies))


def _settings(strategies: Sequence[str]) -> dict[str, Component]:
    by_name = {knob.name: knob for knob in knobs()}
    start = preset(START)
    built: dict[str, Component] = {
        "strategies": gr.CheckboxGroup(
            [(thread(name).title, name) for name in strategies],
            value=list(start.strategies),
            label="Follow these threads",
            elem_id="threads",
            interactive=True,
            elem_classes=["fold"],
        )
    }
    gr.HTML(f"<style>{_thread_colours(strategies)}</style>", apply_default_css=False, visible="hidden")
    main = [knob for knob in by_name.values() if knob.group == "main" and knob.name != "strategies"]
    for knob in sorted(main, key=lambda knob: knob.kind != "boolean"):
        built[knob.name] = _main_control(knob)
    with gr.Accordion("More settings", open=False, elem_id="more", elem_classes=["fold"]):
        for group, title in GROUP_TITLES.items():
            gr.HTML(f'<span class="h">{title}</span>', apply_default_css=False)
            built.update({knob.name: component(knob) for knob in by_name.values() if knob.group == group})
    return {name: built[name] for name in by_name}


def _main_control(knob: Knob) -> Component:
    control = component(knob)
    control.elem_classes = ["fold", "main-knob"]
    if knob.name == "close_gaps":
        control.label = thread("gaps").title
    if knob.name == "rounds" and isinstance(control, gr.Slider):
        control.minimum = FEWEST_ROUNDS
    if knob.name == "pool_size":
        control.label = "Pool limit"
    if knob.name == "top_k":
        control.label = "Passages to rank"
    return control


def _thread_colours(strategies: Sequence[str]) -> str:
    return "".join(
        f'#threads input[name="{escape(name)}"]{{--c:{colour(name)}!important}}' for name in strategies
    )


def chips_html(examples: Sequence[Example]) -> str:
    """Example questions as chips; a chip shows a title and asks the whole question."""
    chips = "".join(
        f'<button type="button" class="chip" dir="auto" lang="{escape(example.language)}" '
        f'data-question="{escape(example.text)}" title="{escape(example.text)}">'
        f"{escape(example.title)}</button>"
        for example in examples
    )
    spare = len(examples) - SHOWN_CHIPS
    rest = f'<button type="button" class="chip rest">+{spare}</button>' if spare > 0 else ""
    return f'<div class="chips">{chips}{rest}</div>' if chips else ""


def wire_rail(rail: Rail, library: Library, facts: gr.HTML, facts_html: Any) -> None:
    """A preset sets every control; another corpus brings its own examples and facts."""
    names = list(rail.settings)

    def apply_preset(name: str) -> list[Any]:
        chosen = preset(name)
        return [shown_value(field, chosen) for field in names]

    def change_corpus(name: str) -> tuple[str, str]:
        return chips_html(library.examples(name)), facts_html(name)

    rail.depth.input(
        apply_preset, rail.depth, list(rail.settings.values()), api_visibility="private",
        show_progress="hidden", queue=False,
    )  # fmt: skip
    rail.corpus.input(
        change_corpus, rail.corpus, [rail.chips, facts], api_visibility="private", show_progress="hidden",
        queue=False,
    )  # fmt: skip
