"""The formats that are read, and which of them a file is. A further one has its place in ``READERS``."""

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

# Asked in this order; the first that accepts a file reads it. Those that know a file by its bytes come
# first, those that go by its name behind them, and what is text of any other kind last.
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
# Those whose files may begin with front matter.
WITH_FRONT_MATTER = (MarkdownReader, TextReader)
# Those that read a gzip as it is, line by line; for all others it is unpacked first.
PACKED_READERS = (BeirReader, JsonReader)


def reader_of(path: Path, head: bytes, *, mapped: bool = False) -> Reader | None:
    """The reader for a file with these first bytes; ``mapped``: the user says what its fields mean."""
    return next(
        (
            reader
            for reader in READERS
            if reader.accepts(path, head) and not (mapped and isinstance(reader, BeirReader))
        ),
        None,
    )
