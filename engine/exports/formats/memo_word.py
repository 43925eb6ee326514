"""The memo as a Word file."""

from __future__ import annotations

from engine.exports.registry import Export, HandedOver


def write(case: HandedOver) -> bytes:
    """The memo as .docx. Raises InputError where the record is damaged."""
    from engine.exports.memo.composing import compose
    from engine.exports.memo.word import memo_word

    return memo_word(compose(case))


EXPORT = Export(
    "docx",
    "Memo (Word)",
    "what a lawyer hands over: findings, pinpoints, how they were found and checked",
    ".docx",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    write,
)
