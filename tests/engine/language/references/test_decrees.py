from __future__ import annotations

import pytest

from engine.language.references.decrees import Decree, Decrees, decrees_in
from engine.model import Document


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("بالمرسوم الملكي رقم (م / 56) وتاريخ 20 / 10 / 1426ه", Decree("مرسوم ملكي", "م/56", 1426)),
        ("المرسوم الملكي ذي الرقم (م/38) والتاريخ 10 / 6 / 1409 ه", Decree("مرسوم ملكي", "م/38", 1409)),
        # the year first, digits of the other kind
        ("قرار مجلس الوزراء رقم (٤٢٣) وتاريخ ١٤٤١/٦/٢٤هـ", Decree("قرار مجلس وزراء", "423", 1441)),
        ("بالأمر السامي رقم 8117 في 28 / 6 / 1360 ه", Decree("امر سامي", "8117", 1360)),
        ("القانون الاتحادي رقم (6) لسنة 2021", Decree("قانون اتحادي", "6", 2021)),
        ("المرسوم الملكي رقم (م/5)", Decree("مرسوم ملكي", "م/5", None)),
    ],
)
def test_a_decree(text: str, expected: Decree) -> None:
    assert list(decrees_in(text)) == [expected]


def test_a_text_without_a_number_cites_no_decree() -> None:
    assert list(decrees_in("يصدر بذلك مرسوم ملكي")) == []


def document(number: int, title: str, decree: str) -> Document:
    return Document(f"law-{number}", title, "ar", metadata={"issuing_authority": decree} if decree else {})


@pytest.fixture
def decrees() -> Decrees:
    return Decrees(
        [
            document(0, "نظام الشركات", "مرسوم ملكي رقم م/132 بتاريخ 1 / 12 / 1443"),
            document(1, "نظام الشركات 1437ه", "مرسوم ملكي رقم م/3 بتاريخ 28 / 1 / 1437"),
            document(2, "نظام السجل التجاري", ""),
            document(3, "لائحة الشركات", "مرسوم ملكي رقم م/3 بتاريخ 28 / 1 / 1437"),
        ]
    )


@pytest.mark.parametrize(
    ("name", "candidates", "expected"),
    [
        # the name alone tells nothing of a decree
        ("نظام الشركات", (0,), None),
        ("نظام الشركات الصادر بالمرسوم الملكي رقم (م/132) وتاريخ 1/12/1443ه", (0,), (0,)),
        # the act of that name was replaced: the decree means the old one, and not its regulation
        ("نظام الشركات الصادر بالمرسوم الملكي رقم (م/3) وتاريخ 28/1/1437ه", (0,), (1,)),
        ("نظام الشركات الصادر بالمرسوم الملكي رقم (م/6) وتاريخ 22/3/1385ه", (0,), ()),
        # what made a document is not known
        ("نظام السجل التجاري الصادر بالمرسوم الملكي رقم (م/1) وتاريخ 21/2/1416ه", (2,), (2,)),
        ("المرسوم الملكي رقم (م/132) وتاريخ 1/12/1443ه", (), (0,)),
        # a decree without its year is no name
        ("المرسوم الملكي رقم (م/132)", (), ()),
    ],
)
def test_which_act_is_meant(
    decrees: Decrees, name: str, candidates: tuple[int, ...], expected: tuple[int, ...] | None
) -> None:
    assert decrees.meant(name, candidates) == expected
