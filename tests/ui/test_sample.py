from __future__ import annotations

import json
import logging
import shutil
from pathlib import Path

import numpy as np
import pytest

import ui.sample
from engine.corpus import open_corpus
from engine.corpus.embedded.generation import (
    CITED_NAME,
    FORMAT_VERSION,
    FOUND_NAME,
    MANIFEST_NAME,
    STATE_NAME,
    current_generation,
)
from engine.errors import CorpusError
from engine.operator_settings import PROJECT
from ui.sample import BUILT, MODEL, NAME, SOURCES, folder_name
from ui.sample import sample_folder as folder_of_sample

SHIPPED = BUILT / folder_name(SOURCES)
REBUILD = "run python -m benchmarks.built_sample"
# What follows from the model, and from when and with what a corpus was made.
OF_THE_MODEL = {"vectors", "vectors.present"}
OF_THE_MAKING = {"created", "generation", "files", "checksum", "embedding", "dimensions", "similarity_floor"}


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def no_building(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(sources: Path, folder: Path) -> None:
        raise AssertionError(f"{folder} was built anew")

    monkeypatch.setattr(ui.sample, "build_sample", refuse)


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(ui.sample, "MODEL", "none")
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "act.md").write_text("# Act\n\n#### Article 1\n\nA manager may grant powers.\n")
    return tmp_path / "sources"


def test_what_ships_is_what_its_sources_give(sample_folder: Path) -> None:
    """To the last reference and term; the models' part is compared below."""
    assert SHIPPED.is_dir(), f"the sources have changed: {REBUILD}"
    ships, fresh = current_generation(SHIPPED), current_generation(sample_folder)
    assert ships.manifest.name == NAME
    assert ships.manifest.embedding == MODEL
    told = [one.manifest.model_dump(exclude=OF_THE_MAKING) for one in (ships, fresh)]
    assert told[0] == told[1], REBUILD
    for name in (STATE_NAME, CITED_NAME, FOUND_NAME):
        has, wanted = ships.block(name).arrays, fresh.block(name).arrays
        assert has.keys() - OF_THE_MODEL == wanted.keys() - OF_THE_MODEL, REBUILD
        for column in has.keys() - OF_THE_MODEL:
            assert np.array_equal(has[column], wanted[column]), f"{name}, {column}: {REBUILD}"


def test_nothing_else_ships_and_nothing_that_ships_names_the_machine_it_was_made_on() -> None:
    (only,) = BUILT.iterdir()
    assert only == SHIPPED, f"the sources have changed: {REBUILD}"
    generation = current_generation(SHIPPED)
    expected = {MANIFEST_NAME, *(f"{generation.data.name}/{name}" for name in generation.manifest.files)}
    found = contents(SHIPPED)
    assert found.keys() == expected
    places = [str(PROJECT).encode(), str(Path.home()).encode() + b"/", b"/tmp/"]
    assert not [name for name, data in found.items() for place in places if place in data]


def test_the_sample_comes_from_what_ships_which_stays_as_it_is(tmp_path: Path, no_building: None) -> None:
    built = tmp_path / "built"
    shutil.copytree(BUILT, built)
    for path in sorted(built.rglob("*"), reverse=True):
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = contents(built)
    folder = folder_of_sample(tmp_path / "home", SOURCES, built)
    assert folder == tmp_path / "home" / "corpora" / SHIPPED.name
    assert contents(folder) == contents(SHIPPED)
    assert contents(built) == before
    # What is said of the copy is kept beside it.
    (folder / "decisions.jsonl").write_text("")
    for path in folder.rglob("*"):
        assert path.stat().st_mode & 0o200, "the copy can be changed"
    assert folder_of_sample(tmp_path / "home", SOURCES, built) == folder
    assert (folder / "decisions.jsonl").exists(), "it is copied once"
    assert [path.name for path in folder.parent.iterdir()] == [folder.name], "nothing is left beside it"


def test_other_sources_are_built_once_and_again_when_they_change(
    tmp_path: Path, small: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    built: list[Path] = []
    build = ui.sample.build_sample

    def counted(given: Path, folder: Path) -> None:
        built.append(folder)
        build(given, folder)

    monkeypatch.setattr(ui.sample, "build_sample", counted)
    with caplog.at_level(logging.WARNING):
        first = folder_of_sample(tmp_path / "home", small)
    assert f"building the sample corpus in {first}" in caplog.text
    assert folder_of_sample(tmp_path / "home", small) == first
    assert built == [first]
    assert open_corpus(first).name == NAME

    (first / MANIFEST_NAME).write_text("{broken", encoding="utf-8")
    assert folder_of_sample(tmp_path / "home", small) == first
    assert len(built) == 2, "a damaged cache is built anew"

    (small / "act.md").write_text("# Act\n\n#### Article 1\n\nNo manager may.\n", encoding="utf-8")
    assert folder_of_sample(tmp_path / "home", small) != first


def test_what_ships_in_another_format_is_built_anew_and_told(
    tmp_path: Path, small: Path, caplog: pytest.LogCaptureFixture
) -> None:
    older = tmp_path / "built" / folder_name(small)
    shutil.copytree(SHIPPED, older)
    manifest = json.loads((older / MANIFEST_NAME).read_text(encoding="utf-8"))
    (older / MANIFEST_NAME).write_text(json.dumps(manifest | {"format": FORMAT_VERSION - 1}))
    with caplog.at_level(logging.WARNING):
        folder = folder_of_sample(tmp_path / "home", small, tmp_path / "built")
    assert f"has format {FORMAT_VERSION - 1}, not {FORMAT_VERSION}" in caplog.text
    assert [document.id for document in open_corpus(folder).documents()] == ["act"]


def test_what_ships_damaged_leaves_nothing_behind(tmp_path: Path, small: Path) -> None:
    broken = tmp_path / "built" / folder_name(small)
    shutil.copytree(SHIPPED, broken)
    state = current_generation(broken).data / STATE_NAME
    data = bytearray(state.read_bytes())
    data[len(data) // 2] ^= 1
    state.write_bytes(data)
    with pytest.raises(CorpusError, match="does not fit its checksum"):
        open_corpus(broken)
    folder = folder_of_sample(tmp_path / "home", small, tmp_path / "built")
    assert len(open_corpus(folder)) == 1
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]


def test_where_nothing_can_be_written_the_sample_is_shown_where_it_ships(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A file in the place of the server's folder: not even root can make a folder in it."""
    home = tmp_path / "home"
    home.touch()
    with pytest.raises(CorpusError, match=r"cannot keep the sample corpus in .*home"):
        folder_of_sample(home)
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with caplog.at_level(logging.WARNING):
        assert folder_of_sample(home) == SHIPPED
    assert "nothing that people say of it can be kept" in caplog.text
