from __future__ import annotations

import pytest

from engine.corpus import address_of, open_corpus
from engine.corpus.contract import CorpusContract
from engine.corpus.embedded.writing import write_corpus
from engine.corpus.postgresql.loading import copy_to_server
from engine.corpus.protocol import Corpus
from engine.corpus.toy import toy_contents


class TestPostgresCorpus(CorpusContract):
    @pytest.fixture(scope="class")
    @classmethod
    def corpus(cls, tmp_path_factory: pytest.TempPathFactory, database: str) -> Corpus:
        folder = tmp_path_factory.mktemp("store") / "harbour"
        write_corpus(folder, toy_contents(further=True))
        copy_to_server(folder, address_of(f"{database}&corpus=harbour"))
        return open_corpus(f"{database}&corpus=harbour")


class TestPartitioned(CorpusContract):
    @pytest.fixture(scope="class")
    @classmethod
    def corpus(cls, tmp_path_factory: pytest.TempPathFactory, database: str) -> Corpus:
        folder = tmp_path_factory.mktemp("store") / "harbour"
        write_corpus(folder, toy_contents(further=True))
        copy_to_server(folder, address_of(f"{database}&corpus=parted-harbour"), by="validity")
        return open_corpus(f"{database}&corpus=parted-harbour")
