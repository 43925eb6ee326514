"""A corpus that changes: equal to a fresh one, whole at any moment, and no work done twice."""

from __future__ import annotations

import shutil
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.corpus import open_corpus
from engine.corpus.judgements import add_decision, locate_reference
from engine.corpus.protocol import Corpus
from engine.errors import CorpusError, IngestionCancelledError, SourceError
from engine.ingestion.build import add_to_corpus, build_corpus, remove_from_corpus
from engine.ingestion.report import FileStatus
from engine.model import Status
from tests.engine.forked import Tell, killed

TITLES = ("Harbour Act", "Vessel Act", "Fee Act", "Pilot Act")


def act(number: int, version: int) -> str:
    """An act that cites two others by name, and whose articles depend on the version."""
    title, other = TITLES[number], TITLES[(number + 1) % len(TITLES)]
    articles = [
        f"## Article {n} Powers\n\nThe Port Authority of act {number} may act under Article {n + 1} of the "
        f"{other}, subject to Article 1 of the {TITLES[(number + 2) % len(TITLES)]} and to Article {n + 1}. "
        f"Version {version}."
        for n in range(1, 4 + version)
    ]
    return f"---\nid: act-{number}\ntitle: {title}\nlanguage: en\n---\n# {title}\n\n" + "\n\n".join(articles)


def write(folder: Path, state: dict[int, int]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for number, version in state.items():
        (folder / f"{number}.md").write_text(act(number, version))


def content(corpus: Corpus) -> dict[str, object]:
    rows = np.arange(len(corpus), dtype=np.int32)
    hits = corpus.search_lexical(["port authority article 2 version 1", "fee act powers"], "en", 50)
    entities = corpus.entities_of(rows)
    named = {n: corpus.entities([n])[0].name for own in entities for n in own}
    return {
        "documents": corpus.documents(),
        "passages": corpus.passages(rows),
        "sections": [
            corpus.sections(corpus.document_sections(n).tolist()) for n in range(len(corpus.documents()))
        ],
        "references": list(corpus.all_references()),
        "hits": [(hit.rows.tolist(), hit.scores.tolist()) for hit in hits],
        "entities": [sorted(named[n] for n in own) for own in entities],
        "links": [values.tolist() for values in (corpus.siblings(rows, 5).rows, corpus.citation_counts())],
    }


def built(sources: Path, folder: Path) -> Corpus:
    build_corpus([sources], folder, embedding="none")
    return open_corpus(folder)


states = st.dictionaries(st.integers(0, 3), st.integers(0, 2), min_size=1)


@settings(max_examples=4)
@given(states, states, st.sets(st.integers(0, 3)))
def test_adding_and_removing_equals_ingesting_anew(
    tmp_path_factory: pytest.TempPathFactory, first: dict[int, int], added: dict[int, int], removed: set[int]
) -> None:
    root = tmp_path_factory.mktemp("living")
    write(root / "sources", first)
    built(root / "sources", root / "corpus")
    for number, version in added.items():
        (root / "sources" / f"{number}.md").write_text(act(number, version))
        add_to_corpus([root / "sources" / f"{number}.md"], root / "corpus")
    held = [*first, *(number for number in added if number not in first)]
    kept = [number for number in held if number not in removed]
    gone = [f"act-{number}" for number in held if number in removed]
    if not kept:
        with pytest.raises(SourceError, match="nothing usable"):
            remove_from_corpus(gone, root / "corpus")
        return
    if gone:
        remove_from_corpus(gone, root / "corpus")
    # A folder is read in the order of names; what was added stands behind.
    order = [*sorted(number for number in kept if number in first), *(n for n in kept if n not in first)]
    files = [root / "sources" / f"{number}.md" for number in order]
    build_corpus(files, root / "fresh", embedding="none")
    assert content(open_corpus(root / "corpus")) == content(open_corpus(root / "fresh"))


def test_what_has_not_changed_is_not_read_again(tmp_path: Path) -> None:
    write(tmp_path / "sources", {0: 0, 1: 0, 2: 0})
    first = build_corpus([tmp_path / "sources"], tmp_path / "corpus", embedding="none")
    assert [file.reused for file in first.files] == [False] * 3
    assert all(file.status is FileStatus.READ for file in first.files)
    (tmp_path / "sources" / "1.md").write_text(act(1, 1))
    again = build_corpus([tmp_path / "sources"], tmp_path / "corpus", embedding="none")
    assert [file.reused for file in again.files] == [True, False, True]


def test_a_document_takes_the_place_of_the_one_with_its_id(tmp_path: Path) -> None:
    write(tmp_path / "sources", {0: 0, 1: 0})
    built(tmp_path / "sources", tmp_path / "corpus")
    (tmp_path / "elsewhere.md").write_text(act(0, 2))
    report = add_to_corpus([tmp_path / "elsewhere.md"], tmp_path / "corpus")
    (note,) = report.problems
    assert (Path(note.path).name, note.id, note.is_note) == ("elsewhere.md", "act-0", True)
    assert note.reason.startswith("takes the place of the document with this id from ")
    corpus = open_corpus(tmp_path / "corpus")
    assert [document.id for document in corpus.documents()] == ["act-1", "act-0"]
    assert "Version 2." in corpus.passages(corpus.by_document(["act-0"])[0])[0].text


def test_the_files_of_a_corpus_are_not_needed_to_change_it(tmp_path: Path) -> None:
    write(tmp_path / "sources", {0: 0, 1: 0})
    built(tmp_path / "sources", tmp_path / "corpus")
    shutil.rmtree(tmp_path / "sources")
    (tmp_path / "more.md").write_text(act(2, 0))
    assert add_to_corpus([tmp_path / "more.md"], tmp_path / "corpus").documents == 3
    assert remove_from_corpus(["act-0"], tmp_path / "corpus").documents == 2


def test_an_id_in_two_files_is_told_and_comes_back_when_the_first_is_gone(tmp_path: Path) -> None:
    write(tmp_path / "sources", {0: 0})
    (tmp_path / "sources" / "9.md").write_text(act(0, 1))
    report = build_corpus([tmp_path / "sources"], tmp_path / "corpus", embedding="none")
    assert "document act-0 is already in the corpus" in report.problems[0].reason
    (tmp_path / "sources" / "0.md").unlink()
    assert (
        "Version 1."
        in built(tmp_path / "sources", tmp_path / "corpus").passages(np.zeros(1, np.int32))[0].text
    )


def test_ids_of_untouched_passages_stay(tmp_path: Path) -> None:
    write(tmp_path / "sources", {0: 0, 1: 0})
    before = built(tmp_path / "sources", tmp_path / "corpus")
    write(tmp_path / "sources", {0: 2, 1: 0})
    after = built(tmp_path / "sources", tmp_path / "corpus")
    (old,), (new,) = before.by_document(["act-1"]), after.by_document(["act-1"])
    assert old.tolist() != new.tolist()
    assert [p.id for p in before.passages(old)] == [p.id for p in after.passages(new)]


def test_only_documents_that_are_there_can_be_removed(tmp_path: Path) -> None:
    write(tmp_path / "sources", {0: 0, 1: 0})
    built(tmp_path / "sources", tmp_path / "corpus")
    with pytest.raises(CorpusError, match="no document 'act-7'"):
        remove_from_corpus(["act-0", "act-7"], tmp_path / "corpus")
    assert len(open_corpus(tmp_path / "corpus").documents()) == 2
    with pytest.raises(CorpusError, match="no corpus at"):
        remove_from_corpus(["act-0"], tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()


def test_decisions_outlive_an_ingestion_and_are_told_when_their_words_are_gone(tmp_path: Path) -> None:
    write(tmp_path / "sources", {0: 0, 1: 0})
    corpus = built(tmp_path / "sources", tmp_path / "corpus")
    numbers = corpus.reference_numbers(statuses=[Status.UNRESOLVED])
    (reference, *_) = corpus.references(numbers.tolist())
    (passage,) = corpus.passages(corpus.rows([reference.source_id]))
    place = locate_reference(passage.id, passage.text, reference.span)
    add_decision(tmp_path / "corpus", place, "act-1")
    write(tmp_path / "sources", {0: 0, 1: 1})
    decided = [
        one
        for one in built(tmp_path / "sources", tmp_path / "corpus").all_references()
        if one.grammar == "person"
    ]
    assert [(one.source_id, one.target_id) for one in decided] == [(passage.id, "act-1")]
    write(tmp_path / "sources", {1: 1})
    report = build_corpus([tmp_path / "sources"], tmp_path / "corpus", embedding="none")
    assert [problem.id for problem in report.problems] == [passage.id]
    assert "has no effect" in report.problems[0].reason


def test_a_cancelled_ingestion_leaves_the_corpus_as_it_was(tmp_path: Path) -> None:
    write(tmp_path / "sources", {0: 0})
    seen = content(built(tmp_path / "sources", tmp_path / "corpus"))
    write(tmp_path / "sources", {0: 1, 1: 1})
    for asked in (1, 3, 5):
        answers = iter([False] * asked)
        with pytest.raises(IngestionCancelledError):
            build_corpus(
                [tmp_path / "sources"],
                tmp_path / "corpus",
                embedding="none",
                cancelled=partial(next, answers, True),
            )
        assert content(open_corpus(tmp_path / "corpus")) == seen
    assert len(list((tmp_path / "corpus").glob("data-*"))) == 1


def test_a_reader_never_sees_half_a_corpus(tmp_path: Path) -> None:
    write(tmp_path / "one", {0: 0, 1: 0})
    write(tmp_path / "two", {0: 1, 1: 0, 2: 0})
    sizes = {len(built(tmp_path / name, tmp_path / "corpus")) for name in ("one", "two")}

    def ingest_on_and_on(tell: Tell) -> None:
        tell()
        while True:
            for name in ("one", "two"):
                built(tmp_path / name, tmp_path / "corpus")

    with killed(ingest_on_and_on):
        end = time.monotonic() + 1
        while time.monotonic() < end:
            corpus = open_corpus(tmp_path / "corpus")
            assert len(corpus.passages(np.arange(len(corpus), dtype=np.int32))) in sizes
