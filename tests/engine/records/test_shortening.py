from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.records.in_place import LEFT_OUT, characters, cut, shorten_to_fit


@given(st.text(max_size=400), st.integers(30, 300))
def test_a_text_is_cut_at_a_word_and_says_how_long_it_was(text: str, longest: int) -> None:
    made = cut(text, longest)
    if len(text) <= longest:
        assert made == text
        return
    assert len(made) <= longest
    head, told = made.rsplit("… ", 1)
    assert told == f"({len(text):,} characters)"
    assert text.startswith(head.rstrip())


def test_words_stay_whole() -> None:
    text = "The harbour master allocates a berth to each vessel on request. " * 10
    head = cut(text, 100).split(" … ")[0]
    assert text.startswith(head + " ")
    assert cut("x" * 500, 40) == "x" * 21 + " … (500 characters)"
    assert cut("أ" * 300 + " ب", 60).endswith("… (302 characters)")


def test_what_is_short_stays_as_it_is() -> None:
    values = {"question": "a", "list": [1, 2.5, None, True, {"deep": ["<script>", "=HYPERLINK()"]}]}
    assert shorten_to_fit(values, 1000) == values


def test_entries_that_are_left_out_are_counted_by_their_place() -> None:
    values = {"passages": [{"id": str(n), "text": "word " * 50, "trail": ["scan"] * 300} for n in range(500)]}
    made = shorten_to_fit(values, 20_000)
    assert characters(made) <= 20_000
    shown = len(made["passages"])
    assert made[LEFT_OUT]["passages"] == 500 - shown
    assert shown > 5, "as much of it as goes in"
    assert all(one["text"].endswith("(250 characters)") for one in made["passages"])
    assert [one["id"] for one in made["passages"]] == [str(n) for n in range(shown)]


def test_ids_are_cut_last() -> None:
    name = "uu-6-1983/pasal-25/" + "ayat-1/" * 20
    made = shorten_to_fit({"passages": [{"id": name, "text": "word " * 5000} for _ in range(50)]}, 30_000)
    assert {one["id"] for one in made["passages"]} == {name}


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=50),
    lambda inside: st.lists(inside, max_size=6) | st.dictionaries(st.text(max_size=8), inside, max_size=6),
    max_leaves=30,
)


@given(st.dictionaries(st.sampled_from("abcdef"), PLAIN, max_size=6), st.integers(0, 3), st.integers(1, 2000))
def test_whatever_it_is_it_is_bounded(values: dict[str, Any], key: int, times: int) -> None:
    name = "abcdef"[key]
    huge = values | {name: [{"text": 'long \\" text \n' * times, "more": values}] * times}
    made = shorten_to_fit(huge, 30_000)
    assert characters(made) <= 30_000
    assert json.loads(json.dumps(made)) == made
    assert made.keys() - {LEFT_OUT} == huge.keys()


def test_what_cannot_be_made_short_is_refused() -> None:
    with pytest.raises(InputError, match="request fewer items"):
        shorten_to_fit({str(n): "x" for n in range(10_000)}, 1000)
