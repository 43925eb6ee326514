"""The Evaluate view: its frame, and the one door to the server that its script knocks at."""

from __future__ import annotations

from functools import partial

import gradio as gr

from engine.settings import Preset
from ui.evaluate.answers import EvaluationDesk, answer
from ui.evaluate.limits import MOST_ABLATED, MOST_QUESTIONS, START_QUESTIONS
from ui.panels import build_panel


def build_evaluation(desk: EvaluationDesk) -> gr.HTML:
    """Build the view."""
    script = "redstring.evaluation(element, server)"
    return build_panel("evaluation", partial(answer, desk), desk.books.settings, frame_html(), script)


def frame_html() -> str:
    """The frame that the script fills."""
    return (
        '<div class="lib eva" data-tab="gold">'
        f'<aside class="lib-rail" aria-label="What is measured">{_TABS}{_corpus()}{_GOLD}{_PAIR}</aside>'
        '<div class="lib-stage"><div data-eva="banner" class="banner-slot" aria-live="polite"></div>'
        f"{_RESULTS}{_SIDES}</div></div>"
    )


def _preset(name: str, label: str) -> str:
    options = "".join(
        f'<option value="{item.value}"{" selected" if item is Preset.BALANCED else ""}>'
        f"{item.value.capitalize()}</option>"
        for item in Preset
    )
    return f'<label class="field"><span>{label}</span><select name="{name}">{options}</select></label>'


def _corpus() -> str:
    return (
        '<label class="field"><span>Corpus</span>'
        '<select data-eva="corpus" aria-label="Corpus to be measured"></select></label>'
    )


def _side(letter: str) -> str:
    key = letter.lower()
    return (
        f'<fieldset class="eva-choice" data-side="{key}"><legend>{letter}</legend>'
        f"{_preset(f'preset-{key}', 'Depth')}"
        '<div class="eva-threads" data-eva="threads"></div>'
        '<label class="field eva-rounds"><span>Rounds</span>'
        f'<input type="number" name="rounds-{key}" min="0" max="5" step="1" required></label></fieldset>'
    )


_TABS = (
    '<div class="eva-switch" role="tablist" aria-label="What is measured">'
    '<button type="button" role="tab" data-eva-tab="gold" aria-selected="true">Gold questions</button>'
    '<button type="button" role="tab" data-eva-tab="pair" aria-selected="false">Two settings</button></div>'
)
_GOLD = (
    '<form class="eva-form" data-eva="gold-form" autocomplete="off">'
    '<label class="field"><span>Questions with known answers</span>'
    '<select data-eva="gold" aria-label="Gold questions"><option value="own">that come with the corpus'
    '</option><option value="files">from files of mine</option></select></label>'
    '<div class="eva-files" data-eva="files" hidden>'
    '<label class="field"><span>Questions: JSON lines, id and text</span>'
    '<input type="file" data-eva="queries" accept=".jsonl,.json,.gz"></label>'
    '<label class="field"><span>Judgements: qrels of BEIR or TREC</span>'
    '<input type="file" data-eva="qrels" accept=".tsv,.txt,.qrels,.gz"></label></div>'
    + _preset("preset", "Depth")
    + '<label class="field"><span>Questions, at most <output data-eva="count">'
    f"{START_QUESTIONS}</output></span>"
    f'<input type="range" data-eva="questions" min="5" max="{MOST_QUESTIONS}" step="5" '
    f'value="{START_QUESTIONS}"></label>'
    '<button type="submit" class="primary" data-eva="go">Evaluate</button>'
    '<button type="button" class="second" data-eva="ablate">What does each part add?</button>'
    '<button type="button" class="second" data-eva="stop" hidden>Cancel</button>'
    f'<p class="hint">What each part adds is measured on at most {MOST_ABLATED} questions, each asked some '
    "fifteen times. Whole sets: <code>python -m engine evaluate</code>.</p></form>"
)
_PAIR = (
    '<form class="eva-form" data-eva="pair-form" autocomplete="off" hidden>'
    '<label class="field"><span>Question</span><textarea data-eva="question" rows="4" maxlength="4000" '
    'dir="auto" placeholder="Ask in your own words"></textarea></label>'
    '<div class="chips" data-eva="chips" aria-label="Questions to start with"></div>'
    f"{_side('A')}{_side('B')}"
    '<button type="submit" class="primary" data-eva="compare">Compare</button></form>'
)
_RESULTS = (
    '<section data-eva="gold-stage" class="eva-stage" aria-label="Figures">'
    '<div class="progress" data-eva="progress" hidden><div class="bar" role="progressbar" '
    'aria-valuemin="0" aria-valuemax="100" aria-label="Progress"><u></u></div>'
    '<p data-eva="step" aria-live="polite"></p></div>'
    '<div class="empty" data-eva="waiting"><b>How good is it?</b><p>Questions whose answers are known are '
    "asked one by one; what the scan finds alone stands beside what the investigation finds.</p></div>"
    '<div data-eva="figures"></div><div data-eva="plots" class="plots"></div>'
    '<div data-eva="parts"></div></section>'
)
_SIDES = (
    '<section data-eva="pair-stage" class="eva-stage" aria-label="Two settings side by side" hidden>'
    '<div class="empty" data-eva="pair-waiting"><b>One question, two settings</b><p>Both rankings side by '
    "side; what only one of them found stands out.</p></div>"
    '<div data-eva="sides" aria-live="polite"></div></section>'
)
