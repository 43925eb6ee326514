"""Dictionary forms from a list that is kept are those of simplemma."""

from __future__ import annotations

from pathlib import Path

import pytest
import simplemma
from hypothesis import given
from hypothesis import strategies as st

from engine.language import analysis
from engine.language.analysis import WordList, lines_of

WORDS = ("gesetzes", "Häuser", "vertritt", "Bundesverfassungsgerichts", "xyzzy", "ging", "1", "ʼs", "é")


@given(st.dictionaries(st.text(max_size=6).filter(lambda word: not set(word) & set("\n\t")), st.just("x")))
def test_every_word_of_a_list_is_found_and_no_other(words: dict[str, str]) -> None:
    found = WordList(lines_of(words)) if words else None
    if found is not None:
        assert dict(found) == words
        assert len(found) == len(words)
        assert [found.get(f"{word}!") for word in words] == [words.get(f"{word}!") for word in words]


def test_a_word_with_a_line_feed_makes_no_list() -> None:
    with pytest.raises(ValueError, match="line feed"):
        lines_of({"a\nb": "a"})


@pytest.mark.parametrize("kept", [b"", b"damaged" * 9])
def test_a_damaged_list_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: bytes) -> None:
    monkeypatch.setattr(analysis, "FOLDER", tmp_path)
    monkeypatch.setattr("simplemma.strategies.DefaultDictionaryFactory.get_dictionary", lambda *_: {"b": "a"})
    path = tmp_path / f"de-{simplemma.__version__}.words"
    path.write_bytes(kept)
    assert dict(analysis.word_list("de")) == {"b": "a"}
    assert path.read_bytes() != kept
    assert dict(analysis.word_list("de")) == {"b": "a"}


def test_where_nothing_can_be_kept_the_list_is_read_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(analysis, "FOLDER", tmp_path / "file" / "below")
    monkeypatch.setattr("simplemma.strategies.DefaultDictionaryFactory.get_dictionary", lambda *_: {"b": "a"})
    assert dict(analysis.word_list("de")) == {"b": "a"}
