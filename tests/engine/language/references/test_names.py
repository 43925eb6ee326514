from __future__ import annotations

import pytest

from engine.language.references.names import Names, merged_groups


@pytest.fixture
def names() -> Names:
    found = Names()
    found.add("Bürgerliches Gesetzbuch", 0, "de")
    found.add("Einführungsgesetz zum Bürgerlichen Gesetzbuche", 1, "de")
    found.add("Gesetz über den Verkehr mit Arzneimitteln", 2, "de")
    found.add("Gesetz", 3, "de")
    return found


@pytest.mark.parametrize(
    ("text", "documents", "matched"),
    [
        ("Bürgerlichen Gesetzbuchs gilt", (0,), "Bürgerlichen Gesetzbuchs"),
        (
            "Einführungsgesetzes zum Bürgerlichen Gesetzbuche ist",
            (1,),
            "Einführungsgesetzes zum Bürgerlichen Gesetzbuche",
        ),
        ("Gesetzes über den Verkehr mit Arzneimitteln", (2,), "Gesetzes über den Verkehr mit Arzneimitteln"),
        ("Gesetzes über den Verkehr. Mit Arzneimitteln", (3,), "Gesetzes"),
    ],
)
def test_the_longest_name_wins(names: Names, text: str, documents: tuple[int, ...], matched: str) -> None:
    found = names.match(text, 0, "de")
    assert found is not None
    assert (found[0], text[: found[1]]) == (documents, matched)


def test_an_unknown_name(names: Names) -> None:
    assert names.match("Strafgesetzbuchs", 0, "de") is None
    assert names.meanings("Strafgesetzbuch", "de") == ()
    assert names.match("", 0, "de") is None


def test_two_documents_of_one_name(names: Names) -> None:
    names.add("Bürgerliches Gesetzbuch", 7, "de")
    assert names.meanings("Bürgerliches Gesetzbuch", "de") == (0, 7)


def test_names_of_a_group_mean_the_same(names: Names) -> None:
    merged_groups((("BGB", "Bürgerliches Gesetzbuch"), ("StGB", "Strafgesetzbuch")), names, "de")
    assert names.meanings("BGB", "de") == (0,)
    assert names.meanings("StGB", "de") == (None,)


def test_what_is_no_name_is_not_learned() -> None:
    names = Names()
    names.add("the", 0, "en")
    names.add("word " * 60, 1, "en")
    assert len(names) == 0
