"""The Check view: its frame, and the one door to the server that its script knocks at."""

from __future__ import annotations

from functools import partial

import gradio as gr

from engine.corpus.grades import meanings
from engine.language.characters import escape
from ui.check.answers import CheckDesk, answer
from ui.panels import build_panel


def build_check(desk: CheckDesk) -> gr.HTML:
    """Build the view."""
    script = "redstring.check(element, server)"
    return build_panel("check", partial(answer, desk), desk.books.settings, _FRAME, script)


_GRADES = "".join(
    f'<option value="{grade.value}" title="{escape(words)}">{grade.value} or better</option>'
    for grade, words in meanings().items()
)
_FORM = (
    '<form class="chk-form" data-chk="form" autocomplete="off">'
    '<label class="field chk-paste"><span>Text to check</span><textarea data-chk="text" rows="12" dir="auto" '
    'placeholder="Paste a memo, an opinion, an answer of a chat bot …"></textarea></label>'
    '<label class="chk-drop"><input type="file" data-chk="file" '
    'accept=".txt,.md,.docx,.pdf,.html,.htm"><span>or drop a file: .txt, .md, .docx, .pdf</span></label>'
    '<label class="field"><span>Against</span><select data-chk="corpus"></select></label>'
    '<div class="chk-pair"><label class="field"><span>Law as of</span>'
    '<input type="date" data-chk="day"></label><label class="field"><span>Lowest grade</span>'
    f'<select data-chk="grade"><option value="">any</option>{_GRADES}</select></label></div>'
    '<label class="chk-model" data-chk="model-row" hidden><input type="checkbox" data-chk="model">'
    "<span>Second reading by the language model</span></label>"
    '<label class="field" data-chk="name-row" hidden><span>Your name, for the log</span>'
    '<input type="text" data-chk="name" maxlength="100" placeholder="optional" autocomplete="off" '
    'dir="auto"></label>'
    '<button type="submit" class="primary" data-chk="go">Check</button>'
    '<button type="button" class="second" data-chk="stop" hidden>Cancel</button>'
    '<p class="hint">Each claim is held against the sources: does one in force say so, and is it the one '
    "that is cited? Works without a language model.</p></form>"
)
_RESULT = (
    '<section class="chk-result" data-chk="result" hidden aria-label="What was found">'
    '<div class="chk-sum"><div class="chk-axes" data-chk="axes"></div>'
    '<div class="chk-filters" data-chk="filters" role="group" aria-label="Show only"></div>'
    '<div class="chk-files" data-chk="files" role="group" aria-label="Download"></div></div>'
    '<div class="chk-notes" data-chk="notes"></div>'
    '<div class="chk-both"><article class="chk-text" data-chk="shown" dir="auto" tabindex="0" '
    'aria-label="The text with its claims"></article>'
    '<ol class="chk-list" data-chk="list" aria-label="Claims"></ol></div></section>'
)
_FRAME = (
    f'<div class="lib chk"><aside class="lib-rail" aria-label="What is checked">{_FORM}</aside>'
    '<div class="lib-stage"><div data-chk="banner" class="banner-slot" aria-live="polite"></div>'
    '<div class="progress" data-chk="progress" hidden><div class="bar" role="progressbar" aria-valuemin="0" '
    'aria-valuemax="100" aria-label="Progress"><u></u></div><p data-chk="step" aria-live="polite"></p></div>'
    '<div class="empty" data-chk="waiting"><b>Is it true, and is it cited right?</b><p>Every claim of '
    "the text gets a verdict, the words of the source, and what differs.</p></div>"
    f"{_RESULT}</div></div>"
)
