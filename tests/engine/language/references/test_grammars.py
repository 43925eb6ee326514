"""The grammar files: each reads its own examples, and a wrong file is refused by its field."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine import languages
from engine.errors import GrammarError
from engine.language.references.grammar import Example
from engine.language.references.loading import SHIPPED, load_grammar, load_grammars
from engine.language.references.patterns import Parts, spaced
from engine.language.references.recogniser import Recogniser
from engine.language.references.registry import grammars, recogniser
from tests.engine.language.references.reading import target

SMALL = """
name: latin
languages: [la]
parts: {number: '[0-9]+'}
number: '%number%'
units:
  - {kind: article, words: [articulus, 'art\\.']}
"""


@pytest.mark.parametrize(
    ("name", "example"),
    [
        pytest.param(grammar.name, example, id=f"{grammar.name}-{place}")
        for grammar in load_grammars()
        for place, example in enumerate(grammar.examples)
    ],
)
def test_examples(name: str, example: Example) -> None:
    reader = recogniser(next(one for one in grammars() if one.name == name).languages[0])
    assert reader is not None
    mentions = reader.find(example.text)
    assert [mention.text for mention in mentions] == [one.text for one in example.finds]
    for mention, expected in zip(mentions, example.finds, strict=True):
        assert expected.relation in (None, mention.relation)
        assert expected.document in (None, mention.document)
        assert expected.reads in (None, target(mention))


def test_every_shipped_grammar_is_right_in_every_field() -> None:
    # Where they are used, the shipped ones are read without being checked.
    shipped = {grammar.name: grammar for grammar in load_grammars()}
    assert len(shipped) == len(languages.files(SHIPPED))
    for path in languages.files(SHIPPED):
        grammar = load_grammar(path, checked=True)
        assert grammar == shipped[grammar.name]
        assert grammar.languages == (path.parent.name,)


def test_every_shipped_grammar_has_examples() -> None:
    assert all(grammar.examples for grammar in load_grammars())


def written(folder: Path, text: str, name: str = "own.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_small_grammar_reads(tmp_path: Path) -> None:
    grammar = load_grammar(written(tmp_path, SMALL))
    (mention,) = Recogniser(grammar).find("ut in Articulus 12 dictum est")
    assert (mention.text, mention.grammar) == ("Articulus 12", "latin")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("%number%'", "%nummer%'"), "number: there is no part %nummer%"),
        (("'[0-9]+'", "'[0-9'"), "parts: not a regular expression"),
        (("'[0-9]+'", "'([0-9]+)'"), "parts: write (?:...)"),
        (("kind: article", "kind: artikel"), "units.0.kind: Input should be"),
        (("words: [articulus", "word: [articulus"), "units.0.word: Extra inputs"),
        (("[articulus", "[(articulus"), "units.0.words: '(articulus' does not begin with a letter"),
        (("words: [articulus, 'art\\.']", "words: []"), "units.0: a unit needs words or plural"),
        (("name: latin", "nom: latin"), "name: Field required"),
        (("[la]", "[]"), "languages: at least one"),
        (("languages: [la]", "languages: [la"), "not YAML"),
        (("name: latin", "name: latin\nnumbers: sumerian"), "numbers: 'sumerian' is none of plain, english"),
        (("name: latin", "name: latin\ncues: [{relation: hates}]"), "cues.0.relation: Input should be"),
        (
            ("name: latin", "name: latin\ncues: [{relation: cites, after: '(a'}]"),
            "cues.0.after: not a regular expression: missing )",
        ),
    ],
)
def test_a_wrong_file_is_told_by_its_field(tmp_path: Path, change: tuple[str, str], told: str) -> None:
    assert change[0] in SMALL
    path = written(tmp_path, SMALL.replace(*change))
    with pytest.raises(GrammarError, match=re.escape(told)) as raised:
        load_grammar(path)
    assert str(raised.value).startswith(str(path))
    assert "\n" not in str(raised.value)


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_bytes(b"name: \xff\xfe")
    with pytest.raises(GrammarError, match="not text in UTF-8"):
        load_grammar(path)


def test_own_grammars_are_added_or_take_the_place_of_one(tmp_path: Path) -> None:
    written(tmp_path, SMALL)
    written(tmp_path, SMALL.replace("latin", "german").replace("[la]", "[de]"), "german.yaml")
    found = {grammar.name: grammar for grammar in load_grammars(tmp_path)}
    assert found["latin"].languages == ("la",)
    assert found["german"].units[0].words == ("articulus", r"art\.")
    assert found["english"] == next(one for one in load_grammars() if one.name == "english")


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


@pytest.mark.parametrize(
    ("pattern", "expression"),
    [
        ("of this act", r"of\s+this\s+act"),
        (" ?of", r"\s*of"),
        ("[ ,]", "[ ,]"),
        (r"\ a", r"\ a"),
        (r"\[ a", r"\[\s+a"),
        (r"[^\] ] a", r"[^\] ]\s+a"),
    ],
)
def test_a_space_is_any_white_space(pattern: str, expression: str) -> None:
    assert spaced(pattern) == expression


def test_parts_are_put_in_as_one_piece() -> None:
    parts = Parts({"a": ["x", "y"], "b": "%a%z"}, {"ready": r"\d"})
    assert parts.expanded("%b%+ %ready%") == r"(?:(?:(?:x|y))z)+\s+(?:\d)"
