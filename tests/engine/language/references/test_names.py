from __future__ import annotations

import pytest

from engine.language.references.names import Names


@pytest.fixture
def names() -> Names:
    found = Names()
    found.add("Bürgerliches Gesetzbuch", 0, "de")
    found.add("Einführungsgesetz zum Bürgerlichen Gesetzbuche", 1, "de")
    found.add("Gesetz über den Verkehr mit Arzneimitteln", 2, "de")
    found.add("Gesetz", 3, "de")
    return found


def test_an_unknown_name(names: Names) -> None:
    assert names.match("Strafgesetzbuchs", 0, "de") is None
    assert names.meanings("Strafgesetzbuch", "de") == ()
    assert names.match("", 0, "de") is None


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
