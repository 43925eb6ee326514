"""Sources, a reader that misbehaves, and what a worker on another machine sees (its module is preloaded)."""

from __future__ import annotations

import ctypes
import os
import socket
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from engine.ingestion import ledger
from engine.ingestion.build import build_corpus
from engine.ingestion.cluster import worker
from engine.ingestion.readers.base import Problem, ReadDocument, Reader, SourceFile
from engine.ingestion.report import IngestionReport
from engine.model import Document, Passage
from engine.operator_settings import PROJECT

# Two versions of one act: only the whole corpus shows their days.
_PILOTS = (
    '---\ntitle: "Pilots Act 1931"\nidentifier: "P-1"\nlast_updated: "{0}-01-01"\n---\n# Pilots Act 1931\n'
    "\n## Section 1\n\nA pilot pays {0}. See section 2.\n\n## Section 2\n\nThe fee is {0}.\n"
)
# Chinese law counts paragraphs: which is the second depends on how the passages of the other law begin.
_PORTS = (
    "# 港口管理条例\n\n## 第一条\n\n港口由国务院管理。\n\n## 第二条\n\n"
    "（一）船名。\n\n报告的期限为三日。\n\n前款规定的期限可以延长。\n"
)
_SHIPS = "# 船舶登记办法\n\n## 第一条\n\n依照《港口管理条例》第二条第二款报告。\n"


def make_sources(folder: Path) -> Path:
    """Files of several kinds that cite one another, one of them in an archive."""
    folder.mkdir()
    for file in sorted((PROJECT / "sample_data" / "meridia").glob("*.md"))[:3]:
        (folder / file.name).write_bytes(file.read_bytes())
    for year in ("2001", "2011"):
        (folder / f"pilots-{year}.md").write_text(_PILOTS.format(year))
    (folder / "ports.md").write_text(_PORTS, encoding="utf-8")
    (folder / "ships.md").write_text(_SHIPS, encoding="utf-8")
    with zipfile.ZipFile(folder / "more.zip", "w") as packed:
        packed.writestr("inside.txt", "Article 1\n\nThe harbour is open.\n\nArticle 2\n\nSee Article 1.")
    text = "Article {0}. The pier of {0}. See section 1 of the Pilots Act 1931."
    lines = (
        orjson.dumps({"id": f"d{number}", "text": text.format(number)}).decode() for number in range(600)
    )
    (folder / "lines.jsonl").write_text("\n".join(lines))
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    return folder


def build(source: Path | str, corpus: Path, cluster: str | None = None, **more: Any) -> IngestionReport:
    return build_corpus([source], corpus, embedding="none", cluster=cluster, **more)


def read_corpus(corpus: Path) -> dict[str, bytes]:
    """Every file of the generation of a corpus, without the seconds that its files took."""
    (generation,) = (path for path in corpus.iterdir() if path.is_dir())
    paths = (path for path in sorted(generation.rglob("*")) if path.is_file())
    found = {str(path.relative_to(generation)): path.read_bytes() for path in paths}
    ledger = orjson.loads(found["sources.json"])
    for entry in ledger["entries"]:
        entry["seconds"] = 0
    return found | {"sources.json": orjson.dumps(ledger)}


class HostileReader:
    """Reads ``.evil`` files: one word says what to do after the first document."""

    name = "hostile"

    def accepts(self, path: Path, head: bytes) -> bool:
        return path.suffix == ".evil"

    def read(self, source: SourceFile) -> Iterator[ReadDocument | Problem]:
        order, name = source.content().decode(), source.path.stem
        yield ReadDocument(Document(name, name), (), (Passage(f"{name}/1", name, None, 0, "A harbour."),))
        match order:
            case "hang":
                time.sleep(600)
            case "segfault":
                ctypes.string_at(0)
            case "eat":
                yield Problem(source.name, str(len(bytearray(2 << 30))))
            case "write":
                Path("/dev/shm/left-behind").write_text("x", encoding="ascii")
            case "connect":
                socket.socket()
            case "slow":
                with source.opened():
                    yield Problem(source.name, "this comes first", is_note=True)
                    time.sleep(0.3)
            case "wait":
                with source.opened():
                    time.sleep(600)


def dask_setup(dask_worker: Any) -> None:
    """Let a worker send items one by one, and, as if on another machine, see no file outside its folder."""
    worker.ANSWER_ITEMS = 1

    def get_key(source: SourceFile, reader: Reader, *options: str) -> str:
        if "APART" in os.environ and not source.path.is_relative_to(dask_worker.local_directory):
            raise FileNotFoundError(source.path)
        return ledger.file_key(source, reader, *options)

    worker.file_key = get_key  # type: ignore[attr-defined]
