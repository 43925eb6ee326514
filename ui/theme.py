"""The style, script and head of the page, and its header."""

from __future__ import annotations

from typing import Any

import gradio as gr

from engine.language.characters import escape
from engine.operator_settings import OperatorSettings, operator_settings
from ui.palette import palette_css
from ui.server.gate import access_options
from ui.shelf import Library
from ui.templating import ASSETS

# The launch options of the page: style, script, head, and the parts of Gradio that are disabled.

SCRIPTS = (
    "redstring.js",
    "words.js",
    "peek.js",
    "plots.js",
    "expansion.js",
    "charts.js",
    "judge.js",
    "report.js",
    "plan.js",
    "asking.js",
    "answer.js",
    "case.js",
    "model.js",
    "corpus.js",
    "corpus-read.js",
    "corpus-add.js",
    "corpus-vectors.js",
    "corpus-resolve.js",
    "corpus-law.js",
    "corpus-names.js",
    "validate.js",
    "grades.js",
    "corpus-found.js",
    "ontology.js",
    "ontology-propose.js",
    "rules.js",
    "check.js",
    "evaluate.js",
    "evaluate-pair.js",
    "kit.js",
    "cases.js",
    "review.js",
    "review-queue.js",
)
STYLES = (
    "redstring.css",
    "expansion.css",
    "plan.css",
    "answer.css",
    "case.css",
    "model.css",
    "corpus.css",
    "validate.css",
    "ontology.css",
    "check.css",
    "evaluate.css",
    "cases.css",
    "review.css",
)
_FONTS = ["system-ui", "-apple-system", "Segoe UI", "Roboto", "Noto Sans", "sans-serif"]
_ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 22 22' fill='none' "
    "stroke='%23b3261e' stroke-width='1.8'%3E%3Ccircle cx='4' cy='5' r='2.2'/%3E%3Ccircle cx='18' cy='9' "
    "r='2.2'/%3E%3Ccircle cx='8' cy='18' r='2.2'/%3E%3Cpath d='M6 5.6 16 8.5M16.6 10.8 9.6 16.6'/%3E"
    "%3C/svg%3E"
)


def theme() -> gr.themes.Base:
    """Return Gradio's plainest theme with system fonts, so that nothing is fetched."""
    return gr.themes.Base(font=_FONTS, font_mono=["ui-monospace", "Consolas", "monospace"])


def page_scripts() -> list[str]:
    """Return the texts of the page's own scripts, in order."""
    return [(ASSETS / name).read_text(encoding="utf-8") for name in SCRIPTS]


def first_script() -> str:
    """Return the script that runs before Gradio's. Gradio inserts ``head`` only later."""
    return (ASSETS / "first.js").read_text(encoding="utf-8")


def launch_options(settings: OperatorSettings | None = None) -> dict[str, Any]:
    """Return arguments for ``gradio.mount_gradio_app`` that set the style of the page and keep it private."""
    settings = settings or operator_settings()
    scripts = "".join(f"<script>{text}</script>" for text in page_scripts())
    return {
        "theme": theme(),
        "css": palette_css(),
        "css_paths": [ASSETS / name for name in STYLES],
        "head": f'<link rel="icon" href="{_ICON}">{scripts}',
        "max_file_size": settings.file_bytes if settings.uploads else 1,
        "footer_links": [],
        "run_history": False,
        "ssr_mode": False,
        "show_error": False,
        # ``ui.tools.server`` serves the tools for language models.
        "mcp_server": False,
    } | access_options(settings)


# The header: the brand, one line about the corpus, and the switch for light or dark.

_BRAND = (
    '<a class="brand" href="?" title="First screen"><svg width="22" height="22" viewBox="0 0 22 22" '
    'fill="none" stroke-width="1.8" aria-hidden="true"><circle cx="4" cy="5" r="2.2"/>'
    '<circle cx="18" cy="9" r="2.2"/>'
    '<circle cx="8" cy="18" r="2.2"/><path d="M6 5.6 16 8.5M16.6 10.8 9.6 16.6"/></svg>'
    "<span>Redstring</span></a>"
)
_TOGGLE = (
    '<button type="button" id="theme-toggle" aria-label="Dark mode" aria-pressed="false" '
    'title="Light or dark"><svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">'
    '<circle cx="8" cy="8" r="6.2" fill="none" stroke="currentColor" stroke-width="1.4"/>'
    '<path d="M8 1.8a6.2 6.2 0 0 1 0 12.4z" fill="currentColor"/></svg>'
    "</button>"
)


_LANGUAGE = '<select id="language" aria-label="Language of the page"></select>'
_MODEL = (
    '<button type="button" id="model-open" data-whose="nobody" aria-haspopup="dialog" '
    'title="Connect a language model"><i class="dot" aria-hidden="true"></i><span>No model</span></button>'
)
# A script shows this if the user is logged in.
_ACCOUNT = (
    '<form id="account" method="post" action="logout" hidden><span dir="auto"></span>'
    '<button aria-label="Log out" title="Log out"><svg width="16" height="16" viewBox="0 0 16 16" '
    'fill="none" stroke="currentColor" stroke-width="1.4" aria-hidden="true">'
    '<path d="M6 2H3v12h3M7 8h7M11 5l3 3-3 3"/></svg>'
    "<i>Log out</i></button></form>"
)
_TABS = (
    '<nav class="views" role="tablist" aria-label="Views">'
    '<button type="button" role="tab" data-view="investigate" aria-selected="true" aria-controls="app">'
    "Investigate</button>"
    '<button type="button" role="tab" data-view="check" aria-selected="false" aria-controls="check">'
    "Check</button>"
    '<button type="button" role="tab" data-view="cases" aria-selected="false" aria-controls="cases">'
    "Cases</button>"
    '<button type="button" role="tab" data-view="review" aria-selected="false" aria-controls="review">'
    "Review</button>"
    '<button type="button" role="tab" data-view="corpus" aria-selected="false" aria-controls="library">'
    "Corpus</button>"
    '<button type="button" role="tab" data-view="evaluate" aria-selected="false" aria-controls="evaluation">'
    "Evaluate</button></nav>"
)


def header_html(library: Library, corpus: str | None = None, visitor: str = "") -> str:
    """Return the header for a corpus that the visitor may see."""
    facts = escape(library.facts(corpus, visitor))
    return (
        '<div class="top"><a class="skip" href="#ranked">Skip to the passages</a>'
        f'{_BRAND}{_TABS}<span class="facts">{facts}</span>{_MODEL}{_ACCOUNT}{_LANGUAGE}{_TOGGLE}</div>'
    )


def build_header(library: Library) -> gr.HTML:
    """Build the header at the top of the page."""
    return gr.HTML(
        header_html(library),
        elem_id="header",
        apply_default_css=False,
        js_on_load="redstring.header(element, watch)",
    )
