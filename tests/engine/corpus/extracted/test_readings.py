from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus.embedded.publication import EXTRACTED_NAME, refuse_foreign
from engine.corpus.extracted import Proposal, add_reading, load_readings, proposals, windows_read
from engine.errors import CorpusError
from tests.engine.corpus.extracted.values import ALL, DEFINITION, EXCEPTION, EXTENSION, USE, document, window


def test_what_was_read_is_loaded_in_order_and_is_the_corpus_own(tmp_path: Path) -> None:
    add_reading(tmp_path, window(*ALL))
    add_reading(tmp_path, document("w1"))
    first, second = load_readings(tmp_path)
    assert windows_read([first, second])["w1"].proposals == ALL
    assert first.when.startswith("20")
    assert set(proposals([first, second])) == {one.key for one in ALL}
    refuse_foreign(tmp_path)


def test_the_surer_of_two_that_say_the_same_counts() -> None:
    surer = Proposal(**{**EXCEPTION.model_dump(), "confidence": 0.95})
    for order in ((EXCEPTION, surer), (surer, EXCEPTION)):
        found = proposals([window(order[0], key="w1"), window(order[1], key="w2")])
        assert [one.confidence for one in found.values()] == [0.95]


@pytest.mark.parametrize("line", ["{}", "no", '{"kind": "window", "key": ""}', '{"kind": "other"}'])
def test_a_broken_line_is_named(tmp_path: Path, line: str) -> None:
    add_reading(tmp_path, window(EXCEPTION))
    with open(tmp_path / EXTRACTED_NAME, "a") as file:
        file.write(line + "\n")
    with pytest.raises(CorpusError, match=r"extracted.jsonl:2: not a reading"):
        load_readings(tmp_path)


LINES = (
    window(EXCEPTION, USE),
    window(EXTENSION, key="w2"),
    document("w1", "w2"),
    window(DEFINITION, key="w3"),
)


@given(st.data())
def test_the_file_is_readable_wherever_it_is_cut(data: st.DataObject) -> None:
    with TemporaryDirectory() as made:
        folder = Path(made)
        for line in LINES:
            add_reading(folder, line)
        whole = (folder / EXTRACTED_NAME).read_bytes()
        ends = [place + 1 for place, byte in enumerate(whole) if byte == ord("\n")]
        cut = data.draw(st.integers(0, len(whole)))
        (folder / EXTRACTED_NAME).write_bytes(whole[:cut])
        # A line of which only the end is missing was written to its end.
        kept = sum(end <= cut + 1 for end in ends)
        assert [line.model_copy(update={"when": ""}) for line in load_readings(folder)] == list(LINES[:kept])
        # And what is added next is not spoilt by what was left of a line.
        add_reading(folder, LINES[0])
        assert len(load_readings(folder)) == kept + 1
