"""What the page is launched with: its style, its script, its head, and what Gradio is told to leave out."""

from __future__ import annotations

from typing import Any

import gradio as gr

from engine.operator_settings import OperatorSettings, operator_settings
from ui.access.gate import access_options
from ui.palette import palette_css
from ui.shipped import ASSETS

SCRIPTS = (
    "redstring.js",
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
    """Gradio's plainest theme on the fonts of the reader's system: nothing is fetched."""
    return gr.themes.Base(font=_FONTS, font_mono=["ui-monospace", "Consolas", "monospace"])


def page_scripts() -> list[str]:
    """The texts of the page's own scripts, in order."""
    return [(ASSETS / name).read_text(encoding="utf-8") for name in SCRIPTS]


def first_script() -> str:
    """The script that runs before those of Gradio; what is in ``head`` Gradio itself puts there, later."""
    return (ASSETS / "first.js").read_text(encoding="utf-8")


def launch_options(settings: OperatorSettings | None = None) -> dict[str, Any]:
    """Arguments for ``gradio.mount_gradio_app`` that make the page ours and keep it private."""
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
        # Tools for language models are served by ``ui.tools.server``.
        "mcp_server": False,
    } | access_options(settings)
