from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus.judgements import Place, add_decision, current_decisions, load_decisions, locate_reference
from engine.errors import CorpusError
from engine.model import Span
from tests.engine.forked import FORK

PLACE = Place("act/art-1", "Article 2", 0)


def test_the_last_decision_stands_until_it_is_withdrawn(tmp_path: Path) -> None:
    add_decision(tmp_path, PLACE, "act/art-2")
    add_decision(tmp_path, PLACE, None)
    assert {place: one.target_id for place, one in current_decisions(load_decisions(tmp_path)).items()} == {
        PLACE: None
    }
    add_decision(tmp_path, PLACE, None, withdrawn=True)
    assert current_decisions(load_decisions(tmp_path)) == {}


def test_words_are_needed(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="not a decision: text"):
        add_decision(tmp_path, Place("a", "", 0), None)
    with pytest.raises(CorpusError, match=r"cannot write .*decisions\.jsonl"):
        add_decision(tmp_path / "nowhere", PLACE, None)


def test_two_processes_add_at_once(tmp_path: Path) -> None:
    def add(name: str) -> None:
        for n in range(20):
            add_decision(tmp_path, Place(name, "x" * 3000, n), None)

    writers = [FORK.Process(target=add, args=(name,)) for name in "ab"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0]
    found = load_decisions(tmp_path)
    for name in "ab":
        assert [one.occurrence for one in found if one.source_id == name] == list(range(20))


@given(st.text("ab ", max_size=30), st.data())
def test_a_place_tells_equal_words_apart(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    if start == end:
        return
    place = locate_reference("p", text, Span(start, end))
    others = {
        locate_reference("p", text, Span(other, other + end - start))
        for other in range(len(text) - (end - start) + 1)
        if other != start
    }
    assert place.text == text[start:end]
    assert place not in others
