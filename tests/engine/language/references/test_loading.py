"""The grammar files: what stands in one is read, and a wrong one is refused by its field."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine import languages
from engine.errors import GrammarError
from engine.language.references.grammar_files import SHIPPED, load_grammar, load_grammars
from engine.language.references.readings import grammars
from engine.language.references.recogniser import Recogniser

SMALL = """
name: latin
languages: [la]
parts: {number: '[0-9]+'}
number: '%number%'
units:
  - {kind: article, words: [articulus, 'art\\.']}
"""


def test_there_is_a_grammar_for_every_file() -> None:
    assert {one.languages for one in load_grammars()} == {
        (path.parent.name,) for path in languages.files(SHIPPED)
    }


def written(folder: Path, text: str, name: str = "own.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_small_grammar_reads(tmp_path: Path) -> None:
    grammar = load_grammar(written(tmp_path, SMALL))
    (mention,) = Recogniser(grammar).find("ut in Articulus 12 dictum est")
    assert (mention.text, mention.grammar) == ("Articulus 12", "latin")


WRONG = {
    ("%number%'", "%nummer%'"): "number: there is no part %nummer%",
    ("'[0-9]+'", "'[0-9'"): "parts: not a regular expression",
    ("'[0-9]+'", "'([0-9]+)'"): "parts: write (?:...)",
    ("kind: article", "kind: artikel"): "units.0.kind: Input should be",
    ("words: [articulus", "word: [articulus"): "units.0.word: Extra inputs",
    ("[articulus", "[(articulus"): "units.0.words: '(articulus' does not begin with a letter",
    ("[articulus", "['', articulus"): "units.0.words: '' does not begin with a letter",
    ("words: [articulus, 'art\\.']", "words: []"): "units.0: a unit needs words or plural",
    ("name: latin", "nom: latin"): "name: Field required",
    ("[la]", "[]"): "languages: at least one",
    ("languages: [la]", "languages: [la"): "not YAML",
    ("units:", "units: []\nlevels:"): "levels.0.value: Field required",
}
# Fields that are added to a file that is right, and what is told of them.
ADDED = {
    "units: []": "units: at least one is needed",
    "numbers: sumerian": "numbers: 'sumerian' is none of plain, english",
    "levels: [{words: [par], value: '[0-9]', numbers: sumerian}]": "levels.0.numbers: 'sumerian' is none of",
    "levels: [{words: [1], value: '[0-9]'}]": "levels.0.words.0: Input should be a valid string",
    "levels: [{words: ['1'], value: '[0-9]'}]": "levels.0.words: '1' does not begin with a letter",
    "levels: [{words: [par], value: '[0-9'}]": "levels.0.value: not a regular expression",
    "cues: [{relation: hates}]": "cues.0.relation: Input should be",
    "cues: [{relation: cites, after: '(a'}]": "cues.0.after: not a regular expression: missing )",
    "acts: [{pattern: 'a)', sign: a}]": "acts.0.pattern: not a regular expression",
    "acts: [{pattern: a, sign: a, reach: 0}]": "acts",
    "acts_sign: '('\nacts: a": "acts_sign: not a regular expression",
    "relative: [{kind: article, step: back, pattern: a, signs: [a]}]": "relative.0.step: Input should be",
    "relative: [{kind: article, step: own, pattern: a, signs: []}]": "relative.0.signs: List should have",
    "relative: [{kind: article, step: own, pattern: a, signs: [a], count: 0}]": "relative.0.count: Input",
    "definitions: [{form: '<name> is', short: a}]": "definitions.0.form: it must say <name> once",
    "definitions: [{form: '<name><short><short>', short: a}]": "definitions.0.form: it must say",
    "chain: '%nothing%'": "chain: there is no part %nothing%",
}


def test_a_wrong_file_is_told_by_its_field(tmp_path: Path, subtests: pytest.Subtests) -> None:
    files = {SMALL.replace(*change): told for change, told in WRONG.items()}
    files |= {
        f"{SMALL if 'units' not in more else SMALL.partition('units')[0]}{more}\n": told
        for more, told in ADDED.items()
    }
    assert SMALL not in files
    for text, told in files.items():
        with subtests.test(told):
            path = written(tmp_path, text)
            with pytest.raises(GrammarError, match=re.escape(told)) as raised:
                load_grammar(path)
            assert str(raised.value).startswith(f"{path}: ")
            assert "\n" not in str(raised.value)


def test_links_stay_in_their_folder(tmp_path: Path) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    own.mkdir()
    other.mkdir()
    (own / "..data").mkdir()
    written(own / "..data", SMALL)
    (own / "latin.yaml").symlink_to(own / "..data" / "own.yaml")
    assert load_grammars(own)[0].name == "latin"
    (own / "out.yaml").symlink_to(written(other, SMALL.replace("la", "lb")))
    with pytest.raises(GrammarError, match=r"out\.yaml: a link that leads out of its folder"):
        load_grammars(own)
    (own / "out.yaml").unlink()
    (own / "gone.yaml").mkdir()
    with pytest.raises(GrammarError, match=r"gone\.yaml: cannot be read"):
        load_grammars(own)


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_bytes(b"name: \xff\xfe")
    with pytest.raises(GrammarError, match="not text in UTF-8"):
        load_grammar(path)


def test_own_grammars_come_by_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, SMALL.replace("[la]", "[la, de]"))
    monkeypatch.setenv("REDSTRING_GRAMMARS", str(tmp_path))
    grammars.cache_clear()
    try:
        first = next(one for one in grammars() if "de" in one.languages)
        assert first.name == "latin"
    finally:
        monkeypatch.undo()
        grammars.cache_clear()


def test_a_missing_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(GrammarError, match="no such folder"):
        load_grammars(tmp_path / "none")


def test_two_grammars_of_one_folder_cannot_have_one_language(tmp_path: Path) -> None:
    written(tmp_path, SMALL)
    written(tmp_path, SMALL.replace("latin", "roman"), "second.yaml")
    with pytest.raises(GrammarError, match=r"second\.yaml: languages: own\.yaml has 'la'"):
        load_grammars(tmp_path)
