"""The cosine of unrelated passages, by question and by language."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.corpus import open_corpus
from engine.corpus.embedded.writing import write_corpus
from engine.corpus.protocol import Corpus, Hits
from engine.corpus.toy import toy_contents
from engine.retrieval.retrievers.registry import levels

# Degrees between the passages of a toy corpus and the east: seven in English, one in German.
TOGETHER = (60, 62, 64, 66, 68, 70, 72, 80)


def at(*degrees: float) -> NDArray[np.float32]:
    angles = np.radians(np.asarray(degrees, np.float64))
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def corpus_at(folder: Path, degrees: tuple[float, ...], german: int = 1) -> Corpus:
    contents = toy_contents()
    documents = tuple(
        replace(document, language="de" if number >= len(contents.documents) - german else "en")
        for number, document in enumerate(contents.documents)
    )
    write_corpus(folder, replace(contents, documents=documents, vectors=at(*degrees)))
    return open_corpus(folder)


def hits(corpus: Corpus, question: NDArray[np.float32]) -> list[Hits]:
    return corpus.search_dense(question, len(corpus), -1.0)


def rows(*numbers: int) -> NDArray[np.int32]:
    return np.array(numbers, np.int32)


def test_a_question_far_from_all_passages_has_a_floor_of_its_own(tmp_path: Path) -> None:
    corpus = corpus_at(tmp_path / "far", TOGETHER)
    east = at(0)
    cosines = east @ corpus.vectors(rows(*range(8))).T
    assert float(np.median(cosines)) < corpus.similarity_floor, "passages are nearer to each other"
    shares = levels(corpus, "en", east, hits(corpus, east)).shares(cosines, rows(*range(8)))[0]
    assert shares[0] == pytest.approx(1.0)
    assert sorted(shares.tolist(), reverse=True) == shares.tolist()
    assert 0 < shares[3] < 1, "not all but the best is nothing"


def test_passages_without_vectors_are_not_looked_at(tmp_path: Path) -> None:
    contents = toy_contents()
    write_corpus(tmp_path / "toy", contents)
    corpus, east = open_corpus(tmp_path / "toy"), at(0)
    found = levels(corpus, "de", east, hits(corpus, east))
    assert np.isfinite(found.floors).all()
    assert np.isfinite(found.shares(east @ corpus.vectors(rows(0, 7)).T, rows(0, 7))).all()


def test_a_view_without_hits_has_no_best(tmp_path: Path) -> None:
    corpus, east = corpus_at(tmp_path / "none", TOGETHER), at(0)
    empty = [Hits(rows(), np.empty(0, np.float32))]
    shares = levels(corpus, "en", east, empty).shares(east @ corpus.vectors(rows(0)).T, rows(0))
    assert np.isfinite(shares).all()
