from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.corpus.verifying import verify
from engine.errors import CorpusError, SettingsError, SourceError
from engine.ingestion.build import add_to_corpus, build_corpus
from engine.model import Direction, Relation
from tests.tables import table

ACT: str = table(__file__, "ACT")
ORDER: str = table(__file__, "ORDER")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "act.md").write_text(ACT, encoding="utf-8")
    (folder / "order.md").write_text(ORDER, encoding="utf-8")
    return folder


def built(source: Path, *, index_headings: bool = True) -> Corpus:
    build_corpus([source], source.parent / "corpus", embedding="none", index_headings=index_headings)
    return open_corpus(source.parent / "corpus")


@pytest.mark.parametrize("lost", ["state.arrays", "found.arrays", "blocks/*.block", "blocks/*.links"])
def test_a_corpus_that_lost_a_file_is_whole_when_its_sources_are_read_again(source: Path, lost: str) -> None:
    before = [passage.text for passage in built(source).passages(np.arange(6, dtype=np.int32))]
    folder = source.parent / "corpus"
    (data,) = folder.glob("data-*")
    next(data.glob(lost)).unlink()
    corpus = built(source)
    assert [passage.text for passage in corpus.passages(np.arange(6, dtype=np.int32))] == before
    assert verify(folder).problems == ()


def test_the_same_sources_make_the_same_corpus(source: Path) -> None:
    first, second = built(source), built(source)
    rows = np.arange(len(first), dtype=np.int32)
    assert first.passages(rows) == second.passages(rows)
    assert list(first.all_references()) == list(second.all_references())


def test_edges_only_when_asked(source: Path) -> None:
    (source / "edges.tsv").write_text(
        "source-id\ttarget-id\trelation\nact/art-1/para-1\torder/sec-1\tcites_gold\nlost\torder/sec-1\tx\nalone\n"
    )

    def cited(corpus: Corpus) -> list[int]:
        asked = corpus.rows(["act/art-1/para-1"])
        links = corpus.neighbours(asked, [Relation.CITES], Direction.OUT)
        return [int(row) for row in links.rows]

    assert cited(built(source)) == []
    report = build_corpus([source], source.parent / "corpus", embedding="none", with_edges=True)
    corpus = open_corpus(source.parent / "corpus")
    assert cited(corpus) == corpus.rows(["order/sec-1"]).tolist()
    assert {(problem.line, problem.id) for problem in report.problems} == {(3, "lost"), (4, None)}


def test_extras_are_taken_in_and_checked(source: Path) -> None:
    (source / "ontology.yaml").write_text(
        "areas: [{id: fees, keywords: {en: [fee]}}]\ntransactions: {port: [fees]}\n"
    )
    (source / "examples.json").write_text(
        '[{"text": "Who pays?", "language": "en", "title": "Fees", "more": 1}]'
    )
    corpus = built(source)
    assert corpus.ontology is not None
    assert corpus.ontology.transactions == {"port": ("fees",)}
    assert corpus.info().metadata["examples"] == [{"text": "Who pays?", "language": "en", "title": "Fees"}]


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("ontology.yaml", "areas: [", "not readable as YAML"),
        ("ontology.yaml", "areas: []", "no area"),
        ("ontology.yaml", "areas: [{id: a}]\ntransactions: {t: [b]}", "unknown area 'b'"),
        ("ontology.yaml", "areas: [{id: a}, {id: a}]", "described twice"),
        ("examples.json", "[", "not readable as JSON"),
        ("examples.json", '[{"title": "no text"}]', "0.text"),
    ],
)
def test_broken_extras_are_problems(source: Path, name: str, content: str, reason: str) -> None:
    (source / name).write_text(content)
    (problem,) = build_corpus([source], source.parent / "corpus", embedding="none").problems
    assert problem.path.endswith(name)
    assert reason in problem.reason


def test_problems_are_named_and_the_rest_is_read(source: Path) -> None:
    (source / "scan.pdf").write_bytes(b"%PDF-1.7\0\0")
    (source / "empty.md").write_bytes(b"")
    (source / "copy.md").write_text(ACT)
    (source / "corpus.jsonl").write_text('{"id": "a", "text": "A line."}\nbroken\n')
    report = build_corpus([source], source.parent / "corpus", embedding="none")
    reasons = {Path(problem.path).name: problem.reason for problem in report.problems}
    assert reasons.keys() == {"scan.pdf", "empty.md", "copy.md", "corpus.jsonl"}
    assert "document act is already in the corpus" in reasons["copy.md"] or reasons["copy.md"]
    assert report.documents == 3


@pytest.fixture
def sets(tmp_path: Path) -> Path:
    for name in ("base", "other"):
        (tmp_path / "sets" / name).mkdir(parents=True)
    (tmp_path / "sets" / "base" / "corpus.jsonl").write_text('{"id": "a", "text": "A line."}')
    (tmp_path / "sets" / "other" / "corpus.ref").write_text("elsewhere/base\n")
    return tmp_path / "sets"


def test_the_corpus_of_another_set_is_not_read_unnamed(sets: Path, tmp_path: Path) -> None:
    told = r"names the corpus of another set \(elsewhere/base\): not followed; .* name that too"
    with pytest.raises(SourceError, match=told):
        build_corpus([sets / "other"], tmp_path / "corpus", embedding="none")
    (sets / "other" / "law.txt").write_text("A law.")
    report = build_corpus([sets / "other"], tmp_path / "corpus", embedding="none")
    assert report.passages == 1
    assert [file.reason.split(";")[0] for file in report.files if file.name.endswith(".ref")] == [
        "names the corpus of another set (elsewhere/base): not followed"
    ]


def test_nothing_usable_is_an_error_and_leaves_the_old_corpus(source: Path, tmp_path: Path) -> None:
    built(source)
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "corpus.jsonl").write_text('{"id": "a", "text": ""}')
    with pytest.raises(SourceError, match="nothing usable"):
        build_corpus([tmp_path / "bad"], tmp_path / "corpus", embedding="none")
    with pytest.raises(SourceError, match="no such file or folder"):
        build_corpus([tmp_path / "nowhere"], tmp_path / "corpus", embedding="none")
    with pytest.raises(SettingsError, match="unknown embedding"):
        build_corpus([source], tmp_path / "corpus", embedding="magic")
    assert len(open_corpus(tmp_path / "corpus")) == 6


def test_a_folder_with_other_files_is_refused_before_any_work(source: Path) -> None:
    with pytest.raises(CorpusError, match="holds other files"):
        build_corpus([source], source, embedding="none")


def test_entities_of_a_low_score_are_left_out_now_and_when_sources_are_added(tmp_path: Path) -> None:
    law, more, folder = tmp_path / "law.md", tmp_path / "more.md", tmp_path / "corpus"
    fees = '## 1 Fees\n\n"Keel Fee" means a fee; so Andy Murray came.'
    law.write_text(f"# Act\n\n{fees}\n\n## 2 End\n\nand Andy Murray went.\n", "utf-8")
    more.write_text("# Rules\n\nthen Andy Murray won\n", "utf-8")

    def names() -> set[str]:
        corpus = open_corpus(folder)
        return {entity.name for entity in corpus.entities(range(corpus.info().entities))}

    build_corpus([law], folder, embedding="none")
    assert {"Andy Murray", "Keel Fee"} <= names()
    build_corpus([law], folder, embedding="none", entity_score=0.75)
    assert "Keel Fee" in names()
    assert "Andy Murray" not in names()
    add_to_corpus([more], folder)
    with pytest.raises(SettingsError, match="between 0 and 1"):
        build_corpus([law], folder, embedding="none", entity_score=2.0)
    assert "Andy Murray" not in names()
