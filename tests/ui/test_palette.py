from __future__ import annotations

import re

import pytest

from engine.threads import BUILT_IN
from ui.palette import colour, palette_css, thread
from ui.shipped import ASSETS

EVERY = (*BUILT_IN, "scan", "named", "gaps", "person")
# As they have been since the first page: whoever knows a colour by heart finds it again.
PALETTE = {
    "scan": "#7a7a7a #a5a5a5",
    "named": "#a3195b #ff7eb6",
    "metadata": "#0072b2 #56b4e9",
    "citations": "#d55e00 #ff8a3d",
    "entities": "#009e73 #35c99a",
    "pagerank": "#00838f #4dd0d9",
    "semantic": "#cc79a7 #e39ac4",
    "amendments": "#8c2d04 #d9896a",
    "definitions": "#3f5a9d #8fa8e8",
    "concepts": "#7d4a1e #d9a679",
    "extracted": "#8e4162 #d98aae",
    "whole_document": "#5d6b1f #b3c25a",
    "gaps": "#e69f00 #f0c14b",
    "person": "#1d1d1f #ececee",
}
# Set in the style of an element by us, or by Gradio.
ON_ELEMENTS = {"c", "v", "at", "level", "low", "high", "range_progress"}
USED = re.compile(r"var\(--([\w-]+)\)")


@pytest.mark.parametrize("name", EVERY)
def test_a_thread_has_its_colour_in_light_and_dark(name: str) -> None:
    light, dark = palette_css().split(".dark")
    told = [re.findall(rf"--thread-{name}:(#\w+);", theme) for theme in (light, dark)]
    assert [*told[0], *told[1]] == PALETTE[name].split()
    assert colour(name) == f"var(--thread-{name})"


def test_the_list_for_the_board_names_them_all() -> None:
    listed = re.search(r"--threads:([\w ]+);", palette_css())
    assert listed is not None
    assert set(listed[1].split()) == set(EVERY) == set(PALETTE)


def test_what_style_sheets_use_is_defined() -> None:
    sheets = [path.read_text(encoding="utf-8") for path in sorted(ASSETS.glob("*.css"))]
    text = "\n".join([*sheets, palette_css()])
    defined = set(re.findall(r"(?<![\w-])--([\w-]+)\s*:", text))
    scripts = "\n".join(path.read_text(encoding="utf-8") for path in sorted(ASSETS.glob("*.js")))
    defined |= set(re.findall(r'setProperty\("--([\w-]+)"', scripts)) | ON_ELEMENTS
    assert set(USED.findall(text)) <= defined


def test_a_strategy_that_is_gone_is_named_and_coloured_the_same_each_time() -> None:
    assert thread("case_law") == thread("case_law")
    assert thread("case_law").title == "Case law"
    style = (ASSETS / "redstring.css").read_text(encoding="utf-8")
    assert style.count(f"--{thread('case_law').token}: #") == 2
