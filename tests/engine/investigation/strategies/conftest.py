"""Contracts of strategies: a class says what is ``made``, and by its fixture the corpus that it is ``on``."""

from __future__ import annotations

import pytest

from engine.corpus.protocol import Corpus
from engine.investigation.strategies.base import Strategy


@pytest.fixture
def corpus(request: pytest.FixtureRequest) -> Corpus:
    found: Corpus = request.getfixturevalue(request.cls.on)
    return found


@pytest.fixture
def strategy(request: pytest.FixtureRequest) -> Strategy:
    made: Strategy = request.cls.made()
    return made
