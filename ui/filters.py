"""Filters of an investigation: a date, and what documents say of themselves, chosen from the corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import gradio as gr
from gradio.components import Component

from engine.corpus.protocol import Corpus
from engine.investigation.facets import NONE
from engine.language.characters import marked
from engine.settings import AUTO
from ui.controls import Knob, component, knob_of, title_of_choice

# Lists of choices that a corpus gives.
CHOSEN = ("types", "documents", "languages", "issuers", "statuses")
MOST_CHOICES = 1000
TRANSACTION = "transaction_type"
# Choices that every corpus with kinds of transactions has besides them.
FIXED_KINDS = 2
OF_CORPUS = (*CHOSEN, TRANSACTION)
Choices = list[tuple[str, str]]


def choices_of(corpus: Corpus) -> dict[str, Choices]:
    """For each filter what a corpus has to choose from: (words, value), the most frequent first."""
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
    """The day on which what is found must be in force; the page makes it a calendar."""
    return gr.Textbox(
        value="", label=knob.label, info=f"{knob.meaning} Empty: today's law.", max_lines=1,
        elem_id=f"set-{knob.name}", interactive=True, elem_classes=["fold"],
    )  # fmt: skip


def build_transaction(knob: Knob, corpus: Corpus) -> Component:
    """What kind of transaction the question is about, where the corpus's ontology knows kinds."""
    given = transactions_of(corpus)
    return gr.Dropdown(
        given, value=AUTO, label=knob.label, info=knob.meaning, elem_id=f"set-{knob.name}", interactive=True,
        visible=len(given) > FIXED_KINDS, elem_classes=["fold", "main-knob"],
    )  # fmt: skip


def transactions_of(corpus: Corpus) -> Choices:
    """The kinds of transactions of a corpus's ontology, behind what the question says, and none."""
    known = () if corpus.ontology is None else corpus.ontology.transactions
    knob = knob_of(TRANSACTION)
    return [(title_of_choice(knob, name), name) for name in (AUTO, NONE, *known)]


def same_transaction(corpus: Corpus, chosen: str | None) -> Any:
    """The kinds of transactions of a corpus whose areas may have been edited; what was chosen stays, if it is
    still among them."""
    kinds = transactions_of(corpus)
    gone = {} if chosen in [value for _, value in kinds] else {"value": AUTO}
    return gr.update(choices=kinds, visible=len(kinds) > FIXED_KINDS, **gone)


def build_filters(knobs: Iterable[Knob], corpus: Corpus) -> dict[str, Component]:
    """The controls of the filters inside the accordion that is open, by the names of their settings."""
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
    """What the filters of another corpus look like: its choices, nothing chosen."""
    given, kinds = choices_of(corpus), transactions_of(corpus)
    lists = {
        name: gr.update(choices=given[name], value=[], visible=_offers(name, given[name])) for name in CHOSEN
    }
    return {**lists, TRANSACTION: gr.update(choices=kinds, value=AUTO, visible=len(kinds) > FIXED_KINDS)}


def nothing_chosen() -> list[Any]:
    """Values of the filters in which nothing is chosen, in the order of ``OF_CORPUS``."""
    return [[] if name in CHOSEN else AUTO if name == TRANSACTION else "" for name in OF_CORPUS]


def _offers(name: str, choices: Choices) -> bool:
    """Whether there is anything to choose: one type for all documents leaves no choice."""
    return len(choices) > 1 or (name == "statuses" and bool(choices))
