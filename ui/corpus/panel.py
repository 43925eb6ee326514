"""The Corpus view: its calls and its frames."""

from __future__ import annotations

from collections.abc import Mapping

import gradio as gr

from engine.operator_settings import OperatorSettings
from ui.calls import build_panel, by_name
from ui.corpus import changes, documents, embedding, links, names, ontology, references, statistics, text
from ui.corpus.access import CorpusDesk
from ui.templating import rendered

_MODULES = (documents, changes, embedding, references, statistics, names, ontology, links, text)
CALLS = by_name(call for module in _MODULES for call in module.CALLS)

# The filters of links to review.
_FILTERS: Mapping[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "state": (
        "State",
        (("open", "not judged"), ("judged", "judged"), ("stale", "stale"), ("", "all states")),
    ),
    "origin": (
        "Who says so",
        (("", "from anyone"), ("model", "from a model"), ("grammar", "from the texts")),
    ),
    "sort": ("Relation", ()),
    "document": ("Document", ()),
    "sure": (
        "Confidence",
        (
            ("0-1", "any confidence"),
            ("0.8-1", "80 % and more"),
            ("0.5-0.8", "50 to 80 %"),
            ("0-0.5", "50 % and less"),
        ),
    ),
    "order": (
        "Order",
        (
            ("random", "in random order"),
            ("uncertain", "least certain first"),
            ("document", "as they are read"),
        ),
    ),
}


# The tabs of the view.
_VIEWS = (
    ("read", "Documents"),
    ("add", "Add documents"),
    ("names", "Names"),
    ("areas", "Areas"),
    ("changes", "Changes"),
    ("outdated", "Outdated references"),
    ("resolve", "To resolve"),
    ("check", "Review links"),
    ("grades", "Grades"),
    ("statistics", "Statistics"),
    ("report", "Report"),
)


def build_corpus(desk: CorpusDesk) -> gr.HTML:
    """Build the view; its ``change`` event reports that the list of corpora has changed."""
    settings = desk.books.settings
    script = "redstring.books(element, server, trigger)"
    return build_panel("corpus", desk, CALLS, settings, frame_html(settings), script, "library")


def frame_html(settings: OperatorSettings) -> str:
    """Return the frame that the script fills."""
    limits = (
        f"Up to {settings.files:,} files, {settings.file_mb:,} MB each, {settings.upload_mb:,} MB together."
    )
    tabs = [tab for tab in _VIEWS if settings.uploads or tab[0] != "add"]
    return rendered(
        "corpus/frame.html", tabs=tabs, uploads=settings.uploads, limits=limits, filters=_FILTERS.items()
    )
