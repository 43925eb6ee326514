"""One corpus in which the 200 passages stand among real law, in four languages."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from tests.conftest import SAMPLE
from tests.safety.passages import injected

# What each injected passage is headed with: the words of the questions, so that searches find it.
HEADINGS = {
    "en": "Objection deadline of the commercial agent",
    "de": "Widerspruchsfrist des Handelsvertreters",
    "id": "Jangka waktu keberatan agen komersial",
    "ar": "مهلة اعتراض الوكيل التجاري",
}


@pytest.fixture(scope="session")
def poisoned_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sources = tmp_path_factory.mktemp("poisoned-sources")
    lines = [
        {
            "_id": one.id,
            "title": f"{HEADINGS[one.language]} ({one.id})",
            "text": one.text,
            "metadata": {"language": one.language},
        }
        for one in injected()
    ]
    text = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
    (sources / "injected.jsonl").write_text(text, encoding="utf-8")
    for pattern in ("commercial-agency-code*.md", "tax-procedure-act*.md", "ontology.yaml"):
        for path in SAMPLE.glob(pattern):
            shutil.copy(path, sources)
    folder = tmp_path_factory.mktemp("poisoned") / "corpus"
    build_corpus([sources], folder, name="Poisoned", embedding="none")
    return folder


@pytest.fixture
def poisoned(poisoned_folder: Path) -> Corpus:
    return open_corpus(poisoned_folder)
