"""Which passages hold a phrase."""

from __future__ import annotations

from pathlib import Path

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from engine.retrieval.planning.syntax import phrase_mask


def found(corpus: Corpus, phrase: str) -> set[str]:
    mask = phrase_mask(corpus, phrase, "en")
    assert mask is not None
    return {passage.id for passage in corpus.passages(mask.nonzero()[0].astype("int32"))}


def test_inflected_words_count_and_function_words_between_do_not(harbour: Corpus) -> None:
    assert found(harbour, "withdrawal of a berth") >= found(harbour, "withdrawal berth")
    assert found(harbour, "berth dues") <= found(harbour, "dues")
    assert found(harbour, "vessels") == found(harbour, "vessel")


def test_a_phrase_of_function_words_says_nothing(harbour: Corpus) -> None:
    assert phrase_mask(harbour, "of the", "en") is None
    assert phrase_mask(harbour, "", "en") is None


def test_each_language_of_the_corpus_is_met_by_its_own_stems(tmp_path: Path) -> None:
    for language, text in (
        ("en", "The time limit runs for a month."),
        ("de", "Die Frist läuft einen Monat."),
    ):
        page = f"---\nlanguage: {language}\n---\n\n# Law\n\n### Article 1\n\n{text}\n"
        (tmp_path / f"{language}.md").write_text(page, encoding="utf-8")
    build_corpus([tmp_path / "en.md", tmp_path / "de.md"], tmp_path / "corpus", embedding="none")
    corpus = open_corpus(tmp_path / "corpus")
    assert len(found(corpus, "Fristen")) == 1, "a question in English may quote a German word"
    assert len(found(corpus, "time limits")) == 1
