"""Every kind of case, made once; and cases of a law that is changed afterwards, kept as people keep them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.exports.cases import ExportableCase
from engine.ingestion.build import build_corpus
from engine.records.store.chain import fingerprint_of
from engine.records.store.store import CaseStore
from tests.engine.exports.cases import KINDS, made
from tests.engine.harbour import NOTHING, QUESTION, write_harbour
from tests.engine.investigation.story import finished, record_of

Cases = dict[str, ExportableCase]
Record = dict[str, Any]
Hand = Callable[..., ExportableCase]
HOSTILE = (
    '<script>alert(1)</script> *b* _i_ [x](http://evil.example) |=HYPERLINK("http://evil") # &amp; `c` $1$'
)


@pytest.fixture(scope="session")
def cases(tmp_path_factory: pytest.TempPathFactory, harbour: Corpus, bare: Corpus) -> Cases:
    return {kind: made(kind, tmp_path_factory.mktemp(kind), harbour, bare) for kind in KINDS}


@pytest.fixture(scope="session")
def asked(harbour: Corpus) -> Record:
    return record_of(finished(harbour, QUESTION))


@pytest.fixture(scope="session")
def in_vain(harbour: Corpus) -> Record:
    return record_of(finished(harbour, NOTHING))


@pytest.fixture(scope="session")
def arabic(meridia: Corpus) -> Record:
    return record_of(finished(meridia, "هل يجوز للوكيل أن يوكل غيره؟"))


@pytest.fixture(scope="session")
def amended(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """The harbour's law, under the same name, with another number of days in Article 12."""
    root = tmp_path_factory.mktemp("amended")
    sources = write_harbour(root / "sources", ontology=True)
    act = sources / "harbour.md"
    act.write_text(act.read_text(encoding="utf-8").replace("fourteen days", "forty days"), encoding="utf-8")
    build_corpus([sources], root / "harbour", embedding="none")
    return open_corpus(root / "harbour")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[CaseStore]:
    found = CaseStore(f"sqlite:///{tmp_path / 'cases.sqlite'}")
    yield found
    found.close()


@pytest.fixture
def handed(store: CaseStore, harbour: Corpus) -> Hand:
    """Keeps a record and hands it over as the command line does."""

    def hand(record: Record, corpus: Corpus | None, *, name: str = "", **changes: Any) -> ExportableCase:
        matter = store.matter("Berths of 2026")
        case_id = store.keep(
            record, matter, application="cli", who="Ann", fingerprint=fingerprint_of(harbour), name=name
        )
        if record["passages"]:
            passage = record["passages"][0]["id"]
            store.step(case_id, "pin", who="Ben", data={"passage": passage}, record=record)
            store.step(case_id, "dismiss", who="Ben", data={"passage": passage, "reason": "<b>no</b> use"})
        store.judge(case_id, "sound", who="Cem", right=True)
        given = ExportableCase(
            store.record(case_id), store.summary(case_id), store.events(case_id), "", corpus, matter.name
        )
        return replace(given, **changes)

    return hand
