"""What the documents of a corpus are compared by, to tell whether they are versions of one text."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from engine.corpus.embedded.documents import SECTION_KINDS
from engine.ingestion.families import Content
from engine.ingestion.view import CorpusView
from engine.language.addresses import PROVISIONS, number_key

# Shorter texts ("(repealed)") stand anywhere.
_TELLING = 30
# Blocks and documents that are compared with one another stand near one another.
_BLOCKS_AT_HAND, _DOCUMENTS_AT_HAND = 8, 16


def contents_of(view: CorpusView) -> Callable[[int], Content]:
    """The content of a document by its number; only provisions that are called so ("Article 5", "§ 5")
    count, since anything may have a 1.1."""

    @lru_cache(_BLOCKS_AT_HAND)
    def columns(number: int) -> tuple[list[str], list[str], list[str], list[int]]:
        block = view.blocks[number]
        texts, labels = block.strings("passages.text").all(), block.strings("passages.label").all()
        numbers = block.strings("passages.number").all()
        return list(texts), list(labels), list(numbers), block["passages.kind"].tolist()

    @lru_cache(_DOCUMENTS_AT_HAND)
    def content(number: int) -> Content:
        first, stop = int(view.document_rows[number]), int(view.document_rows[number + 1])
        if first == stop:
            return Content(frozenset(), frozenset())
        block = view.block_of(first)
        texts, labels, numbers, kinds = columns(block)
        rows = range(first - int(view.first_row[block]), stop - int(view.first_row[block]))
        return Content(
            frozenset(
                number_key(numbers[row])
                for row in rows
                if numbers[row] and SECTION_KINDS[kinds[row]] in PROVISIONS and not labels[row][:1].isdigit()
            ),
            frozenset(" ".join(texts[row].split()) for row in rows if len(texts[row]) >= _TELLING),
        )

    return content
