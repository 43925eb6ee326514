"""What a model's folder may do: nothing but be read."""

from __future__ import annotations

import json
import os
import pickle
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.errors import ModelError
from engine.language.embedders.transformer import load_model_files, model_name
from tests.engine.language.embedders.tiny import dense_model, language_model

EVIL = "from pathlib import Path\nPath({mark!r}).touch()\nclass Evil:\n    pass\n"


def loaded(folder: str | Path) -> object:
    return load_model_files("SentenceTransformer", str(folder), "embedding model")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return language_model(tmp_path_factory.mktemp("model"))


@pytest.fixture
def copy(model: Path, tmp_path: Path) -> Path:
    made = tmp_path / "copy"
    made.mkdir()
    for path in model.iterdir():
        (made / path.name).write_bytes(path.read_bytes())
    return made


def changed(path: Path, **more: object) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), **more}), encoding="utf-8")


def by_module(folder: Path) -> None:
    modules = [{"idx": 0, "name": "0", "path": "", "type": "evil.Evil"}]
    (folder / "modules.json").write_text(json.dumps(modules), encoding="utf-8")


def by_installed_module(folder: Path) -> None:
    modules = [{"idx": 0, "name": "0", "path": "", "type": "subprocess.Popen"}]
    (folder / "modules.json").write_text(json.dumps(modules), encoding="utf-8")


def by_automatic_class(folder: Path) -> None:
    changed(
        folder / "config.json",
        model_type="evil",
        auto_map={"AutoConfig": "evil.Evil", "AutoModel": "evil.Evil"},
    )


def by_trusting_itself(folder: Path) -> None:
    by_automatic_class(folder)
    arguments = {"trust_remote_code": True, "use_safetensors": False}
    written = {"model_args": arguments, "config_args": arguments, "tokenizer_args": arguments}
    (folder / "sentence_bert_config.json").write_text(json.dumps(written), encoding="utf-8")


def by_tokenizer(folder: Path) -> None:
    changed(
        folder / "tokenizer_config.json",
        tokenizer_class="Evil",
        auto_map={"AutoTokenizer": ["evil.Evil", None]},
    )
    by_automatic_class(folder)


def by_path_outside(folder: Path) -> None:
    modules = [{"idx": 0, "name": "0", "path": "../..", "type": "evil.Evil"}]
    (folder / "modules.json").write_text(json.dumps(modules), encoding="utf-8")


@pytest.mark.parametrize(
    "lure",
    [by_module, by_installed_module, by_automatic_class, by_trusting_itself, by_tokenizer, by_path_outside],
)
def test_no_code_beside_a_model_is_run(lure: Callable[[Path], None], copy: Path, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    (copy / "evil.py").write_text(EVIL.format(mark=str(mark)), encoding="utf-8")
    lure(copy)
    with pytest.raises(ModelError, match="cannot be loaded"):
        loaded(copy)
    assert not mark.exists()


class Running:
    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Callable[[str], object], tuple[str]]:
        return os.mkdir, (str(self.mark),)


def test_pickled_weights_are_not_read(copy: Path, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    (copy / "model.safetensors").unlink()
    (copy / "pytorch_model.bin").write_bytes(pickle.dumps(Running(mark)))
    with pytest.raises(ModelError, match="cannot be loaded"):
        loaded(copy)
    assert not mark.exists()


def test_pickled_weights_of_one_part_are_not_read_either(tmp_path: Path) -> None:
    folder = dense_model(tmp_path / "model")
    (part,) = (path for path in folder.rglob("model.safetensors") if "Dense" in path.parent.name)
    part.unlink()
    import torch

    torch.save({"linear.weight": torch.zeros(16, 32)}, part.with_name("pytorch_model.bin"))
    with pytest.raises(ModelError, match="cannot be loaded") as refused:
        loaded(folder)
    assert "pickle" in str(refused.value.__cause__)


def test_safe_weights_are_read(copy: Path) -> None:
    (copy / "pytorch_model.bin").write_bytes(b"old weights, beside the safe ones")
    assert loaded(copy) is not None


def test_nobody_learns_which_folders_there_are(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "file").mkdir()
    (tmp_path / "file" / "same").write_text("x", encoding="utf-8")
    places = [tmp_path / "there", tmp_path / "absent" / "there", tmp_path / "file" / "same" / "there"]
    said = []
    for place in places:
        with pytest.raises(ModelError) as refused:
            loaded(place)
        said.append(str(refused.value))
    assert len(set(said)) == 1
    assert str(tmp_path) not in said[0]


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("none", "none"),
        ("minilm", "minilm"),
        ("st:intfloat/multilingual-e5-small?languages=en,de", "multilingual-e5-small"),
        ("st:/models/mine/", "mine"),
        ("st:C:\\models\\mine", "mine"),
        ("/models/mine", "mine"),
        ("openai:bge-m3@http://10.0.0.7:8000/v1", "bge-m3"),
        ("openai:org/bge@https://10.0.0.7/v1?passage=x", "bge"),
    ],
)
def test_what_anybody_may_be_told_of_a_model(spec: str, name: str) -> None:
    assert model_name(spec) == name


def test_a_path_that_leads_nowhere_is_told_before_the_libraries_are_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ModelError, match="embedding model 'absent' cannot be loaded"):
        loaded(tmp_path / "absent")
    assert "there is no such folder" in caplog.text
