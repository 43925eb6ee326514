from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus.embedded.arrays import StringTable, open_array, ranges, row_pointers, write_array

TEXTS = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), max_size=20)
BOUNDS = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=8)


@given(TEXTS)
def test_strings_come_back(tmp_path_factory: object, texts: list[str]) -> None:
    folder: Path = tmp_path_factory.mktemp("strings")  # type: ignore[attr-defined]
    StringTable.write(folder, "column", texts)
    table = StringTable(folder, "column")
    assert len(table) == len(texts)
    assert table.take(range(len(texts))) == texts
    assert [table[number] for number in range(len(texts))] == texts


@given(BOUNDS)
def test_ranges_equal_to_a_loop(bounds: list[tuple[int, int]]) -> None:
    starts = np.asarray([start for start, _ in bounds], np.int64)
    stops = np.asarray([stop for _, stop in bounds], np.int64)
    expected = [(n, member) for n, (start, stop) in enumerate(bounds) for member in range(start, stop)]
    origins, members = ranges(starts, stops)
    assert list(zip(origins.tolist(), members.tolist(), strict=True)) == expected


@given(st.lists(st.integers(0, 9), max_size=30))
def test_row_pointers_delimit_equal_keys(keys: list[int]) -> None:
    pointers = row_pointers(np.sort(np.asarray(keys, np.int64)), 10)
    assert np.diff(pointers).tolist() == [keys.count(key) for key in range(10)]


def test_arrays_are_mapped_and_read_only(tmp_path: Path) -> None:
    write_array(tmp_path, "a", np.arange(3))
    array = open_array(tmp_path, "a")
    assert array.tolist() == [0, 1, 2]
    assert not array.flags.writeable
