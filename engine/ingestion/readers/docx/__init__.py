"""Word files: the package, its styles and numbers, the text of its paragraphs, and blocks made of them."""

from engine.ingestion.readers.docx.reader import DocxReader

__all__ = ["DocxReader"]
