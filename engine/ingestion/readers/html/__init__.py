"""Web pages: parsing, visible content, blocks and metadata."""

from engine.ingestion.readers.html.reader import HtmlReader

__all__ = ["HtmlReader"]
