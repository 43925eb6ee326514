"""Web pages: the tree, what of it is shown, its blocks, and what it says of itself."""

from engine.ingestion.readers.html.reader import HtmlReader

__all__ = ["HtmlReader"]
