from __future__ import annotations

from pathlib import Path

import pytest

from engine.ingestion.build import build_corpus
from engine.language.references import registry
from ui.shelf import Library, open_library
from ui.warming import openings, warm_up

TEXTS = {
    "en": "An agent may appoint a sub-agent under Article 2 of the Agency Act where the principal consents.",
    "de": "Die Vollmacht erlischt nach § 2 des Vertretungsgesetzes, wenn der Vertretene sie widerruft.",
}


@pytest.fixture
def bilingual(tmp_path: Path) -> Library:
    for language, text in TEXTS.items():
        content = f"---\nid: {language}\nlanguage: {language}\n---\n\n# Law\n\n#### Article 1\n\n{text}\n"
        (tmp_path / f"{language}.md").write_text(content, encoding="utf-8")
    build_corpus([tmp_path], tmp_path / "corpus", name="Bilingual", embedding="none")
    return open_library([tmp_path / "corpus"])


def test_each_language_of_a_corpus_has_its_opening(bilingual: Library) -> None:
    assert sorted(openings(bilingual.corpus(None))) == sorted(text[:100] for text in TEXTS.values())


def test_no_grammar_is_left_for_the_first_question(bilingual: Library) -> None:
    registry.recogniser.cache_clear()
    warm_up(bilingual).join()
    known = registry.recogniser.cache_info().misses
    for language, text in TEXTS.items():
        assert registry.find_mentions(text, language), "the question must name a provision"
    assert registry.recogniser.cache_info().misses == known
