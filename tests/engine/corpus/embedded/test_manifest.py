from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from engine.corpus import open_corpus
from engine.corpus.embedded.generation import MANIFEST_NAME, FileSeal, read_manifest
from engine.errors import CorpusError
from engine.ingestion.build import build_corpus


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("manifest")
    (folder / "act.md").write_text("# Act\n\n#### Article 1\n\nThe master pays.\n", encoding="utf-8")
    build_corpus([folder / "act.md"], folder / "corpus", name="Act", embedding="none")
    return folder / "corpus"


SEAL = FileSeal(0, "0" * 32)
GOOD = "data-7d79ad0698bdbd71"
GENERATIONS = ("", ".", "..", "../other", "/etc", f"{GOOD}/..", f"{GOOD}\n", f"{GOOD}\0", "data-x")
FILES = ("", "..", "../x", "/etc/passwd", "blocks/../../x", "a//b", "a/", ".a", "a\\b", "a\nb", "a\0", "a\n")


@pytest.mark.parametrize(
    "change", [*({"generation": name} for name in GENERATIONS), *({"files": {name: SEAL}} for name in FILES)]
)
def test_a_forged_manifest_names_nothing_outside_its_corpus(
    built: Path, tmp_path: Path, change: dict[str, Any]
) -> None:
    folder = shutil.copytree(built, tmp_path / "corpus")
    forged = read_manifest(folder).model_copy(update=change).sealed()
    (folder / MANIFEST_NAME).write_bytes(forged.to_json().encode())
    with pytest.raises(CorpusError, match=next(iter(change))):
        open_corpus(folder)
