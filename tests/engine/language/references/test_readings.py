from __future__ import annotations

import json

import pytest

from engine.language.references import find_mentions, packed, unpacked

TEXTS = [
    (
        "Rule 4.3.2(1)(a) and sections 12 to 15 of the Companies Act 2004, see COBS 3.4.2 and paragraph (2)",
        "en",
    ),
    ("section 5 of this Act and section 6 of that Act; Part 3 of Chapter 3 of PRU", "en"),
    ("§§ 3, 5 Absatz 2 und 7 des Aktiengesetzes, Artikel 229 § 5 EGBGB", "de"),
    ("Pasal 5 sampai dengan Pasal 9 Undang-Undang Nomor 6 Tahun 1983", "id"),
    ("الفقرة (2) من المادة الثالثة من هذا النظام", "ar"),
    ("No reference here.", "en"),
]


@pytest.mark.parametrize(("text", "language"), TEXTS)
def test_mentions_survive_packing(text: str, language: str) -> None:
    mentions = find_mentions(text, language)
    assert unpacked(json.loads(json.dumps(packed(mentions)))) == mentions
