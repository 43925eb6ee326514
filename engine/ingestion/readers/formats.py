"""What a file that no reader takes is by its first bytes, and what can be done about it."""

from __future__ import annotations

import re

from engine.ingestion.readers.decoding import looks_like_text

# What a file is by the end of its name, where that is one format.
BY_NAME = {".pdf": "PDF", ".docx": "DOCX", ".doc": "Word 97", ".html": "HTML", ".htm": "HTML", ".csv": "CSV",
           ".txt": "plain text", ".md": "Markdown"}  # fmt: skip
ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")

# First bytes, what they are the beginning of, and what a person can do.
_SIGNATURES: tuple[tuple[bytes, str, str], ...] = (
    (b"%PDF", "a PDF", ""),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a file of Microsoft Office before 2007", "save it as DOCX"),
    (b"{\\rtf", "RTF", "save it as DOCX"),
    (b"\x89PNG", "a PNG picture", "pictures hold no text; run OCR first"),
    (b"\xff\xd8\xff", "a JPEG picture", "pictures hold no text; run OCR first"),
    (b"GIF8", "a GIF picture", "pictures hold no text"),
    (b"II*\0", "a TIFF picture", "pictures hold no text; run OCR first"),
    (b"MM\0*", "a TIFF picture", "pictures hold no text; run OCR first"),
    (b"RIFF", "a RIFF picture, sound or film", ""),
    (b"BM", "a bitmap picture", "pictures hold no text; run OCR first"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it, or make it a zip"),
    (b"Rar!", "a RAR archive", "unpack it, or make it a zip"),
    (b"\x1f\x8b", "gzip", ""),
    (b"BZh", "bzip2", "unpack it first"),
    (b"\xfd7zXZ", "xz", "unpack it first"),
    (b"\x28\xb5\x2f\xfd", "zstd", "unpack it first"),
    (b"SQLite format 3", "an SQLite database", "export its tables as CSV"),
    (b"\x7fELF", "a program", ""),
    (b"MZ", "a program", ""),
    (b"PAR1", "a Parquet table", "export it as CSV or JSON lines"),
    (b"ID3", "sound", ""),
)
# Parts by which a zip is known for more than an archive.
_PACKED_FORMATS: tuple[tuple[str, str, str], ...] = (
    ("xl/workbook.xml", "an Excel workbook", "export its sheets as CSV"),
    ("xl/workbook.bin", "an Excel workbook", "export its sheets as CSV"),
    ("ppt/presentation.xml", "a PowerPoint presentation", "save it as PDF"),
    ("META-INF/container.xml", "an EPUB book", "save it as HTML or PDF"),
    ("content.xml", "an OpenDocument file", "save it as DOCX or PDF"),
    ("META-INF/MANIFEST.MF", "a Java archive", ""),
)
_ROOT = re.compile(rb"<(?![?!])([A-Za-z_][\w.:-]*)")
_TAR_MAGIC = slice(257, 262)


def packed_format(members: frozenset[str]) -> tuple[str, str] | None:
    """What a zip with these members is, beside an archive, and the advice; None for an archive."""
    return next(((seen, advice) for part, seen, advice in _PACKED_FORMATS if part in members), None)


def seen_in(head: bytes) -> tuple[str, str]:
    """What the first bytes of a file look like, and the advice, which may be empty."""
    found = next(((seen, advice) for magic, seen, advice in _SIGNATURES if head.startswith(magic)), None)
    if found is not None and not (found[0] == "a bitmap picture" and looks_like_text(head)):
        return found
    if head[_TAR_MAGIC] == b"ustar":
        return "a tar archive", "unpack it, or make it a zip"
    if not looks_like_text(head):
        return "binary data of an unknown kind", ""
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") and (root := _ROOT.search(head)):
        return f"XML or markup whose outermost element is <{root[1].decode('ascii', 'replace')}>", ""
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        return "JSON", ""
    return "text", ""
