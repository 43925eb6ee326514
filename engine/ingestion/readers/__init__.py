"""File formats. A further one is a further file here, and its place in ``READERS``."""

from engine.ingestion.readers.base import Problem, ReadDocument, Reader
from engine.ingestion.readers.beir import BeirReader
from engine.ingestion.readers.markdown import MarkdownReader
from engine.ingestion.readers.text import TextReader

# Asked in this order; the first that accepts a file reads it.
READERS: tuple[Reader, ...] = (BeirReader(), MarkdownReader(), TextReader())

__all__ = ["READERS", "Problem", "ReadDocument", "Reader"]
