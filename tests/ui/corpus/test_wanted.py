from __future__ import annotations

from pathlib import Path

from engine.corpus.embedded.publication import WANTED_NAME
from ui.corpus.vectors import WantedVectors, all_wanted, load_wanted, store_wanted


def test_what_cannot_be_written_is_known_until_the_server_ends(tmp_path: Path) -> None:
    first, second = WantedVectors(model="a"), WantedVectors(model="a", problem="the disk is full")
    store_wanted(tmp_path, first)
    # In the place of a full disk: nothing can be written here.
    (tmp_path / f"{WANTED_NAME}.new").mkdir()
    store_wanted(tmp_path, second)
    assert load_wanted(tmp_path) == second
    assert (tmp_path / WANTED_NAME).read_bytes() == first.model_dump_json().encode()
    (tmp_path / f"{WANTED_NAME}.new").rmdir()
    store_wanted(tmp_path, second)
    assert (tmp_path / WANTED_NAME).read_bytes() == second.model_dump_json().encode()
    store_wanted(tmp_path, None)
    assert load_wanted(tmp_path) is None


def test_of_a_corpus_that_is_gone_nothing_is_kept(tmp_path: Path) -> None:
    store_wanted(tmp_path / "gone", WantedVectors(model="a"))
    assert load_wanted(tmp_path / "gone") is None
    assert not (tmp_path / "gone").exists()


def test_what_rests_does_not_go_on_by_itself(tmp_path: Path) -> None:
    states = (
        WantedVectors(model="a"),
        WantedVectors(model="a", stopped=True),
        WantedVectors(model="a", problem="a fault"),
    )
    for name, wanted in zip(("going", "stopped", "halted"), states, strict=True):
        folder = tmp_path / "visitors" / "someone" / name
        folder.mkdir(parents=True)
        store_wanted(folder, wanted)
    assert [folder.name for folder in all_wanted(tmp_path)] == ["going"]
