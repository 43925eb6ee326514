"""Choose the reader of a file. New formats are added to ``READERS``."""

from pathlib import Path

from engine.ingestion.readers.akoma import AkomaReader
from engine.ingestion.readers.base import Reader
from engine.ingestion.readers.beir import BeirReader
from engine.ingestion.readers.docx import DocxReader
from engine.ingestion.readers.formex import FormexReader
from engine.ingestion.readers.html import HtmlReader
from engine.ingestion.readers.markdown import MarkdownReader
from engine.ingestion.readers.pdf import PdfReader
from engine.ingestion.readers.records import JsonReader, TableReader
from engine.ingestion.readers.text import TextReader

# In order of trial: readers that recognise bytes, then readers that use the file name, then readers of any
# text.
READERS: tuple[Reader, ...] = (
    PdfReader(),
    DocxReader(),
    AkomaReader(),
    FormexReader(),
    BeirReader(),
    HtmlReader(),
    JsonReader(),
    TableReader(),
    MarkdownReader(),
    TextReader(),
)
# Readers whose files may begin with front matter.
WITH_FRONT_MATTER = (MarkdownReader, TextReader)
# Readers of compressed files, line by line; for other readers gzip files are unpacked first.
PACKED_READERS = (BeirReader, JsonReader)


def choose_reader(path: Path, head: bytes, *, mapped: bool = False) -> Reader | None:
    """Return the reader of a file with these first bytes, or None; ``mapped``: the user has mapped its
    fields."""
    return next(
        (
            reader
            for reader in READERS
            if reader.accepts(path, head) and not (mapped and isinstance(reader, BeirReader))
        ),
        None,
    )
