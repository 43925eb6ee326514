from __future__ import annotations

import re

import gradio as gr
from starlette.requests import Request as Starlette

from benchmarks.attacks.http.served import inside_a_loop
from engine.review.model import VERDICTS
from ui.review.asked import Ask
from ui.review.desk import ReviewDesk
from ui.review.panel import PARTS, build_review, frame_html


def test_every_verdict_has_its_button_and_no_key_is_taken_twice() -> None:
    frame = frame_html(has_roles=False)
    for kind, verdicts in VERDICTS.items():
        row = frame[frame.index(f'<div class="rev-verdicts" data-of="{kind.value}"') :].split("</div>")[0]
        assert re.findall('data-verdict="([^"]+)"', row) == [one.value for one in verdicts]
        keys = " ".join(re.findall('data-press="([^"]+)"', row)).split()
        assert keys == [*map(str, range(1, len(verdicts))), "l", "s"]


def test_the_form_has_what_is_asked_and_its_defaults() -> None:
    frame = frame_html(has_roles=False)
    for name, _ in PARTS:
        assert f'name="{name}" min="0" max="2000" value="{Ask.model_fields[name].default}"' in frame
    assert 'name="open"' not in frame
    assert 'name="open"' in frame_html(has_roles=True)


def test_the_panel_has_one_door_to_the_server(desk: ReviewDesk) -> None:
    def build() -> gr.HTML:
        with gr.Blocks(analytics_enabled=False):
            return build_review(desk)

    panel = inside_a_loop(build)
    assert [door.__name__ for door in panel.server_fns] == ["review"]
    request = gr.Request(Starlette({"type": "http", "client": ("1.1.1.1", 1), "headers": []}))
    assert "no key" in panel.server_fns[0]({"do": "home"}, request)["html"]["queues"]
