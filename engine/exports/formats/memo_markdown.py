"""The memo as Markdown."""

from __future__ import annotations

from engine.exports.registry import Export, HandedOver


def write(case: HandedOver) -> bytes:
    """The memo in UTF-8. Raises InputError where the record is damaged."""
    from engine.exports.memo.composing import compose
    from engine.exports.memo.markdown import memo_markdown

    return memo_markdown(compose(case)).encode()


EXPORT = Export("md", "Memo (Markdown)", "what a person reads, as plain text", ".md", "text/markdown", write)
