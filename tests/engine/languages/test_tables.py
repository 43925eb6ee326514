"""The tables of all languages: each file is right in every field, and a wrong one is refused by it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.errors import SettingsError
from engine.languages import all_words, codes, files, law, tables, words
from engine.model import SectionKind


def test_every_folder_says_what_language_it_is() -> None:
    assert set(all_words()) == set(codes())
    names = [own.name for own in all_words().values()]
    assert all(names)
    assert len(names) == len(set(names))


@pytest.mark.parametrize("code", codes())
def test_the_law_of_a_language_is_made_of_regular_expressions(code: str) -> None:
    own = law(code)
    patterns = [own.points_back, *words(code).eu_acts.values()]
    patterns += [pattern for kind in own.wanted.values() for pattern in kind]
    if own.front_page is not None:
        patterns += [pattern for _, group in own.front_page for pattern in group]
    if own.validity is not None:
        patterns += [own.validity.itself, own.validity.some]
    for pattern in patterns:
        # "{date}" and its like stand for what is put in later.
        re.compile(re.sub(r"\{[a-z]+\}", "x", pattern))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("name: Latin\nscript: [latin]", "script: Extra inputs"),
        ("levels: {artikel: [articulus]}", "levels.artikel"),
        ("months: [[ianuarius", "cannot be read"),
    ],
)
def test_a_wrong_file_is_refused_by_its_field(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, told: str
) -> None:
    path = tmp_path / "la" / "words.yaml"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    monkeypatch.setattr(tables, "files", lambda name: (path,))
    all_words.cache_clear()
    try:
        with pytest.raises(SettingsError, match=rf"^la/words\.yaml: .*{told}"):
            all_words()
    finally:
        all_words.cache_clear()


def test_a_new_language_is_a_folder_and_no_line_of_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "la" / "words.yaml"
    path.parent.mkdir()
    path.write_text("name: Latin\nlevels: {article: [articulus]}\n", encoding="utf-8")
    monkeypatch.setattr(tables, "files", lambda name: (*files(name), path))
    all_words.cache_clear()
    try:
        assert words("la").levels == {SectionKind.ARTICLE: ("articulus",)}
    finally:
        all_words.cache_clear()


def test_folders_hold_only_the_files_that_are_read() -> None:
    known = {
        "words.yaml",
        "law.yaml",
        "statements.yaml",
        "references.yaml",
        "questions.yaml",
        "entities.yaml",
    }
    for path in files("words.yaml"):
        assert {one.name for one in path.parent.iterdir()} <= known
