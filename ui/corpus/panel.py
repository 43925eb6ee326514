"""The Corpus view: its calls and its frames."""

from __future__ import annotations

from collections.abc import Mapping

import gradio as gr

from engine.language.characters import escape
from engine.operator_settings import OperatorSettings
from ui.calls import build_panel, by_name
from ui.corpus import changes as adding
from ui.corpus import documents as reading
from ui.corpus import embedding as by_meaning
from ui.corpus import extraction as extracting
from ui.corpus import grades as grading
from ui.corpus import law, names, ontology, statistics
from ui.corpus import links as validating
from ui.corpus import references as resolving
from ui.corpus import text as reader
from ui.corpus.access import CorpusDesk
from ui.corpus.grades import FRAME as GRADES_FRAME

_MODULES = (
    reading,
    adding,
    by_meaning,
    resolving,
    law,
    names,
    statistics,
    ontology,
    validating,
    reader,
    grading,
    extracting,
)
CALLS = by_name(call for module in _MODULES for call in module.CALLS)

# The frame of the tab "Areas", filled by its script.

ONTOLOGY_FRAME = (
    '<section class="lib-view areas" data-view="areas" role="tabpanel" aria-label="Areas" hidden>'
    '<div class="pane"><div class="bar-head"><h2>Areas</h2><small data-lib="areas-facts"></small>'
    '<span class="area-tools"><button type="button" data-areas="new">New area</button>'
    '<button type="button" data-areas="undo" hidden>Undo last save</button>'
    '<button type="button" data-areas="load">Load file</button>'
    '<button type="button" data-areas="download">Download</button></span>'
    '<input type="file" accept=".yaml,.yml" hidden data-lib="areas-file" aria-label="ontology.yaml"></div>'
    '<p class="hint" data-lib="areas-may" hidden>Only the operator of this server may change these areas; '
    "in a corpus of your own you can.</p>"
    '<div class="area-unsaved" data-lib="areas-unsaved" hidden><span>Not saved yet.</span>'
    '<button type="button" class="primary" data-areas="save">Save</button>'
    '<button type="button" data-areas="discard">Discard</button></div>'
    '<div class="areas-scroll"><ol class="area-list" data-lib="areas-list"></ol>'
    '<div class="area-types" data-lib="areas-types"></div>'
    '<div class="area-rules" data-lib="areas-rules"></div></div></div></section>'
)


# The frame of the tab "Review links": filters, the queue, the figures, extraction by a model.

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


def _select(name: str) -> str:
    label, choices = _FILTERS[name]
    options = "".join(f'<option value="{value}">{words}</option>' for value, words in choices)
    return f'<select data-wanted="{name}" aria-label="{label}">{options}</select>'


_HEAD = (
    '<div class="bar-head"><h2>Links to check</h2><small data-lib="link-count"></small>'
    f'<div class="wanted">{"".join(map(_select, _FILTERS))}</div></div>'
    '<p class="hint" data-lib="link-may" hidden>Only the operator of this server may judge links of this '
    "corpus; in a corpus of your own you can.</p>"
)
_FOOT = (
    '<div class="link-foot"><span class="steps">'
    '<button type="button" data-lib="link-before" aria-label="Previous link">‹</button>'
    '<span data-lib="link-place"></span>'
    '<button type="button" data-lib="link-next" aria-label="Next link">›</button></span>'
    '<input type="text" data-lib="link-note" maxlength="2000" placeholder="Note to the next verdict" '
    'aria-label="Note to the next verdict" dir="auto">'
    '<input type="text" data-lib="link-reviewer" maxlength="100" placeholder="Your name (optional)" '
    'aria-label="Your name (optional)" autocomplete="off" dir="auto"></div>'
)
_SIDE = (
    '<aside class="check-side" aria-label="Figures"><section><h2 class="h">How often they are right</h2>'
    '<div data-lib="link-figures"></div><p class="hint" data-lib="link-fair" hidden>In this order the '
    "figure is no fair sample: judge in random order for that.</p></section>"
    '<section><h2 class="h">Have a model read this corpus</h2><div data-lib="extract"></div></section>'
    "</aside>"
)
VALIDATING_FRAME = (
    '<section class="lib-view check" data-view="check" role="tabpanel" aria-label="Review links" hidden>'
    f'<div class="pane queue">{_HEAD}<div class="link-scroll" data-lib="link" aria-live="polite"></div>'
    f"{_FOOT}</div>{_SIDE}</section>"
)


# The frame of the view.

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
    tabs = "".join(
        f'<button type="button" role="tab" data-tab="{key}" aria-selected="{str(key == "read").lower()}" '
        f'tabindex="{0 if key == "read" else -1}">{words}<small></small></button>'
        for key, words in _VIEWS
        if key != "add" or settings.uploads
    )
    new = '<button type="button" data-lib="new">New corpus</button>' if settings.uploads else ""
    off = "" if settings.uploads else '<p class="hint">Documents cannot be added on this server.</p>'
    return (
        '<div class="lib">'
        '<aside class="lib-rail" aria-label="Corpora"><h2 class="h">Corpora</h2>'
        f'<div data-lib="shelf" class="shelf"></div>{new}{off}'
        '<button type="button" class="forget" data-lib="forget" hidden>'
        "Delete all my data</button></aside>"
        '<div class="lib-stage"><div class="lib-head"><h1 data-lib="name" dir="auto"></h1>'
        '<span data-lib="facts"></span><span class="lib-acts">'
        '<button type="button" data-lib="back">Back to the case</button>'
        '<button type="button" class="primary" data-lib="ask">Ask this corpus</button></span></div>'
        f"{_VECTORS}"
        '<div data-lib="banner" class="banner-slot" aria-live="polite"></div>'
        f'<div class="lib-tabs" role="tablist" aria-label="Corpus">{tabs}</div>'
        f"{_READ}{_ADD if settings.uploads else ''}{_NAMES}{ONTOLOGY_FRAME}{_LAW}{_RESOLVE}{VALIDATING_FRAME}"
        f"{GRADES_FRAME}{_STATISTICS}{_REPORT}"
        "</div></div>"
        f'<div class="peek-card" data-lib="peek" role="tooltip" hidden></div>'
    ).replace("LIMITS", escape(_limits(settings)))


def _limits(settings: OperatorSettings) -> str:
    return (
        f"Up to {settings.files:,} files, {settings.file_mb:,} MB each, {settings.upload_mb:,} MB together."
    )


_VECTORS = (
    '<div class="vectors" data-lib="vectors" hidden><span data-lib="vectors-words"></span>'
    '<div class="bar" role="progressbar" aria-valuemin="0" aria-valuemax="100" '
    'aria-label="Search by meaning" hidden><u></u></div>'
    '<select data-lib="vectors-model" aria-label="Model for search by meaning" hidden></select>'
    '<button type="button" data-lib="vectors-act" hidden></button></div>'
)
_READ = (
    '<section class="lib-view read" data-view="read" role="tabpanel" aria-label="Documents">'
    '<div class="pane tree-pane"><div class="bar-head"><h2>Documents</h2><small data-lib="count"></small>'
    '<select data-lib="kind" aria-label="Type of document"></select></div>'
    '<div class="tree-search"><input type="search" data-lib="search" '
    'placeholder="Search titles and headings" aria-label="Search titles and headings"></div>'
    '<div class="tree-scroll">'
    '<ul class="tree" role="tree" data-lib="tree" aria-label="Documents"></ul></div>'
    '</div><div class="pane text-pane">'
    '<nav class="crumbs" data-lib="crumbs" aria-label="Where you are"></nav>'
    '<div class="text-scroll" data-lib="scroll" tabindex="0" aria-label="Text"><div class="doc-head" '
    'data-lib="doc"></div><div class="doc-text" data-lib="text"></div></div></div></section>'
)
_NAMES = (
    '<section class="lib-view read names" data-view="names" data-pane="tree" role="tabpanel" '
    'aria-label="Names" hidden><div class="pane tree-pane"><div class="bar-head"><h2>Names</h2>'
    '<small data-lib="name-count"></small>'
    '<select data-lib="name-kind" aria-label="Kind of name"></select></div>'
    '<div class="tree-search"><input type="search" data-lib="name-words" placeholder="Search names" '
    'aria-label="Search names"></div><div class="tree-scroll">'
    '<ul class="tree" data-lib="names"></ul></div></div>'
    '<div class="pane text-pane"><nav class="crumbs names-back">'
    '<button type="button" class="crumb back">Names</button></nav>'
    '<div class="text-scroll" data-lib="named-scroll" tabindex="0" aria-label="Name">'
    '<div class="doc-head named-text" data-lib="named"></div></div></div></section>'
)
_ADD = (
    '<section class="lib-view add" data-view="add" role="tabpanel" aria-label="Add documents" hidden>'
    '<form class="add-form" autocomplete="off"><label class="field" data-only="new"><span>Name</span>'
    '<input type="text" name="name" maxlength="60" placeholder="Tenancy files"></label>'
    '<div class="drop" data-lib="drop"><b>Drop files or a folder here</b>'
    "<p>PDF, DOCX, HTML, Markdown, text, JSON, CSV, Akoma Ntoso, Formex, or a zip of them.</p>"
    '<p><button type="button" data-pick="files">Choose files</button>'
    '<button type="button" data-pick="folder">Choose a folder</button></p><p class="hint">LIMITS</p>'
    '<input type="file" multiple hidden data-input="files" aria-label="Files">'
    '<input type="file" webkitdirectory hidden data-input="folder" aria-label="Folder"></div>'
    '<ul class="chosen" data-lib="chosen" aria-label="Chosen files"></ul>'
    '<details class="more-fields"><summary>Advanced: passwords, field mapping</summary>'
    '<label class="field"><span>Passwords of encrypted files, separated by spaces</span>'
    '<input type="text" class="masked" name="passwords" autocomplete="off" spellcheck="false"></label>'
    '<label class="field"><span>Mapping of fields for JSON and CSV (a YAML or JSON file)</span>'
    '<input type="file" name="mapping" accept=".yaml,.yml,.json"></label></details>'
    '<div class="form-acts"><button type="submit" class="primary" data-lib="go">Create corpus</button>'
    '<button type="button" data-lib="stop" hidden>Cancel</button></div></form>'
    '<div class="progress" data-lib="progress" hidden><div class="bar" role="progressbar" '
    'aria-valuemin="0" aria-valuemax="100" aria-label="Progress"><u></u></div>'
    '<p data-lib="step" aria-live="polite"></p><pre data-lib="log" tabindex="0" aria-label="Log"></pre></div>'
    "</section>"
)
_RESOLVE = (
    '<section class="lib-view resolve" data-view="resolve" role="tabpanel" aria-label="To resolve" hidden>'
    '<div class="pane"><div class="bar-head"><h2>References to resolve</h2><small data-lib="open"></small>'
    '<select data-lib="status" aria-label="Status"><option value="">open</option>'
    '<option value="ambiguous">several targets</option><option value="unresolved">no target found</option>'
    '<option value="decided">decided</option></select>'
    '<select data-lib="relation" aria-label="Relation"></select>'
    '<select data-lib="source" aria-label="Document"></select>'
    '<input type="search" data-lib="words" placeholder="filter" aria-label="Words in the reference"></div>'
    '<p class="hint" data-lib="may" hidden>Only the operator of this server may decide about this corpus; '
    'in a corpus of your own you can.</p><p class="hint" data-lib="waiting" hidden>Decisions take effect '
    'when the corpus is written: <button type="button" data-lib="apply">put them in force now</button> '
    'or with the next documents.</p><div class="resolve-scroll">'
    '<ol class="cases" data-lib="cases"></ol></div></div></section>'
)
_LAW = (
    '<section class="lib-view law" data-view="changes" role="tabpanel" aria-label="Changes" hidden>'
    '<div class="pane"><div class="bar-head"><h2>What changed</h2><small data-lib="changes-sum"></small>'
    '<label>From <input type="date" data-lib="changes-from"></label>'
    '<label>to <input type="date" data-lib="changes-to"></label>'
    '<select data-lib="changes-document" aria-label="Document"></select>'
    '<input type="search" data-lib="changes-words" placeholder="about" aria-label="Words in the provisions" '
    'maxlength="500"></div><div class="law-list" data-lib="changes-list" tabindex="0" '
    'aria-label="Changes" aria-live="polite"></div></div></section>'
    '<section class="lib-view law" data-view="outdated" role="tabpanel" aria-label="Outdated references" '
    'hidden><div class="pane"><div class="bar-head"><h2>References to outdated law</h2>'
    '<small data-lib="outdated-count"></small>'
    '<select data-lib="outdated-kind" aria-label="Kind"></select></div>'
    '<div class="law-list" data-lib="outdated-list" tabindex="0" aria-label="Outdated references" '
    'aria-live="polite"></div></div></section>'
)
_STATISTICS = (
    '<section class="lib-view statistics" data-view="statistics" role="tabpanel" aria-label="Statistics" '
    'hidden><div class="plots" data-lib="plots"></div></section>'
)
_REPORT = (
    '<section class="lib-view report" data-view="report" role="tabpanel" aria-label="Report" hidden>'
    '<div class="report-body" data-lib="report"></div><div class="found-body">'
    '<form class="found-form" data-lib="found-form" autocomplete="off"><label class="field">'
    "<span>What is found, and what is not: questions to ask, a line each</span>"
    '<textarea data-lib="found-questions" rows="5" dir="auto" maxlength="26000"></textarea></label>'
    '<p class="form-acts"><button type="submit" data-lib="found-go">Run test</button>'
    '<button type="button" data-lib="found-stop" hidden>Cancel</button>'
    '<span class="hint" data-lib="found-step" aria-live="polite"></span>'
    '<span class="report-files" data-lib="found-files"></span></p></form>'
    '<div class="report-text" data-lib="found" tabindex="-1"></div></div></section>'
)
