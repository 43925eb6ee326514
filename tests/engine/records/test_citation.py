from __future__ import annotations

import pytest

from engine.model import Document, Passage
from engine.records.phrases import full_citation, pinpoint, short_citation

CODE = Document("act", "Agency Code", number="13", year=2011, aliases=("CAC",))
BGB = Document("bgb", "Bürgerliches Gesetzbuch", language="de", aliases=("BGB",))
TAX = Document(
    "uu-6-1983",
    "Undang-Undang Nomor 6 Tahun 1983 tentang Ketentuan Umum",
    language="id",
    number="6",
    year=1983,
    aliases=("UU 6/1983",),
)
RULES = Document("r", "中华人民共和国公司登记管理条例", language="zh")


def passage(label: str, language: str = "en", page: int | None = None, **metadata: str) -> Passage:
    return Passage("x/14", "x", None, 0, "text", language=language, label=label, page=page, metadata=metadata)


@pytest.mark.parametrize(
    ("cited", "document", "words"),
    [
        (passage("Article 14(2)"), CODE, "CAC Article 14(2)"),
        (passage("§ 442 Abs. 1", "de"), BGB, "§ 442 Abs. 1 BGB"),
        (passage("Pasal 25 ayat (1)", "id"), TAX, "UU 6/1983, Pasal 25 ayat (1)"),
        (passage("第10条", "zh"), RULES, "《中华人民共和国公司登记管理条例》第10条"),
        (passage("", "de"), BGB, "BGB"),
    ],
)
def test_short_citations(cited: Passage, document: Document, words: str) -> None:
    assert short_citation(cited, document) == words


@pytest.mark.parametrize(
    ("cited", "document", "words"),
    [
        (
            passage("Article 14(2)", page=9),
            CODE,
            "Agency Code (13 of 2011), Article 14(2), p. 9 [x/14]",
        ),
        (passage("§ 442", "de", page=3), BGB, "§ 442 Bürgerliches Gesetzbuch, p. 3 [x/14]"),
        (
            passage("Article 14", eId="art_14"),
            CODE,
            "Agency Code (13 of 2011), Article 14, eId art_14 [x/14]",
        ),
        (passage("", page=2), CODE, "Agency Code (13 of 2011), p. 2 [x/14]"),
    ],
)
def test_full_citations(cited: Passage, document: Document, words: str) -> None:
    assert full_citation(cited, document) == words


def test_a_pinpoint_is_the_label_and_the_page() -> None:
    assert pinpoint(passage("Pasal 25 ayat (1)", "id", page=14)) == "Pasal 25 ayat (1), p. 14"
    assert pinpoint(passage("Pasal 25", "id")) == "Pasal 25"
    assert pinpoint(passage("", page=3)) == "p. 3"
