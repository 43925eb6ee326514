"""The case as documents for readers: a page of HTML, and the memo as Markdown and Word."""

from __future__ import annotations

from engine.exports.registry import Export, ExportableCase

# The case as one page of HTML.


def write_page(case: ExportableCase) -> bytes:
    """Write the page in UTF-8. Raises InputError if the record is damaged."""
    from engine.exports.case_page import case_page

    return case_page(case).encode()


PAGE = Export(
    "html", "Page (HTML)", "a browser: board, cards and log in one file", ".html", "text/html", write_page
)


# The memo as Markdown.


def write_markdown(case: ExportableCase) -> bytes:
    """Write the memo in UTF-8. Raises InputError if the record is damaged."""
    from engine.exports.memo.composing import compose
    from engine.exports.memo.markdown import memo_markdown

    return memo_markdown(compose(case)).encode()


MARKDOWN = Export("md", "Memo (Markdown)", "a memo as plain text", ".md", "text/markdown", write_markdown)


# The memo as a Word file.


def write_word(case: ExportableCase) -> bytes:
    """Write the memo as .docx. Raises InputError if the record is damaged."""
    from engine.exports.memo.composing import compose
    from engine.exports.memo.word import memo_word

    return memo_word(compose(case))


WORD = Export(
    "docx",
    "Memo (Word)",
    "a memo for clients: findings, pinpoints, how they were found and checked",
    ".docx",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    write_word,
)
