"""The memo as Markdown."""

from __future__ import annotations

from engine.exports.registry import Export, ExportableCase


def write(case: ExportableCase) -> bytes:
    """Write the memo in UTF-8. Raises InputError if the record is damaged."""
    from engine.exports.memo.composing import compose
    from engine.exports.memo.markdown import memo_markdown

    return memo_markdown(compose(case)).encode()


EXPORT = Export("md", "Memo (Markdown)", "a memo as plain text", ".md", "text/markdown", write)
