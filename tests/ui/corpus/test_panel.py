from __future__ import annotations

from pathlib import Path

import gradio as gr
from starlette.requests import Request as Starlette

from benchmarks.attacks.http.served import inside_a_loop
from engine.operator_settings import OperatorSettings
from ui.corpus.desk import CorpusDesk
from ui.corpus.panel import build_corpus, frame_html
from ui.shelf import Library
from ui.theme import SCRIPTS, STYLES, launch_options


def test_where_uploads_are_off_there_is_no_form() -> None:
    off, on = frame_html(OperatorSettings(uploads=False)), frame_html(OperatorSettings())
    for mark in ('data-lib="new"', 'data-tab="add"', "add-form"):
        assert mark not in off
        assert mark in on
    assert "cannot be added" in off
    assert "Up to 2,000 files" in on


def test_where_uploads_are_off_the_server_takes_no_file() -> None:
    assert launch_options(OperatorSettings(uploads=False))["max_file_size"] == 1
    assert launch_options(OperatorSettings(file_mb=5))["max_file_size"] == 5_000_000


def test_every_tab_has_its_view_and_every_control_a_name() -> None:
    html = frame_html(OperatorSettings())
    for key in ("read", "add", "names", "resolve", "check", "statistics", "report"):
        assert f'data-tab="{key}"' in html
        assert f'data-view="{key}"' in html
    for control in ("search", "kind", "status", "relation", "source", "words"):
        start = html.index(f'data-lib="{control}"')
        assert "aria-label=" in html[start : html.index(">", start)]


def test_the_panel_has_one_door_to_the_server(library: Library) -> None:
    def build() -> gr.HTML:
        with gr.Blocks(analytics_enabled=False):
            return build_corpus(CorpusDesk(library))

    panel = inside_a_loop(build)
    assert [door.__name__ for door in panel.server_fns] == ["corpus"]
    found = panel.server_fns[0](
        {"do": "shelf"}, gr.Request(Starlette({"type": "http", "client": ("1.1.1.1", 1), "headers": []}))
    )
    assert [item["name"] for item in found["corpora"]] == ["Small"]


def test_scripts_and_styles_are_there_and_fetch_nothing() -> None:
    assets = Path(__file__).resolve().parents[3] / "assets"
    for name in (*SCRIPTS, *STYLES):
        text = (assets / name).read_text(encoding="utf-8")
        assert "https://" not in text
        assert len(text.splitlines()) < 400
