from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import fsspec
import pytest

from engine.errors import FileRefusedError
from engine.ingestion.cluster.content import content_of, placed, with_bytes
from engine.ingestion.readers.base import SourceFile


def test_a_file_comes_by_its_path_its_url_or_is_sent(tmp_path: Path) -> None:
    path, folder = tmp_path / "law.txt", tmp_path / "worker"
    path.write_bytes(b"The harbour.")
    source = SourceFile(path)
    content = content_of(source, None)
    sent = with_bytes(source, content)
    assert placed(source, content, folder) == source
    path.write_bytes(b"Another file of that name.")
    assert placed(source, content, folder) is None
    by_sending = placed(source, sent, folder / "1")
    memory = fsspec.filesystem("memory")
    memory.pipe("/test-content/law.txt", b"The harbour.")
    by_url = placed(source, replace(content, url="memory://test-content/law.txt"), folder / "2")
    for found in (by_sending, by_url):
        assert found is not None
        assert found.content() == b"The harbour."
        assert (found.name, found.stem, found.path.name) == (source.name, source.stem, path.name)
    memory.pipe("/test-content/law.txt", b"The harbour!")
    with pytest.raises(FileRefusedError, match="changed during the ingestion"):
        placed(source, replace(content, url="memory://test-content/law.txt"), folder / "3")
    memory.rm("/test-content", recursive=True)
    with pytest.raises(FileRefusedError, match="changed during the ingestion"):
        with_bytes(source, content)
