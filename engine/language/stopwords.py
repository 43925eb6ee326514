"""Function words per language, so that an index does not count them.

Where bm25s ships a Snowball-style list, that one is used. Other languages have their list in their folder:
closed-class words only (articles, prepositions, pronouns, conjunctions, auxiliaries), because
general-purpose lists also drop words that carry law ("act", "part", "year").
"""

from __future__ import annotations

import runpy
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from engine.languages import all_words


def _shipped() -> dict[str, Any]:
    """The lists of bm25s by name, read from their file: to import the package compiles numba, 0.3 s."""
    package = find_spec("bm25s")
    assert package is not None
    assert package.submodule_search_locations is not None
    return runpy.run_path(str(Path(package.submodule_search_locations[0]) / "stopwords.py"))


def _listed() -> dict[str, frozenset[str]]:
    lists = _shipped()
    ranked = sorted(all_words().items(), key=lambda item: (item[1].priority, item[0]))
    return {
        language: frozenset(lists[f"STOPWORDS_{own.stop_list}"] if own.stop_list else own.stop_words)
        for language, own in ranked
        if own.stop_list or own.stop_words
    }


# The languages in the order in which they are believed where a text may be in several.
STOPWORDS: dict[str, frozenset[str]] = _listed()
