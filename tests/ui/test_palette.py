from __future__ import annotations

import re

from engine.settings import BUILT_IN_STRATEGIES
from ui.board import ASSETS
from ui.palette import TOKENS, colour, thread


def test_every_token_is_defined_for_light_and_dark() -> None:
    style = (ASSETS / "redstring.css").read_text(encoding="utf-8")
    light, dark = style.split(".dark {", 1)[0], style.split(".dark {", 1)[1].split("}", 1)[0]
    for token in TOKENS:
        for theme in (light, dark):
            assert re.search(rf"--{token}:\s*#", theme), f"--{token} is missing"


def test_the_board_is_told_every_colour() -> None:
    script = (ASSETS / "redstring.js").read_text(encoding="utf-8")
    told = re.search(r"const TOKENS = \[(.*?)\]", script)
    assert told is not None
    assert set(TOKENS) <= set(re.findall(r'"([\w-]+)"', told[1]))


def test_built_in_strategies_have_their_own_colours() -> None:
    every = (*BUILT_IN_STRATEGIES, "scan", "gaps", "named")
    assert len({colour(name) for name in every}) == len(every)


def test_a_strategy_from_elsewhere_is_named_and_coloured_the_same_each_time() -> None:
    assert thread("case_law") == thread("case_law")
    assert thread("case_law").title == "Case law"
    assert thread("case_law").token in TOKENS
