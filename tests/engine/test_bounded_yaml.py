"""A text of YAML costs no more than its length, whatever it says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from engine.bounded import LARGEST_YAML, load_yaml
from engine.corpus.ontology import parse_ontology
from engine.errors import RedstringError, YamlError
from engine.ingestion.readers.identity import load_mapping
from engine.ingestion.readers.text import split_front_matter
from engine.language.references.grammar_files import load_grammar
from engine.retrieval.planning.words import read_file

# Less than 500 bytes that stand for nine to the power of nine words.
ALIASES = "a0: &a0 [lol, lol]\n" + "\n".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)
)
MERGES = "a0: &a0 {x: 1}\n" + "\n".join(f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}]}}" for n in range(1, 30))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (ALIASES, "expand to more than 2,000,000 characters in line"),
        (MERGES, "expand to more than 2,000,000 characters"),
        ("a: &a '" + "x" * 100_000 + "'\nb: [" + "*a, " * 1000 + "*a]", "expand to more than"),
        ("&a [*a]", "refers to nothing complete"),
        ("&a {b: &c [*a, *c]}", "refers to nothing complete"),
        ("[" * 100_000, "nested more than 40 deep in line 1"),
        ("{a: " * 50_000, "nested more than 40 deep"),
        ("- " * 50_000, "nested more than 40 deep"),
        ("? " * 20_000, "nested more than 40 deep"),
        ("\n".join(" " * n + "a:" for n in range(1000)), "nested more than 40 deep in line 41"),
        ("x" * (LARGEST_YAML + 1), "too long: 1,000,001 characters, at most 1,000,000"),
        ("a: !!timestamp soon", "wrong type"),
        ("a: 2020-13-45", "wrong type"),
        ("a: !!int many", "wrong type"),
        ("a: !!python/object/apply:os.system [ls]", "could not determine a constructor"),
        ("a: [", "did not find expected node content in line 2"),
        ("--- a\n--- b", "another document"),
        ('a: "\\ud800"', "in line 1"),
        (b"a: \xff\xfe\xfd", "not text in UTF-8"),
    ],
)
def test_what_costs_too_much_or_means_nothing_is_refused(text: str | bytes, told: str) -> None:
    with pytest.raises(YamlError, match=told) as caught:
        load_yaml(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_what_is_no_number_stays_text() -> None:
    many = "1" * 1_000_0
    text = f"a: {many}\nb: {'1:' * 5000}1\nc: 3:15\nd: 12\ne: 1.5\nf: 0x1F\ng: .inf"
    assert load_yaml(text) == {
        "a": many, "b": "1:" * 5000 + "1", "c": "3:15", "d": 12, "e": 1.5, "f": 31, "g": float("inf")
    }  # fmt: skip


# Line breaks other than LF are written and read in different ways by the two parsers of the library.
WORDS = st.text(st.characters(exclude_characters="\r\x85\u2028\u2029", codec="utf-8"), max_size=12)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | WORDS | st.dates(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=30,
)


@given(PLAIN)
def test_what_was_written_is_read_back(content: object) -> None:
    assert load_yaml(yaml.safe_dump(content, allow_unicode=True)) == content


@given(st.text(alphabet="ab&*[]{}:-<!?|> \n0\"'", max_size=60))
def test_nothing_else_is_raised_and_nothing_grows(text: str) -> None:
    try:
        content = load_yaml(text)
    except YamlError:
        return
    assert len(repr(content)) <= 40 * len(text) + 40


def _file(read: Callable[[Path], object]) -> Callable[[str, Path], object]:
    def through(text: str, path: Path) -> object:
        path.write_text(text, encoding="utf-8")
        return read(path)

    return through


@pytest.mark.parametrize(
    "door",
    [
        lambda text, path: parse_ontology(text, "ontology.yaml"),
        _file(load_mapping),
        _file(load_grammar),
        _file(read_file),
    ],
    ids=["ontology", "mapping", "grammar", "words"],
)
@pytest.mark.parametrize("text", [ALIASES, MERGES, "[" * 50_000, "a: !!timestamp soon", "a: 2020-13-45"])
def test_every_door_refuses_it(door: Callable[[str, Path], object], text: str, tmp_path: Path) -> None:
    with pytest.raises(RedstringError, match=r"nested|expand to|wrong type"):
        door(text, tmp_path / "file.yaml")


def test_front_matter_that_costs_too_much_is_left_out_and_told() -> None:
    head = split_front_matter(f"---\n{ALIASES}\n---\nText of the law.")
    assert head.fields == {}
    assert "expand to more than" in (head.problem or "")
