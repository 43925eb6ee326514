"""The memo as a Word file."""

from __future__ import annotations

from engine.exports.registry import Export, ExportableCase


def write(case: ExportableCase) -> bytes:
    """Write the memo as .docx. Raises InputError if the record is damaged."""
    from engine.exports.memo.composing import compose
    from engine.exports.memo.word import memo_word

    return memo_word(compose(case))


EXPORT = Export(
    "docx",
    "Memo (Word)",
    "a memo for clients: findings, pinpoints, how they were found and checked",
    ".docx",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    write,
)
