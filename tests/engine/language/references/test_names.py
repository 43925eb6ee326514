from __future__ import annotations

import pytest

from engine.language.references.names import Names, merged_groups, name_in_front


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


def test_a_chinese_name_ends_where_its_letters_do() -> None:
    names = Names()
    names.add("专利法", 0, "zh")
    names.add("外资银行管理条例", 1, "zh")
    text = "适用外资银行管理条例第五条，依照《专利法》第三条"
    assert names.match(text, text.index("外"), "zh") == ((1,), text.index("第五条"))
    printed, at = "适用外资银行管理条例", 0
    assert name_in_front(printed, at, lambda place: names.match(text, place, "zh")) == (
        (1,),
        text.index("第五条"),
    )
    quoted = text.index("《")
    found = name_in_front("《专利法》", quoted, lambda place: names.match(text, place, "zh"))
    assert found == ((0,), text.index("》") + 1)


def test_what_is_no_name_is_not_learned() -> None:
    names = Names()
    names.add("the", 0, "en")
    names.add("word " * 60, 1, "en")
    assert len(names) == 0


@pytest.mark.parametrize(
    "text",
    [
        "Undang-Undang Nomor 9 Tahun 2018 tentang PNBP",
        "Undang-Undang No. 9 Tahun 2018",
        # broken at the end of a line, and joined by a scan
        "Undang-\nUndang Nomor 9 Tahun 2018",
        "UndangUndang Nomor 9 Tahun 2018",
    ],
)
def test_an_indonesian_act_by_number(text: str) -> None:
    names = Names()
    names.add("Undang-Undang Nomor 9 Tahun 2018", 7, "id")
    matched = names.match(text, 0, "id")
    assert matched is not None
    assert (matched[0], text[: matched[1]][-4:]) == ((7,), "2018")
