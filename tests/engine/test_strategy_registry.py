"""What a strategy says of itself is checked when it is loaded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from engine.errors import SettingsError
from engine.settings import preset, presets
from engine.strategy_registry import BUILT_IN, Colour, load_strategies, strategy_title
from tests.engine.following import Following

WHERE = "tests.engine.following:Following"


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(BUILT_IN, "following", WHERE)
    load_strategies.cache_clear()
    yield
    load_strategies.cache_clear()


def test_every_strategy_has_another_colour() -> None:
    for theme in ("light", "dark"):
        assert len({getattr(one.colour, theme) for one in load_strategies().values()}) == len(
            load_strategies()
        )


@pytest.mark.usefixtures("registered")
def test_a_strategy_that_says_so_is_followed_from_a_preset_on(monkeypatch: pytest.MonkeyPatch) -> None:
    assert strategy_title("following") == "What comes next"
    assert "following" in preset("quick").strategies
    monkeypatch.setattr(Following, "on_from", None)
    assert not any("following" in found.strategies for found in presets().values())


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize(
    ("attribute", "value", "words"),
    [
        ("trust", 1.5, "trust: Input should be less than or equal to 1"),
        ("title", "", "title: "),
        ("name", "other", "its name is 'other'"),
    ],
)
def test_what_it_does_not_say_rightly_is_named(
    attribute: str, value: Any, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if value is ...:
        monkeypatch.delattr(Following, attribute)
    else:
        monkeypatch.setattr(Following, attribute, value)
    with pytest.raises(SettingsError, match=f"^strategy 'following' \\({WHERE}\\): {words}"):
        load_strategies()


@pytest.mark.parametrize("value", ["red", "#12345", "#12345G", "#1234567", "#123456;}"])
def test_a_colour_is_six_digits(value: str) -> None:
    with pytest.raises(SettingsError, match="is not a colour"):
        replace(Colour("#123456", "#abcdef"), dark=value)
