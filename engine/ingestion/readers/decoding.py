"""Bytes of a text file as text."""

from __future__ import annotations

import codecs

from charset_normalizer import from_bytes

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
# Old encodings of scripts other than Latin, and what they are called.
_OLD = {
    "cp1256": "Windows-1256 (Arabic)",
    "gb18030": "GB 18030 (Chinese)",
    "big5": "Big5 (Chinese)",
    "cp1251": "Windows-1251 (Cyrillic)",
    "shift_jis": "Shift JIS (Japanese)",
    "euc_kr": "EUC-KR (Korean)",
}
_WESTERN = "Windows-1252"
# In a text in Latin script fewer of the bytes are accented letters than this.
_FOREIGN = 0.25
_SAMPLE = 32_768
# First bytes of formats that could be taken for text.
_NO_TEXT = (b"%PDF", b"PK\x03\x04", b"{\\rtf", b"\x1f\x8b", b"BZh", b"7z\xbc\xaf", b"Rar!")
_CONTROLS = frozenset(range(32)) - frozenset(b"\t\n\r\f\v\x1b\x1a\b")
_MOST_CONTROLS = 0.01


def decoded(data: bytes) -> tuple[str, str | None, int]:
    """The text of a file, what was wrong with its encoding, and on which line.

    UTF-8, or UTF-16 where the file says so by its mark or shows it by its zeros. Anything else is told by
    its letters where most are not Latin, else taken for Windows-1252, the most common encoding of old
    texts in the west; which one it was is said, as it may be wrong.
    """
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    encoding = encoding or _bare_utf16(data) or "utf-8"
    try:
        return _plain(data.decode(encoding)), None, 0
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
    old = _old_encoding(data)
    stated = encoding.upper().removesuffix("-SIG").replace("-LE", "").replace("-BE", "")
    reason = f"not {stated}: read as {_OLD.get(old, _WESTERN)}; letters may be wrong"
    return _plain(data.decode(old, "replace")), reason, line


def looks_like_text(head: bytes) -> bool:
    """Whether the beginning of a file is text of some encoding rather than other data."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or _bare_utf16(head):
        return True
    if b"\0" in head or head.startswith(_NO_TEXT):
        return False
    return sum(byte in _CONTROLS for byte in head) <= _MOST_CONTROLS * len(head)


def _bare_utf16(data: bytes) -> str | None:
    """UTF-16 without its mark: of text mostly in Latin letters, every second byte is zero."""
    head = data[:1024]
    if len(head) < 16:
        return None
    odd, even = head[1::2], head[::2]
    if odd.count(0) > 0.4 * len(odd) and 0 not in even:
        return "utf-16-le"
    return "utf-16-be" if even.count(0) > 0.4 * len(even) and 0 not in odd else None


def _old_encoding(data: bytes) -> str:
    sample = data[:_SAMPLE]
    if sum(byte > 127 for byte in sample) < _FOREIGN * len(sample):
        return "cp1252"
    best = from_bytes(sample, cp_isolation=list(_OLD)).best()
    return best.encoding if best is not None and best.encoding in _OLD else "cp1252"


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
