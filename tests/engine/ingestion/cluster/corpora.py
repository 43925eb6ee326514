"""Laws that cite one another in every way, and corpora compared by their bytes."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from engine.corpus.embedded.block import Block
from engine.ingestion.resolving import Resolving
from tests.engine.ingestion.readers.test_akoma import ACT

# Chinese law counts its paragraphs: which is the second depends on how another law's passages begin.
_PORTS = (
    "# 港口管理条例\n\n## 第一条\n\n港口由国务院管理。\n\n## 第二条\n\n"
    "（一）船名和国籍。\n\n报告的期限由本条例规定为三日。\n\n前款规定的期限可以延长。\n"
)
_SHIPS = (
    "# 船舶登记办法\n\n## 第一条\n\n依照《港口管理条例》第二条第二款报告。\n\n"
    "## 第二条\n\n依照《港口管理条例》第一条办理。\n"
)
# Two versions of one act: their days are found in the whole corpus.
_PILOTS = (
    '---\ntitle: "Pilots Act 1931"\nidentifier: "PILOTS-1"\nlast_updated: "{0}"\n---\n# Pilots Act 1931\n\n'
)
_RULES = "## Section 1\n\nA pilot pays {0}. See section 2.\n\n## Section 2\n\nThe fee is {0}.\n"
_OTHER = (
    ACT.replace("1998/84", "1996/108").replace("1996/108#sec_24", "1998/84#sec_3").replace("National ", "")
)


def piers_in(folder: Path) -> Path:
    """A few short texts that cite an act."""
    folder.mkdir()
    for number in range(8):
        text = f"The pier of {number}. See section {number % 2 + 1} of the Pilots Act 1931."
        (folder / f"pier-{number}.txt").write_text(
            f"Article 1\n\n{text} See section 3 of the National Forests Act."
        )
    (folder / "pilots.md").write_text(_PILOTS.format("2001-01-01") + _RULES.format("1"))
    return folder


def laws_in(folder: Path) -> Path:
    """Files that cite one another: by names, by links, by counted paragraphs, as versions of one text."""
    piers_in(folder)
    (folder / "pilots-2011.md").write_text(_PILOTS.format("2011-01-01") + _RULES.format("2"))
    (folder / "ports.md").write_text(_PORTS, encoding="utf-8")
    (folder / "ships.md").write_text(_SHIPS, encoding="utf-8")
    (folder / "forests.xml").write_text(ACT, encoding="utf-8")
    (folder / "other.xml").write_text(_OTHER, encoding="utf-8")
    return folder


def resolve_nothing_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on references are resolved by workers alone, processes of their own: here they fail."""

    def refused(resolving: Resolving, number: int) -> Block:
        raise AssertionError(f"block {number} is resolved here")

    monkeypatch.setattr(Resolving, "resolved", refused)


def contents(corpus: Path) -> dict[str, bytes]:
    """Every file of the generation of a corpus, without how long its files took to read."""
    (generation,) = (path for path in corpus.iterdir() if path.is_dir())
    found = {
        str(path.relative_to(generation)): path.read_bytes()
        for path in sorted(generation.rglob("*"))
        if path.is_file()
    }
    ledger = orjson.loads(found["sources.json"])
    for entry in ledger["entries"]:
        entry["seconds"] = 0
    return found | {"sources.json": orjson.dumps(ledger)}
