"""Strategies by name, those of other packages included."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.errors import SettingsError
from engine.investigation.strategies.base import strategy
from engine.investigation.strategies.citations import Citations
from engine.strategy_registry import BUILT_IN, GROUP, load_strategies

PLUGIN = '''
import numpy as np

from engine.investigation.trails import make_leads
from engine.investigation.strategies.base import Evidence
from engine.model import Relation
from engine.strategy_registry import Colour


class FirstRow:
    """Proposes the corpus's first passage from every seed."""

    name = "first_row"
    title = "First passage"
    legend = "first passage"
    meaning = "The first passage of the corpus."
    trust = 0.3
    stated = False
    colour = Colour("#123456", "#abcdef")
    on_from = None

    def expand(self, seeds, context):
        rows = np.zeros(len(seeds.rows), np.int32)
        return make_leads(rows, seeds.rows, np.ones(len(rows), np.float32), Relation.CITES)

    def explain(self, leads, context):
        return [Evidence(detail="first of all") for _ in range(len(leads))]
'''


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package on the path whose metadata names two strategies, one of them under a built-in name."""
    (tmp_path / "red_plugin.py").write_text(PLUGIN, encoding="utf-8")
    metadata = tmp_path / "red_plugin-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: red-plugin\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        f"[{GROUP}]\nfirst_row = red_plugin:FirstRow\ncitations = red_plugin:FirstRow\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    load_strategies.cache_clear()
    yield
    load_strategies.cache_clear()
    sys.modules.pop("red_plugin", None)


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_strategies_go_by_their_names(name: str) -> None:
    assert strategy(name).name == name


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(SettingsError, match=r"unknown strategy 'telepathy'; known strategies: .*citations"):
        strategy("telepathy")


@pytest.mark.usefixtures("installed")
def test_a_strategy_of_another_package_is_found_and_a_built_in_name_is_safe() -> None:
    assert strategy("first_row").title == "First passage"
    assert type(strategy("citations")) is Citations
