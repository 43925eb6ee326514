"""Models that run in this process: the packaged one for real, once, and what is refused."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from engine.errors import ModelError
from engine.language.embedders import transformer
from engine.language.embedders.base import Embedder
from engine.language.embedders.contract import EmbedderContract
from engine.language.embedders.transformer import PACKAGED_MODULE, PackagedEmbedder, packaged_folder


class TestPackaged(EmbedderContract):
    @pytest.fixture(scope="class")
    @staticmethod
    def model() -> Embedder:
        return PackagedEmbedder()

    def test_meaning_beats_words(self, model: Embedder) -> None:
        asked, meant, worded = model.encode(
            [
                "When must the tax be paid?",
                "The due date of the levy is the tenth of March.",
                "The taxi must wait.",
            ],
            "query",
        )
        assert float(asked @ meant) > float(asked @ worded)


def test_the_dimensions_are_known_without_loading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transformer, "load_model", pytest.fail)
    assert PackagedEmbedder().dimensions == 384


def packaged_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = ModuleType(PACKAGED_MODULE)
    monkeypatch.setattr(package, "MODEL_DIR", str(folder), raising=False)
    monkeypatch.setattr(transformer, "import_module", lambda name: package)


def test_altered_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packaged_in(tmp_path, monkeypatch)
    (tmp_path / "model.safetensors").write_bytes(b"other weights")
    with pytest.raises(ModelError, match=r"are not those of all-MiniLM-L6-v2 \(sha256 [0-9a-f]{12}"):
        packaged_folder()


def test_missing_weights_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packaged_in(tmp_path, monkeypatch)
    with pytest.raises(ModelError, match=r"model\.safetensors is missing"):
        PackagedEmbedder().encode(["text"])


def test_a_package_that_is_not_installed_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transformer, "PACKAGED_MODULE", "no_such_package")
    with pytest.raises(ModelError, match="pip install"):
        packaged_folder()


def test_a_model_that_cannot_be_loaded_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    (tmp_path / "modules.json").write_text("[", encoding="utf-8")
    with pytest.raises(ModelError, match="cannot be loaded"):
        transformer.load_model(str(tmp_path))


def test_prefixes_go_before_the_text_by_its_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[list[str]] = []

    class Model:
        def encode(
            self, texts: list[str], **options: object
        ) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
            sent.append(texts)
            return np.full((len(texts), 2), 3.0)

    monkeypatch.setattr(transformer, "load_model", lambda name: Model())
    model = transformer.TransformerEmbedder("st:e5", "e5", prefixes=("passage: ", "query: "))
    model.encode(["a"])
    model.encode(["b"], "query")
    assert sent == [["passage: a"], ["query: b"]]
