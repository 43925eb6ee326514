"""The language files: each plans its own examples, and a wrong file is refused by its field."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import SettingsError
from engine.retrieval.planning import make_plan
from engine.retrieval.planning.meaning import term_asked
from engine.retrieval.planning.words import NO_WORDS, ExampleFile, read_file, read_files, words_of
from engine.settings import InvestigationSettings

RECALL = InvestigationSettings(query_strategy="recall")
SMALL = """
languages: [la]
intent:
  lookup: ['^quando']
examples:
  - {question: Quando venit?, intent: lookup}
"""


@pytest.mark.parametrize(
    ("language", "example"),
    [
        pytest.param(file.languages[0], example, id=f"{file.languages[0]}-{place}")
        for file in read_files()
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
    for file in read_files():
        kinds = {kind for example in file.examples for kind in example.views}
        assert {"side", "part"} <= kinds, file.languages
        assert {example.intent for example in file.examples} >= {"lookup", "comparative"}, file.languages


def test_no_language_is_described_twice() -> None:
    languages = [language for file in read_files() for language in file.languages]
    assert len(languages) == len(set(languages))


def test_a_region_is_ignored_and_an_unknown_language_has_no_words() -> None:
    assert words_of("de-AT") is words_of("de")
    assert words_of("xx") is NO_WORDS


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("languages: [la]", "language: la"), "languages: Field required"),
        (("lookup:", "look:"), "intent.look"),
        (("'^quando'", "'^(quando'"), "is not a regular expression"),
        (("languages: [la]", "languages: [la"), "cannot be read"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, change: tuple[str, str], told: str) -> None:
    path = tmp_path / "latin.yaml"
    path.write_text(SMALL, encoding="utf-8")
    assert read_file(path).languages == ["la"]
    path.write_text(SMALL.replace(*change), encoding="utf-8")
    with pytest.raises(SettingsError, match=f"latin.yaml.*{told}"):
        read_file(path)
