"""The dialog of the language model: its frame."""

from __future__ import annotations

import json
from collections.abc import Mapping

import gradio as gr
from gradio.components import Component

from engine.language.characters import attribute, escape
from engine.llm.connection import OPENAI_URL
from ui.calls import build_panel
from ui.models.servers import CALLS, ConnectingDesk

# Servers with a supported protocol, and their default addresses. Those on the visitor's own machine are
# offered only if the page is served from that machine.
PRESETS = (
    ("openai", "OpenAI", OPENAI_URL, False),
    ("ollama", "Ollama", "http://localhost:11434/v1", True),
    ("vllm", "vLLM", "http://localhost:8000/v1", True),
    ("llamacpp", "llama.cpp", "http://localhost:8080/v1", True),
    ("other", "Another server", "", False),
)

# The settings for a case's budget of its language model.
BUDGET = ("call_budget", "token_budget", "time_budget", "money_budget")


def build_models(desk: ConnectingDesk) -> gr.HTML:
    """Build the dialog; it is closed until the user opens it."""
    script = "redstring.model(element, server, () => trigger('budget'))"
    return build_panel("model", desk, CALLS, desk.connections.settings, frame_html(), script)


def wire_budget(panel: gr.HTML, settings: Mapping[str, Component]) -> None:
    """Copy the budget from the dialog to the settings, in the browser."""
    panel.budget(
        None, None, [settings[name] for name in BUDGET], api_visibility="private", show_progress="hidden",
        js=f"() => redstring.budget({json.dumps(BUDGET)})",
    )  # fmt: skip


def frame_html() -> str:
    """Return the frame that the script fills."""
    providers = "".join(
        f'<option value="{key}" data-url="{attribute(url)}"{" data-local" if local else ""}>'
        f"{escape(name)}</option>"
        for key, name, url, local in PRESETS
    )
    return _FRAME.replace("PROVIDERS", providers)


def _field(label: str, control: str, hint: str = "") -> str:
    small_print = f"<small>{hint}</small>" if hint else ""
    return f'<label class="field"><span>{label}</span>{control}{small_print}</label>'


def _amount(key: str, label: str, hint: str = "", *, step: str = "any") -> str:
    least = "1" if step == "1" else "0"
    control = f'<input type="number" min="{least}" step="{step}" inputmode="decimal" data-model="{key}">'
    return _field(label, control, hint)


_OWN = (
    '<div data-model="own" class="model-own">'
    + _field("Provider", '<select data-model="provider">PROVIDERS</select>')
    + _field(
        "Address",
        '<input type="url" data-model="url" spellcheck="false" autocomplete="off" autocapitalize="off" '
        'placeholder="https://host/v1">',
    )
    + '<div class="model-name">'
    + _field(
        "Model",
        '<input type="text" data-model="name" list="model-names" spellcheck="false" autocomplete="off" '
        'autocapitalize="off" maxlength="200">',
    )
    + '<datalist id="model-names"></datalist>'
    '<button type="button" data-do="list">List models</button></div>'
    + _field(
        "Key",
        '<input type="password" data-model="key" autocomplete="off" spellcheck="false" autocapitalize="off" '
        'data-1p-ignore data-lpignore="true" data-bwignore maxlength="500">',
        "Held in memory for this page only, until you disconnect or leave.",
    )
    + "</div>"
)
_PRICES = (
    '<details class="model-more"><summary>Prices and context</summary><div class="model-grid">'
    + _amount("input", "Tokens in, per million")
    + _amount("cached", "Cached, per million")
    + _amount("output", "Tokens out, per million")
    + _field("Currency", '<input type="text" data-model="currency" maxlength="3" placeholder="USD">')
    + _amount("context", "Context, tokens", "Context window in tokens (Ollama: num_ctx).", step="1")
    + '</div><p class="hint">Without prices, tokens are counted and money is not.</p></details>'
)
_BUDGET = (
    '<details class="model-more"><summary>Budget of one investigation</summary><div class="model-grid">'
    + _amount("budget-calls", "Calls", step="1")
    + _amount("budget-tokens", "Tokens", step="1")
    + _amount("budget-seconds", "Seconds")
    + _amount("budget-money", "Money")
    + '</div><p class="hint">At most. When it is used up the model is asked no more, and the case goes on '
    "without it.</p></details>"
)
_SENT = (
    '<details class="model-more"><summary>What is sent to it</summary>'
    "<ul><li>The question, and words that name what it is about.</li>"
    "<li>Passages of the corpus that the case found, headings and defined terms.</li>"
    "<li>Texts that you paste to be checked.</li></ul>"
    '<p class="hint">Only when you use it, and only to the server above. What it answers is checked against '
    "the corpus: every quote must be there, word for word.</p></details>"
)
_FRAME = (
    '<dialog class="model-dialog" aria-labelledby="model-title"><div class="model-head">'
    '<h2 id="model-title">Language model</h2>'
    '<button type="button" data-do="close" aria-label="Close">'
    '<svg width="14" height="14" viewBox="0 0 14 14" fill="none" stroke="currentColor" stroke-width="1.6" '
    'aria-hidden="true"><path d="M3 3l8 8M11 3l-8 8"/></svg></button></div>'
    '<form class="model-body" method="dialog" autocomplete="off"><div class="model-now" data-model="now">'
    '<i class="dot"></i>'
    '<span data-model="told"></span>'
    '<button type="button" data-do="forget" hidden>Disconnect</button></div>'
    f'{_OWN}<div class="model-result" data-model="result" role="status" aria-live="polite"></div>'
    '<div class="form-acts" data-model="acts"><button type="submit" class="primary" data-do="connect">Connect'
    '</button><button type="button" data-do="test">Test connection</button></div>'
    f"{_PRICES}{_BUDGET}{_SENT}</form></dialog>"
)
