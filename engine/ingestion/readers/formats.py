"""Detect formats by first bytes, decode text, and unpack archives."""

from __future__ import annotations

import codecs
import re
import stat
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

from charset_normalizer import from_bytes

from engine import files
from engine.bounded import LARGEST_MEMBER, TooLargeError, UnknownMethodError, open_gzip, open_member, open_zip
from engine.errors import FileRefusedError, UnpackingError, in_words
from engine.ingestion.readers.base import Problem, SourceFile

# Decoding of text files

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
# Old encodings of scripts other than Latin, with their names.
_OLD = {
    "cp1256": "Windows-1256 (Arabic)",
    "gb18030": "GB 18030 (Chinese)",
    "big5": "Big5 (Chinese)",
    "cp1251": "Windows-1251 (Cyrillic)",
    "shift_jis": "Shift JIS (Japanese)",
    "euc_kr": "EUC-KR (Korean)",
}
_WESTERN = "Windows-1252"
# Maximum share of accented letters in Latin text.
_FOREIGN = 0.25
_SAMPLE = 32_768
# First bytes of formats that might be mistaken for text.
_NO_TEXT = (b"%PDF", b"PK\x03\x04", b"{\\rtf", b"\x1f\x8b", b"BZh", b"7z\xbc\xaf", b"Rar!")
_CONTROLS = frozenset(range(32)) - frozenset(b"\t\n\r\f\v\x1b\x1a\b")
_MOST_CONTROLS = 0.01


def decode_text(data: bytes) -> tuple[str, str | None, int]:
    """Decode a file; return its text, the problem with its encoding or None, and the line of the problem.

    UTF-8, or UTF-16 by its mark or its zero bytes. Other encodings are recognised by their letters if most
    are not Latin; otherwise Windows-1252, the most common encoding of old western texts. The problem names
    the assumed encoding, because it may be wrong.
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
    """Return True if the start of a file is text of any encoding."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or _bare_utf16(head):
        return True
    if b"\0" in head or head.startswith(_NO_TEXT):
        return False
    return sum(byte in _CONTROLS for byte in head) <= _MOST_CONTROLS * len(head)


def _bare_utf16(data: bytes) -> str | None:
    """Decode UTF-16 without its mark: in mostly Latin text, every second byte is zero."""
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


# Files without a reader: format by first bytes, and advice

# Formats by suffix, if unambiguous.
BY_NAME = {".pdf": "PDF", ".docx": "DOCX", ".doc": "Word 97", ".html": "HTML", ".htm": "HTML", ".csv": "CSV",
           ".txt": "plain text", ".md": "Markdown"}  # fmt: skip
ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")

# First bytes, name of the format, advice.
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
# Members by which a zip is recognised as another format.
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
    """Return the format of a zip with these members and the advice; None for a plain archive."""
    return next(((seen, advice) for part, seen, advice in _PACKED_FORMATS if part in members), None)


def describe_bytes(head: bytes) -> tuple[str, str]:
    """Return a description of the first bytes of a file, and the advice, which may be empty."""
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


# Archives: members of a zip, or the content of a gzip, as files in a temporary folder
#
# Only the last part of a member's name is used, in a separate folder for each member, so no name can lead out
# of the folder. The bytes written are counted; sizes declared by an archive are not trusted.

# A zip with more members is not a bundle of documents.
MOST_MEMBERS = 5000
# Limit over all archives of an ingestion.
MOST_FILES = 20_000
LARGEST_TOTAL = 1024 * 1024 * 1024
# Maximum number of nested archives.
DEEPEST = 2

_CHUNK = 1 << 20
_NOT_IN_NAMES = re.compile(r"[^\w.() -]+")


@dataclass(slots=True)
class Unpacked:
    """A temporary folder with unpacked files; ``total``: bytes written."""

    folder: Path
    total: int = 0
    _count: int = field(default=0)

    @property
    def is_full(self) -> bool:
        """True if no further file may be unpacked."""
        return self._count >= MOST_FILES

    def place(self, name: str) -> Path:
        """Return a free path for a member in a new folder."""
        self._count += 1
        folder = self.folder / str(self._count)
        folder.mkdir()
        own = _NOT_IN_NAMES.sub("_", re.split(r"[/\\]", name)[-1]).strip(" .") or "member"
        stem, dot, suffix = own.rpartition(".")
        return folder / (f"{stem[:80]}{dot}{suffix[:10]}" if stem else own[:90])

    def write(self, data: IO[bytes], path: Path) -> None:
        """Copy a bounded stream to a file. Raises UnpackingError or OSError after deleting the file."""
        written = 0
        try:
            with open(path, "wb") as file:
                while chunk := data.read(_CHUNK):
                    written += len(chunk)
                    if self.total + written > LARGEST_TOTAL:
                        raise TooLargeError(f"all archives unpack to more than {LARGEST_TOTAL >> 20} MiB")
                    file.write(chunk)
        except (UnpackingError, OSError):
            path.unlink(missing_ok=True)
            raise
        self.total += written


def members(path: Path) -> frozenset[str]:
    """Return the names in a zip; empty if it cannot be opened."""
    try:
        with files.opened(path) as file, open_zip(file) as archive:
            return frozenset(archive.namelist())
    except (FileRefusedError, UnpackingError, OSError):
        return frozenset()


def unzip(source: SourceFile, unpacked: Unpacked) -> Iterator[SourceFile | Problem]:
    """Yield the members of a zip as files named "<archive>/<member>", and problems."""
    with ExitStack() as stack:
        try:
            archive = stack.enter_context(open_zip(stack.enter_context(source.opened())))
        except (FileRefusedError, UnpackingError, OSError) as error:
            yield Problem(source.name, f"a zip that cannot be opened ({in_words(error)})")
            return
        entries = [entry for entry in archive.infolist() if not entry.is_dir()]
        if len(entries) > MOST_MEMBERS:
            yield Problem(
                source.name, f"a zip of {len(entries)} members; only the first {MOST_MEMBERS} are read"
            )
        names: set[str] = set()
        for entry in entries[:MOST_MEMBERS]:
            shown = name = f"{source.name}/{_name(entry)}"
            while shown in names:
                shown += "~"
            names.add(shown)
            if unpacked.is_full:
                yield Problem(
                    source.name, f"archives hold more than {MOST_FILES} files: the rest is not read"
                )
                return
            reason = _refusal(entry)
            if reason is not None:
                yield Problem(name, reason)
                continue
            yield _member(archive, entry, shown, source, unpacked)


def gunzip(source: SourceFile, unpacked: Unpacked) -> SourceFile | Problem:
    """Unpack a gzip to a file with the same name without ".gz"."""
    path = unpacked.place(source.path.name.removesuffix(".gz"))
    try:
        with source.opened() as file, open_gzip(file, source.size(), LARGEST_MEMBER) as data:
            unpacked.write(data, path)
    except TooLargeError as error:
        return Problem(source.name, f"{error}: not read")
    except (FileRefusedError, UnpackingError, OSError) as error:
        return Problem(source.name, f"a broken gzip ({in_words(error)})")
    return replace(source, path=path)


def _member(
    archive: zipfile.ZipFile, entry: zipfile.ZipInfo, name: str, source: SourceFile, unpacked: Unpacked
) -> SourceFile | Problem:
    path = unpacked.place(_name(entry))
    locked = bool(entry.flag_bits & 0x1)
    attempts = [word.encode() for word in source.passwords] if locked else [None]
    reason = "encrypted; give its password"
    for password in attempts:
        try:
            with open_member(archive, entry, LARGEST_MEMBER, password) as data:
                unpacked.write(data, path)
            return SourceFile(path, name, source.passwords, source.mapping, is_member=True)
        except TooLargeError as error:
            return Problem(name, f"{error}: not read")
        except UnknownMethodError as error:
            return Problem(name, f"packed in a way that is not read ({error}); unpack it first")
        except (UnpackingError, OSError) as error:
            # A wrong password raises an error, or gives invalid data.
            reason = "encrypted; none of the passwords opens it" if locked else f"broken ({in_words(error)})"
    return Problem(name, reason)


def _refusal(entry: zipfile.ZipInfo) -> str | None:
    name = _name(entry)
    if name.startswith(("/", "\\")) or re.match(r"[A-Za-z]:", name) or ".." in re.split(r"[/\\]", name):
        return "its name leads out of the archive: not read"
    if stat.S_ISLNK(entry.external_attr >> 16):
        return "a link: not followed"
    return None


def _name(entry: zipfile.ZipInfo) -> str:
    """Return a member's name; old programs wrote UTF-8 without declaring it."""
    name = entry.filename
    if not entry.flag_bits & 0x800:
        with suppress(UnicodeError):
            name = name.encode("cp437").decode("utf-8")
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in name)
