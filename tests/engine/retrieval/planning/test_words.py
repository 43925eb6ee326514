"""The language files: each plans its own examples, and a wrong file is refused by its field."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import languages
from engine.errors import SettingsError
from engine.retrieval.planning import make_plan
from engine.retrieval.planning.words import (
    NO_WORDS,
    SHIPPED,
    ExampleFile,
    load_words,
    read_file,
    term_asked,
    words_of,
)
from engine.settings import InvestigationSettings

RECALL = InvestigationSettings(query_strategy="recall")
FILES = {path.parent.name: read_file(path) for path in languages.files(SHIPPED)}
SMALL = """
intent:
  lookup: ['^quando']
examples:
  - {question: Quando venit?, intent: lookup}
"""


@pytest.mark.parametrize(
    ("language", "example"),
    [
        pytest.param(language, example, id=f"{language}-{place}")
        for language, file in FILES.items()
        for place, example in enumerate(file.examples)
    ],
)
def test_examples(language: str, example: ExampleFile) -> None:
    plan = make_plan(example.question, [language], RECALL)
    assert example.intent in (None, plan.intent), plan.evidence
    for kind, texts in example.views.items():
        assert [view.text for view in plan.views if view.name == kind] == texts
    assert term_asked(example.question, language) == example.meaning or not example.meaning
    suggested = {found.kind: found.value for found in plan.suggestions}
    assert not example.suggests or suggested == example.suggests


def test_every_file_has_examples_of_each_kind() -> None:
    for language, file in FILES.items():
        kinds = {kind for example in file.examples for kind in example.views}
        assert {"side", "part"} <= kinds, language
        assert {example.intent for example in file.examples} >= {"lookup", "comparative"}, language


def test_a_region_is_ignored_and_an_unknown_language_has_no_words() -> None:
    assert words_of("de-AT") is words_of("de")
    assert words_of("xx") is NO_WORDS


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("question: Quando", "query: Quando"), "examples.0.question: Field required"),
        (("'^quando'", "'^(quando'"), "is not a regular expression"),
        (("['^quando']", "['^quando'"), "cannot be read"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, change: tuple[str, str], told: str) -> None:
    path = tmp_path / "latin.yaml"
    path.write_text(SMALL, encoding="utf-8")
    assert load_words(path, "la").language == "la"
    path.write_text(SMALL.replace(*change), encoding="utf-8")
    with pytest.raises(SettingsError, match=f"latin.yaml.*{told}"):
        load_words(path, "la")
