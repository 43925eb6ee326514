"""Bytes of a text file as text."""

from __future__ import annotations

import codecs

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def decoded(data: bytes) -> tuple[str, str | None, int]:
    """The text of a file, what was wrong with its encoding, and on which line.

    UTF-8, or UTF-16 where the file says so by its mark. Anything else is taken for Windows-1252, the
    most common encoding of old texts in the west, and said to be so.
    """
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8")
    try:
        return _plain(data.decode(encoding)), None, 0
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
    reason = f"not {encoding.upper().removesuffix('-SIG')}: read as Windows-1252; letters may be wrong"
    return _plain(data.decode("cp1252", "replace")), reason, line


def looks_like_text(head: bytes) -> bool:
    """Whether the beginning of a file is text of some encoding rather than other data."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return True
    return b"\0" not in head and not head.startswith((b"%PDF", b"PK\x03\x04", b"{\\rtf"))


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
