from __future__ import annotations

from engine.ingestion.structure.assembly import Assembler, Block, HeadingBlock, TextBlock
from engine.ingestion.structure.headings import parse_heading
from engine.ingestion.structure.segmentation import LONGEST
from engine.model import Document, Passage

DOCUMENT = Document("code", "Code", language="en")


def assembled(*blocks: Block) -> list[Passage]:
    return list(Assembler(DOCUMENT).assemble(blocks).passages)


def heading(text: str, level: int = 1, *, page: int | None = None, eid: str | None = None) -> HeadingBlock:
    return HeadingBlock(level, parse_heading(text), page=page, eid=eid)


def test_a_passage_knows_its_page() -> None:
    passages = assembled(
        heading("Article 1", page=3),
        TextBlock("(1) On the first page.", page=3),
        TextBlock("(2) Begins on the next,", page=4),
        TextBlock("and goes on.", page=5),
        heading("Article 2", page=5),
        TextBlock("No page of its own."),
    )
    assert [(p.label, p.page) for p in passages] == [
        ("Article 1(1)", 3),
        ("Article 1(2)", 4),
        ("Article 2", 5),
    ]


def test_the_parts_of_a_long_paragraph_stand_on_their_own_pages() -> None:
    sentences = " ".join(f"Section {number} shall apply under Rule {number}.1.2." for number in range(60))
    passages = assembled(
        heading("Article 1"), TextBlock(sentences, page=1), TextBlock("and " + sentences, page=2)
    )
    assert passages[0].page == 1
    assert passages[-1].page == 2
    assert all(len(p.text) - p.overlap <= LONGEST for p in passages)
    assert [p.overlap > 0 for p in passages] == [False] + [True] * (len(passages) - 1)
