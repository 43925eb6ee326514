from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import CorpusError, for_visitors, without_folders
from tests.tables import table


@pytest.mark.parametrize(
    ("words", "seen"),
    table(__file__, "test_a_visitor_reads_names_and_no_folders"),
)
def test_a_visitor_reads_names_and_no_folders(words: str, seen: str) -> None:
    assert for_visitors(CorpusError(words)) == seen


@given(
    st.lists(st.text(st.characters(exclude_characters="/:'\"\n"), min_size=1), min_size=1, max_size=6),
    st.sampled_from(("damaged: ", "", "cannot read '", "st:", "(")),
)
def test_no_folder_stays_whatever_it_is_called(parts: list[str], before: str) -> None:
    folders = [part.strip() + "x" for part in parts]
    told = without_folders(f"{before}/{'/'.join(folders)}/name: damaged")
    assert told == f"{before}name: damaged"
