"""Standards that questions name: the edition that they give, else the latest."""

from __future__ import annotations

import pytest

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from engine.retrieval.planning.prose import documents_focused_on, standards_at

TITLES = {
    "old": "GRI 306: Effluents and Waste 2016",
    "new": "GRI 306: Waste 2020",
    "iso": "ISO/IEC 27001:2022 Information security management systems",
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("standards")
    for name, title in TITLES.items():
        (folder / f"{name}.md").write_text(f"# {title}\n\n## 1 Scope\n\nIt is reported.\n", "utf-8")
    build_corpus([folder], folder / "corpus", embedding="none")
    return open_corpus(folder / "corpus")


@pytest.mark.parametrize(
    ("text", "documents"),
    [
        ("What does GRI 306 2016 say on spills?", ["old"]),
        ("What does GRI 306: Effluents and Waste 2016 say?", ["old"]),
        ("What does GRI 306 say?", ["new"]),
        ("What does ISO/IEC 27001 say on audits?", ["iso"]),
        ("What does GRI 306 2018 say?", []),
        ("What does GRI 999 say?", []),
        ("Is it reported?", []),
    ],
)
def test_a_designation_means_its_edition_or_the_latest(
    corpus: Corpus, text: str, documents: list[str]
) -> None:
    assert [one for meant, _ in standards_at(corpus, text) for one in meant] == documents
    assert list(documents_focused_on(corpus, text, "en")) == documents
