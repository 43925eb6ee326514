from __future__ import annotations

import pytest

from engine.language.references.names import Decrees
from engine.model import Document


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
    assert decrees.find(name, candidates) == expected
