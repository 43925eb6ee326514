from __future__ import annotations

from datetime import date

import pytest

from engine.language.references.names import latest_versions
from engine.model import Document

ACT = "外汇管理条例"
DOCUMENTS = [
    Document("act-1996", ACT, "zh", version="1996-01-29"),
    Document("act-2008", ACT, "zh", version="2008-08-05"),
    Document("rules-2001", "实施细则", "zh", version="2001-05-01"),
    Document("rules-2020", "实施细则", "zh", valid_from=date(2020, 1, 1)),
    Document("rules-1980", "实施细则", "zh", version="1980-01-01"),
    Document("undated", "办法", "zh"),
]


@pytest.mark.parametrize(
    ("own", "found", "meant"),
    [
        (2, (0, 1), (0,)),
        (3, (0, 1), (1,)),
        # all versions are later, or nothing says when the text was written: not to be told
        (4, (0, 1), (0, 1)),
        (5, (0, 1), (0, 1)),
        # a version means itself, and other acts are no versions
        (0, (0, 1), (0, 1)),
        (3, (0, 2), (0, 2)),
        (3, (1,), (1,)),
    ],
)
def test_the_newest_version_before_the_text(own: int, found: tuple[int, ...], meant: tuple[int, ...]) -> None:
    assert latest_versions(found, own, DOCUMENTS) == meant
