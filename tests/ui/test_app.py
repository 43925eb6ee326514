from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import app
import ui.sample
from engine.corpus import open_corpus
from engine.ingestion.build import build_corpus
from engine.ingestion.report import IngestionReport


def test_a_missing_corpus_ends_with_code_2_and_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert app.main(["--corpus", str(tmp_path / "nowhere")]) == 2
    said = capsys.readouterr().err.strip()
    assert said.startswith("redstring: ")
    assert "nowhere" in said
    assert "\n" not in said


def test_a_damaged_corpus_ends_with_code_2(
    tmp_path: Path, corpus_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in corpus_folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes() if path.is_file() else b"")
    (tmp_path / "manifest.json").write_text("{broken", encoding="utf-8")
    assert app.main(["--corpus", str(tmp_path)]) == 2
    assert "\n" not in capsys.readouterr().err.strip()


def test_the_sample_is_built_once_and_again_when_its_sources_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = tmp_path / "sources"
    sources.mkdir()
    (sources / "act.md").write_text(
        "# Act\n\n#### Article 1\n\nA manager may grant powers.\n", encoding="utf-8"
    )
    monkeypatch.setattr(ui.sample, "MODEL", "none")
    built: list[Path] = []

    def counted(paths: list[Path], folder: Path, **more: Any) -> IngestionReport:
        built.append(folder)
        return build_corpus(paths, folder, **more)

    monkeypatch.setattr(ui.sample, "build_corpus", counted)
    first = ui.sample.sample_folder(tmp_path / "home", sources)
    assert ui.sample.sample_folder(tmp_path / "home", sources) == first
    assert built == [first]
    assert open_corpus(first).name == ui.sample.NAME

    (first / "manifest.json").write_text("{broken", encoding="utf-8")
    assert ui.sample.sample_folder(tmp_path / "home", sources) == first
    assert len(built) == 2, "a damaged cache is built anew"

    (sources / "act.md").write_text("# Act\n\n#### Article 1\n\nNo manager may.\n", encoding="utf-8")
    assert ui.sample.sample_folder(tmp_path / "home", sources) != first


def test_a_language_model_that_cannot_be_used_ends_with_code_2_before_anything_is_served(
    corpus_folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("REDSTRING_LLM_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    for spec in ("gpt-4o", "openai:", "openai:gpt-4o"):
        assert app.main(["--corpus", str(corpus_folder), "--llm", spec]) == 2
        said = capsys.readouterr().err.strip()
        assert said.startswith("redstring: ")
        assert "\n" not in said


def test_the_page_is_made_without_loading_a_client_for_language_models(corpus_folder: Path) -> None:
    made = (
        "import sys; from pathlib import Path; import app;"
        "from engine.operator_settings import OperatorSettings;"
        "settings = OperatorSettings(llm='openai:m@http://127.0.0.1:9/v1');"
        f"app.build([Path({str(corpus_folder)!r})], settings);"
        "print('openai' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", made], capture_output=True, text=True, check=True)
    assert ran.stdout.split()[-1] == "False"
