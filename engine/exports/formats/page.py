"""The case as one page of HTML."""

from __future__ import annotations

from engine.exports.registry import Export, ExportableCase


def write(case: ExportableCase) -> bytes:
    """Write the page in UTF-8. Raises InputError if the record is damaged."""
    from engine.exports.page.rendering import case_page

    return case_page(case).encode()


EXPORT = Export(
    "html", "Page (HTML)", "a browser: board, cards and log in one file", ".html", "text/html", write
)
