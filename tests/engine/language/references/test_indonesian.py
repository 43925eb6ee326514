from __future__ import annotations

import pytest

from tests.engine.language.references.reading import Row, rows

TABLE: list[tuple[str, list[Row]]] = [
    ("dalam Pasal 25 ayat (1) huruf a", [("Pasal 25 ayat (1) huruf a", None, ("article 25/1/a",))]),
    (
        "Pasal 5 ayat (1) dan ayat (2)",
        [("Pasal 5 ayat (1) dan ayat (2)", None, ("article 5/1", "article 5/2"))],
    ),
    ("Pasal 12, Pasal 13", [("Pasal 12", None, ("article 12",)), ("Pasal 13", None, ("article 13",))]),
    ("Pasal 5 sampai dengan Pasal 9", [("Pasal 5 sampai dengan Pasal 9", None, ("article 5 .. 9",))]),
    ("pada ayat (2)", [("ayat (2)", None, ("paragraph 2",))]),
    (
        "Pasal 25 ayat (1) UU No. 6 Tahun 1983",
        [("Pasal 25 ayat (1) UU No. 6 Tahun 1983", "UU No. 6 Tahun 1983", ("article 25/1",))],
    ),
    (
        "Pasal 3 Undang-Undang Nomor 6 Tahun 1983",
        [("Pasal 3 Undang-Undang Nomor 6 Tahun 1983", "Undang-Undang Nomor 6 Tahun 1983", ("article 3",))],
    ),
    (
        "Peraturan Pemerintah Nomor 71 Tahun 2019",
        [("Peraturan Pemerintah Nomor 71 Tahun 2019", "Peraturan Pemerintah Nomor 71 Tahun 2019", ())],
    ),
    (
        "Pasal 31 Undang-Undang Daftar Niaga berlaku",
        [("Pasal 31 Undang-Undang Daftar Niaga", "Undang-Undang Daftar Niaga", ("article 31",))],
    ),
    (
        "Pasal 4 Peraturan Tata Cara Perpajakan",
        [("Pasal 4 Peraturan Tata Cara Perpajakan", "Peraturan Tata Cara Perpajakan", ("article 4",))],
    ),
    (
        "Pasal 5 Undang-Undang Keagenan dan Pasal 7",
        [
            ("Pasal 5 Undang-Undang Keagenan", "Undang-Undang Keagenan", ("article 5",)),
            ("Pasal 7", None, ("article 7",)),
        ],
    ),
    # the tax has its name from an article of another act
    ("PPh Pasal 21", [("PPh Pasal 21", "PPh", ("article 21",))]),
    ("Pasal 34A", [("Pasal 34A", None, ("article 34A",))]),
    ("BAB III", [("BAB III", None, ("chapter III",))]),
    ("pasal-pasal lain", []),
    # the old codes put a list behind the singular, and a small letter behind the number
    ("dalam Pasal 35,37 dan 39", [("Pasal 35,37 dan 39", None, ("article 35", "article 37", "article 39"))]),
    ("menurut Pasal 1603 f.", [("Pasal 1603 f", None, ("article 1603 f",))]),
    ("pasal 1601l sampai 1602n", [("pasal 1601l sampai 1602n", None, ("article 1601l .. 1602n",))]),
    ("Pasal-pasal 181-184", [("Pasal-pasal 181-184", None, ("article 181 .. 184",))]),
    # what is counted is no article
    ("Pasal 1449, orang yang", [("Pasal 1449", None, ("article 1449",))]),
    ("Pasal 5 dan 2 tahun", [("Pasal 5", None, ("article 5",))]),
    ("Bagian Kedua Bab V", [("Bagian Kedua Bab V", None, ("chapter V > part 2",))]),
    # a heading, and an office
    ("BAB I KETENTUAN UMUM", []),
    ("Bagian Kedua Umum", []),
    ("Bagian Perencanaan", []),
    (
        "Keputusan Menteri Perhubungan Nomor KM 3 Tahun 2000",
        [
            (
                "Keputusan Menteri Perhubungan Nomor KM 3 Tahun 2000",
                "Keputusan Menteri Perhubungan Nomor KM 3 Tahun 2000",
                (),
            )
        ],
    ),
]


@pytest.mark.parametrize(("text", "expected"), TABLE)
def test_mentions(text: str, expected: list[Row]) -> None:
    assert rows(text, "id") == expected
