from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import CorpusError, InputError
from ui.rail import SHOWN_CHIPS, chips_html
from ui.shelf import Example, Library, open_library


def test_the_first_corpus_is_the_default(library: Library) -> None:
    assert library.names() == ["Small"]
    assert library.corpus(None) is library.corpus("") is library.corpus("Small")
    assert "Small · 1 documents · 4 passages · en" in library.facts(None)


def test_an_unknown_corpus_is_named(library: Library) -> None:
    with pytest.raises(InputError, match="unknown corpus 'Other'; known corpora: Small"):
        library.corpus("Other")


def test_examples_come_from_the_corpus(library: Library) -> None:
    assert library.examples(None) == (Example("Powers", "May a manager grant broader powers?", "en"),)


def test_two_corpora_of_one_name_stay_apart(corpus_folder: Path) -> None:
    assert open_library([corpus_folder, corpus_folder]).names() == ["Small", f"Small ({corpus_folder.name})"]


def test_a_missing_corpus_is_an_error_of_input(tmp_path: Path) -> None:
    with pytest.raises(CorpusError):
        open_library([tmp_path / "nowhere"])


def test_chips_ask_the_whole_question_and_fold_when_many() -> None:
    html = chips_html([Example('A "title" <b>', 'Who & "what"?', "en")])
    assert "<b>" not in html
    assert "Who &amp; &quot;what&quot;?" in html
    many = chips_html([Example(str(number), "?") for number in range(SHOWN_CHIPS + 2)])
    assert ">+2</button>" in many
    assert chips_html([]) == ""
