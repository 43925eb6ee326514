from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from engine.language.references import Mention, Resolver, find_mentions, packed, unpacked
from engine.language.references.definitions import DefinedName
from engine.model import Document, Passage, SectionKind, Status

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


class Kept:
    """Readings that were made before, by position of the passage."""

    def __init__(self, mentions: Sequence[Sequence[Mention]]) -> None:
        self._mentions = mentions

    def mentions(self, row: int) -> Sequence[Mention]:
        return self._mentions[row]

    def names(self) -> Sequence[tuple[int, str, DefinedName]]:
        return ()


def test_kept_readings_resolve_as_the_texts_do() -> None:
    document = Document("act", "Harbour Act", "en")
    texts = ("A ship has a berth.", "See section 1 and section 9.", "As in sections 1 and 2.")
    passages = [
        Passage(f"act/{place}", "act", None, place, text, "en", SectionKind.SECTION, str(place + 1))
        for place, text in enumerate(texts)
    ]
    kept = Kept([unpacked(packed(find_mentions(text, "en"))) for text in texts])
    fresh = Resolver([document], (), passages)
    again = Resolver([document], (), passages, kept)
    found = [fresh.references(passage) for passage in passages]
    assert [again.references(passage) for passage in passages] == found
    assert [one.status for one in found[1]] == [Status.RESOLVED, Status.UNRESOLVED]
    assert fresh.resolve(find_mentions(texts[2], "en"), passages[2]) == found[2]
