"""What a worker is told of a corpus is enough to resolve references as this machine does."""

from __future__ import annotations

import pickle
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from engine.corpus.embedded.block import open_block
from engine.corpus.embedded.stored import stored_block
from engine.ingestion.build import build_corpus
from engine.ingestion.cluster.corpus import BlockResolver, corpus_of, request_for
from engine.ingestion.resolving import Resolving, links_name
from engine.ingestion.view import CorpusView
from tests.engine.ingestion.cluster.corpora import laws_in

VERSION = "1"


@pytest.fixture(scope="module")
def generation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("laws")
    build_corpus([laws_in(folder / "sources")], folder / "corpus", embedding="none")
    (found,) = (path for path in (folder / "corpus").iterdir() if path.is_dir())
    return found


def test_references_are_those_of_the_whole_corpus(generation: Path, tmp_path: Path) -> None:
    names = [path.stem for path in sorted((generation / "blocks").glob("*.block"))]
    view = CorpusView([stored_block(generation / "blocks" / f"{name}.block") for name in names])
    (tmp_path / "here" / "blocks").mkdir(parents=True)
    (tmp_path / "there" / "blocks").mkdir(parents=True)
    document = replace(view.documents[0], valid_from=date(2020, 1, 1))
    view.documents[0], view.versions = document, {0}
    here = Resolving(view, names, tmp_path / "here", VERSION)
    told = pickle.dumps(corpus_of(view, names, VERSION))
    there = BlockResolver(pickle.loads(told), tmp_path / "there")
    found = 0
    for number in reversed(range(len(names))):
        list(here(number))
        assert list(there(pickle.loads(pickle.dumps(request_for(view, names, number))))) == [names[number]]
        file = links_name(names[number])
        assert (tmp_path / "here" / file).read_bytes() == (tmp_path / "there" / file).read_bytes()
        found += len(open_block(tmp_path / "here" / file)["target"])
    assert found > len(names)
