"""The sidebar: the question, and all settings of its investigation."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr
from gradio.components import Component
from gradio.events import Dependency

from engine.corpus.protocol import Corpus
from engine.investigation.facets import NONE
from engine.language.characters import attribute, marked
from engine.settings import AUTO, Preset, preset
from engine.strategy_registry import load_strategies
from engine.verbs.verb import LONGEST_QUESTION
from ui.investigate.controls import (
    GROUP_HINTS,
    GROUP_TITLES,
    RERANKER,
    Knob,
    component,
    knob_of,
    knobs,
    shown,
    title_of_choice,
)
from ui.investigate.costs import build_assist
from ui.palette import colour
from ui.server.login import person_of
from ui.shelf import Example, Library
from ui.templating import rendered

# Filters of an investigation: a date, and metadata of documents, chosen from the corpus.

# Filters whose choices come from the corpus.
CHOSEN = ("types", "documents", "languages", "issuers", "statuses")
MOST_CHOICES = 1000
TRANSACTION = "transaction_type"
# The number of choices that every corpus with kinds of transactions has in addition to them.
FIXED_KINDS = 2
OF_CORPUS = (*CHOSEN, TRANSACTION)
Choices = list[tuple[str, str]]


def choices_of(corpus: Corpus) -> dict[str, Choices]:
    """Return the choices of a corpus for each filter as (words, value), the most frequent first."""
    documents = corpus.documents()
    named = [(marked(document.title or document.id), document.id) for document in documents]
    return {
        "types": _counted(document.type for document in documents),
        "documents": sorted(named, key=lambda pair: pair[0].casefold())[:MOST_CHOICES],
        "languages": _counted(document.language for document in documents if document.language != "und"),
        "issuers": _counted(document.issuer for document in documents),
        "statuses": _counted(document.status for document in documents),
    }


def _counted(values: Iterable[str | None]) -> Choices:
    counts = Counter(value for value in values if value)
    return [(f"{marked(value)} ({count:,})", value) for value, count in counts.most_common(MOST_CHOICES)]


def build_date(knob: Knob) -> Component:
    """Build the field for the day on which provisions must be in force; the page makes it a calendar."""
    return gr.Textbox(
        value="", label=knob.label, info=f"{knob.meaning} Empty: today's law.", max_lines=1,
        elem_id=f"set-{knob.name}", interactive=True, elem_classes=["fold"],
    )  # fmt: skip


def build_transaction(knob: Knob, corpus: Corpus) -> Component:
    """Build the field for the kind of transaction, if the corpus's ontology has kinds."""
    given = transactions_of(corpus)
    return gr.Dropdown(
        given, value=AUTO, label=knob.label, info=knob.meaning, elem_id=f"set-{knob.name}", interactive=True,
        visible=len(given) > FIXED_KINDS, elem_classes=["fold", "main-knob"],
    )  # fmt: skip


def transactions_of(corpus: Corpus) -> Choices:
    """Return the kinds of transactions of a corpus's ontology, after the choices AUTO and NONE."""
    known = () if corpus.ontology is None else corpus.ontology.transactions
    knob = knob_of(TRANSACTION)
    return [(title_of_choice(knob, name), name) for name in (AUTO, NONE, *known)]


def same_transaction(corpus: Corpus, chosen: str | None) -> Any:
    """Return the kinds of transactions of a corpus whose areas may have been edited; the current choice is
    kept if it still exists."""
    kinds = transactions_of(corpus)
    gone = {} if chosen in [value for _, value in kinds] else {"value": AUTO}
    return gr.update(choices=kinds, visible=len(kinds) > FIXED_KINDS, **gone)


def build_filters(knobs: Iterable[Knob], corpus: Corpus) -> dict[str, Component]:
    """Build the controls of the filters inside the open accordion; returns them by the names of their
    settings."""
    given = choices_of(corpus)
    built: dict[str, Component] = {}
    for knob in knobs:
        if knob.name in CHOSEN:
            built[knob.name] = gr.Dropdown(
                given[knob.name], value=[], multiselect=True, label=knob.label,
                elem_id=f"set-{knob.name}", interactive=True, filterable=True,
                visible=_offers(knob.name, given[knob.name]),
            )  # fmt: skip
        else:
            built[knob.name] = component(knob)
    return built


def refreshed(corpus: Corpus) -> dict[str, Any]:
    """Return the updates of the filters for another corpus: its choices, none selected."""
    given, kinds = choices_of(corpus), transactions_of(corpus)
    lists = {
        name: gr.update(choices=given[name], value=[], visible=_offers(name, given[name])) for name in CHOSEN
    }
    return {**lists, TRANSACTION: gr.update(choices=kinds, value=AUTO, visible=len(kinds) > FIXED_KINDS)}


def nothing_chosen() -> list[Any]:
    """Return the empty values of the filters, in the order of ``OF_CORPUS``."""
    return [[] if name in CHOSEN else AUTO if name == TRANSACTION else "" for name in OF_CORPUS]


def _offers(name: str, choices: Choices) -> bool:
    """Return whether there is a choice to make: a single type for all documents is no choice."""
    return len(choices) > 1 or (name == "statuses" and bool(choices))


START = Preset.AUTO
SHOWN_CHIPS = 3
FILTERS = "filters"
# A preset sets the depth of a case; the filters and the choice of model are kept.
KEPT = frozenset({FILTERS, "model"})
FOLLOW = "follow"
_QUIETLY: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
# What each depth does, in one line under the choice.
_DEPTHS = {
    Preset.AUTO: "As many rounds as the question needs, up to 1,000 passages.",
    Preset.QUICK: "One round along references, up to 200 passages.",
    Preset.BALANCED: "Two rounds along four threads, up to 500 passages.",
    Preset.THOROUGH: "Three rounds along four threads, up to 1,000 passages.",
    Preset.DETECTIVE: "Four rounds along eight threads, up to 2,000 passages.",
}
_NOTE = (
    f"<small>{_DEPTHS[START]}</small>"
    '<p role="status" hidden><span></span> <button type="button">reset</button></p>'
)
_IN_MATTER = (
    '<a class="skip" href="#ranked">Skip to the passages</a>'
    '<p hidden>Asked in the matter <bdi></bdi> <button type="button">leave it</button></p>'
)


@dataclass(frozen=True, slots=True)
class Rail:
    """The components of the sidebar. ``settings`` maps fields of the settings to their controls.

    ``visitor`` is the token that the browser keeps; it gives access to private corpora. At a click the page
    fills ``asked`` with all that it shows. ``note`` reports that a depth was changed.
    """

    visitor: gr.Textbox
    question: gr.Textbox
    asked: gr.Textbox
    go: gr.Button
    cancel: gr.Button
    plan: gr.Button
    use_model: gr.Checkbox
    cost: gr.HTML
    chips: gr.HTML
    corpus: gr.Dropdown
    depth: gr.Radio
    note: gr.HTML
    settings: dict[str, Component]


def build_rail(library: Library) -> Rail:
    """Build the sidebar inside the open column."""
    visitor = gr.Textbox("", elem_id="visitor", visible="hidden", container=False)
    question = gr.Textbox(
        label="Question", lines=3, max_lines=8, elem_id="question", interactive=True,
        max_length=LONGEST_QUESTION, container=True,
        placeholder="Ask a question, or name a provision: “Article 14 of the Agency Code”",
    )  # fmt: skip
    asked = gr.Textbox("", elem_id="asked", visible="hidden", container=False)
    with gr.Row(elem_id="asking"):
        go = gr.Button("Investigate", variant="primary", elem_id="go")
        cancel = gr.Button("Cancel", elem_id="cancel")
        plan = gr.Button("Plan", elem_id="plan-go")
    use_model, cost = build_assist()
    gr.HTML(
        _IN_MATTER, elem_id="in-matter", apply_default_css=False, js_on_load="redstring.inMatter(element)",
    )  # fmt: skip
    # ``build_stage`` renders it above the case.
    chips = gr.HTML(
        chips_html(library.examples(None)), elem_id="chips", apply_default_css=False, render=False,
        js_on_load="redstring.chips(element, watch)",
    )  # fmt: skip
    corpus = gr.Dropdown(
        library.names(), value=library.names()[0], label="Corpus", elem_id="corpus", interactive=True,
        elem_classes=["fold"], visible=len(library.names()) > 1,
    )  # fmt: skip
    depth = gr.Radio(
        [(choice.value.capitalize(), choice.value) for choice in Preset], value=START.value, label="Depth",
        elem_id="depth", interactive=True, elem_classes=["fold"],
    )  # fmt: skip
    note = gr.HTML(
        _NOTE, elem_id="depth-note", apply_default_css=False, elem_classes=["fold"],
        presets={name.value: _of_preset(name) for name in Preset},
        depths={name.value: words for name, words in _DEPTHS.items()},
        meanings={name: one.meaning for name, one in load_strategies().items()},
        js_on_load="redstring.depth(element, props, () => trigger('reset'))",
    )  # fmt: skip
    gr.HTML(
        '<button type="button" id="fold" aria-expanded="false">Settings</button>', elem_id="fold-bar",
        apply_default_css=False, js_on_load="redstring.fold(element)",
    )  # fmt: skip
    settings = _settings(library.corpus(None))
    return Rail(
        visitor, question, asked, go, cancel, plan, use_model, cost, chips, corpus, depth, note, settings
    )


def _of_preset(name: Preset) -> dict[str, Any]:
    """Return the values of a preset, in the form of the controls."""
    kept = {knob.name for knob in knobs() if knob.group in KEPT} | {RERANKER, TRANSACTION}
    return {field: value for field, value in shown(preset(name)).items() if field not in kept}


def _settings(corpus: Corpus) -> dict[str, Component]:
    by_name = {knob.name: knob for knob in knobs()}
    start = preset(START)
    strategies = by_name["strategies"]
    built = {FOLLOW: _main_control(by_name[FOLLOW])}
    built["strategies"] = gr.CheckboxGroup(
        [(title_of_choice(strategies, name), name) for name in strategies.choices],
        value=list(start.strategies),
        label=strategies.label,
        elem_id="threads",
        interactive=True,
        elem_classes=["fold"],
    )
    gr.HTML(
        f"<style>{_thread_colours(strategies.choices)}</style>", apply_default_css=False, visible="hidden"
    )
    main = [knob for knob in by_name.values() if knob.group == "main" and knob.name not in built]
    for knob in sorted(main, key=lambda knob: (knob.kind != "boolean", knob.kind == "choice")):
        of_corpus = knob.name == TRANSACTION
        built[knob.name] = build_transaction(knob, corpus) if of_corpus else _main_control(knob)
    filters = [knob for knob in by_name.values() if knob.group == FILTERS]
    built["as_of"] = build_date(by_name["as_of"])
    with gr.Accordion("Filters", open=False, elem_id="filters", elem_classes=["fold", "folded"]):
        built.update(build_filters((knob for knob in filters if knob.name != "as_of"), corpus))
    with gr.Accordion("More settings", open=False, elem_id="more", elem_classes=["fold", "folded"]):
        for group, title in GROUP_TITLES.items():
            if group == FILTERS:
                continue
            hint = GROUP_HINTS.get(group, "")
            gr.HTML(f'<span class="h">{title}</span>{hint}', apply_default_css=False)
            for knob in (knob for knob in by_name.values() if knob.group == group):
                built[knob.name] = component(knob)
    for name, value in _of_preset(START).items():
        if name in built:
            built[name].value = value
    return {name: built[name] for name in by_name}


def _main_control(knob: Knob) -> Component:
    control = component(knob)
    control.elem_classes = ["fold", "main-knob"]
    return control


def _thread_colours(strategies: Sequence[str]) -> str:
    return "".join(
        f'#threads input[name="{attribute(name)}"]{{--c:{colour(name)}!important}}' for name in strategies
    )


def chips_html(examples: Sequence[Example]) -> str:
    """Return the first screen: what Redstring does, and example questions that run at a click."""
    return rendered("investigate/intro.html", examples=examples, more=max(0, len(examples) - SHOWN_CHIPS))


def _of_corpus(library: Library, name: str, visitor: str, facts_html: Any) -> list[Any]:
    """Return the examples, the facts and the choices of filters of a corpus."""
    brought = refreshed(library.corpus(name, visitor))
    chips = chips_html(library.examples(name, visitor))
    return [chips, facts_html(name, visitor), *(brought[field] for field in OF_CORPUS)]


def wire_rail(rail: Rail, library: Library, facts: gr.HTML, facts_html: Any) -> None:
    """Wire presets and corpora: a preset sets all controls but the filters and the language model; another
    corpus loads its own examples and facts."""
    wire_depth(rail)

    def change_corpus(request: gr.Request, token: str, name: str) -> list[Any]:
        visitor = person_of(library.settings, request, token).key
        return _of_corpus(library, name, visitor, facts_html)

    chosen = [rail.settings[field] for field in OF_CORPUS]
    # Choices for the last corpus do not apply to this one: they are cleared before the next request.
    rail.corpus.input(None, None, chosen, js=f"() => {json.dumps(nothing_chosen())}", **_QUIETLY)
    rail.corpus.input(
        change_corpus, [rail.visitor, rail.corpus], [rail.chips, facts, *chosen],
        trigger_mode="always_last", queue=False, **_QUIETLY,
    )  # fmt: skip


def wire_depth(rail: Rail) -> None:
    """Apply presets in the browser, so that they precede any click; a note reports a control that differs
    from its preset."""
    preset_of = {name: rail.settings[name] for name in _of_preset(START)}
    for event in (rail.depth.input, rail.note.reset):
        event(
            None, rail.depth, list(preset_of.values()),
            js=f"(depth) => redstring.presetValues(depth, {json.dumps(list(preset_of))})", **_QUIETLY,
        )  # fmt: skip
    changes = [control.change for control in rail.settings.values()]  # type: ignore[attr-defined]
    gr.on(
        changes, None, [rail.depth, *rail.settings.values()], rail.depth,
        js=f"(depth, ...values) => redstring.moved(depth, {json.dumps(list(rail.settings))}, values)",
        **_QUIETLY,
    )  # fmt: skip


def at_click(rail: Rail, *events: Any) -> Dependency:
    """Store what the page shows at one of these events; the next step reads it in ``rail.asked``.

    This runs in the browser without waiting: the values shown at the click are the values sent.
    """
    taken: Dependency = gr.on(
        events, None, [rail.corpus, *rail.settings.values()], rail.asked, trigger_mode="multiple",
        js=f"(corpus, ...values) => redstring.asked(corpus, {json.dumps(list(rail.settings))}, values)",
        **_QUIETLY,
    )  # fmt: skip
    return taken


def wire_shelf(rail: Rail, library: Library, facts: gr.HTML, facts_html: Any, changed: Any) -> None:
    """Offer the corpora that this visitor may search: when the page opens, and when the list has changed.

    ``changed`` registers a listener for the latter.
    """
    outputs = [rail.corpus, rail.chips, facts, *(rail.settings[field] for field in OF_CORPUS)]

    def offer(request: gr.Request, token: str, current: str, transaction: str) -> list[Any]:
        visitor = person_of(library.settings, request, token).key
        names = library.names(visitor)
        kept = current in names
        name = current if kept else names[0]
        # Keep the current choice if it is still offered: the user may have chosen another corpus in the
        # meantime.
        offered = gr.update(choices=names, visible=len(names) > 1, **({} if kept else {"value": name}))
        if kept and name == library.names()[0]:
            # The documents are the same for all users; the areas may have been edited since.
            edited = {TRANSACTION: same_transaction(library.corpus(name, visitor), transaction)}
            kinds = [edited.get(field, gr.skip()) for field in OF_CORPUS]
            return [offered, gr.skip(), gr.skip(), *kinds]
        return [offered, *_of_corpus(library, name, visitor, facts_html)]

    changed(
        offer, [rail.visitor, rail.corpus, rail.settings[TRANSACTION]], outputs, trigger_mode="always_last",
        queue=False, **_QUIETLY,
    )  # fmt: skip


def wire_choice(rail: Rail, library: Library, facts: gr.HTML, facts_html: Any, chosen: Any) -> None:
    """Choose the corpus of the next question in another view. ``chosen`` registers a listener for it."""
    outputs = [rail.corpus, rail.chips, facts, *(rail.settings[field] for field in OF_CORPUS)]

    def choose(request: gr.Request, token: str, wanted: gr.EventData) -> list[Any]:
        visitor = person_of(library.settings, request, token).key
        names = library.names(visitor)
        name = str(getattr(wanted, "corpus", ""))
        if name not in names:
            return [gr.skip()] * len(outputs)
        offered = gr.update(choices=names, value=name, visible=len(names) > 1)
        return [offered, *_of_corpus(library, name, visitor, facts_html)]

    chosen(choose, rail.visitor, outputs, queue=False, **_QUIETLY)
