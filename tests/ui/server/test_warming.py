from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from engine.corpus.embedded.writing import write_corpus
from engine.corpus.toy import toy_contents
from engine.ingestion.build import build_corpus
from engine.language.embedders.base import Vectors
from engine.language.references import readings
from engine.operator_settings import OperatorSettings
from ui.investigate.plan import CaseRequest
from ui.investigate.progress import render_progress
from ui.investigate.updates import open_case
from ui.server.warming import load, loading, openings, warm_up
from ui.shelf import Library, open_library

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
    readings.recogniser.cache_clear()
    warm_up(bilingual).join()
    known = readings.recogniser.cache_info().misses
    for language, text in TEXTS.items():
        assert readings.find_mentions(text, language), "the question must name a provision"
    assert readings.recogniser.cache_info().misses == known


def test_a_case_says_that_it_waits_for_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = Event()

    class Slow:
        def encode(self, texts: list[str], kind: str) -> Vectors:
            assert there.wait(60)
            return np.zeros((len(texts), 384), np.float32)

    monkeypatch.setattr("ui.server.warming.embedder", lambda spec: Slow())
    # No case is asked: it would load the real model.
    monkeypatch.setattr("ui.server.warming.openings", lambda corpus: [])
    write_corpus(tmp_path / "toy", replace(toy_contents(), embedding="minilm"))
    library = open_library([tmp_path / "toy"])
    asked = CaseRequest(question="May a manager grant broader powers?")
    warming = warm_up(library)
    assert loading("minilm")
    assert "The search model is being loaded" in render_progress(open_case(library, asked).story)
    there.set()
    warming.join()
    assert not loading("minilm")
    assert "is being loaded" not in render_progress(open_case(library, asked).story)


def test_the_model_of_corpora_to_come_is_loaded_where_there_may_be_some(
    bilingual: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[str] = []

    class Model:
        def __init__(self, spec: str) -> None:
            self.spec = spec

        def encode(self, texts: list[str], kind: str) -> Vectors:
            used.append(self.spec)
            return np.zeros((len(texts), 384), np.float32)

    monkeypatch.setattr("ui.server.warming.embedder", Model)
    corpus = bilingual.find(None).folder
    for settings in ({"uploads": False}, {"embeddings": ("none", "minilm")}):
        load(Library([corpus], tmp_path / "home", OperatorSettings(**settings)), to_come=True)
    load(Library([corpus], None, OperatorSettings()), to_come=True)
    load(Library([corpus], tmp_path / "home", OperatorSettings()))
    assert used == [], "none will come, or nobody shares what is loaded"
    load(Library([corpus], tmp_path / "home", OperatorSettings()), to_come=True)
    assert used == ["minilm"]


def test_a_corpus_without_vectors_waits_for_no_model(bilingual: Library) -> None:
    warming = warm_up(bilingual)
    assert not loading("none")
    warming.join()
