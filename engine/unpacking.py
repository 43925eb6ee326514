"""Unpack gzip, zlib and zip within limits: every decompression of the project goes through this module.

Sizes that packed data declare are not believed: bytes are counted as they come. Data may unpack to at most
``most`` bytes, and from ``SMALL`` bytes on to at most ``HIGHEST_RATIO`` times their packed size.
"""

from __future__ import annotations

import gzip
import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from lzma import LZMAError
from typing import IO, Any, cast

from engine.errors import UnpackingError, in_words

# How a gzip begins.
GZIP = b"\x1f\x8b"
# A deflated text shrinks 3 to 30 times, a table of zeros a thousand times.
HIGHEST_RATIO = 200
# Below this, any ratio is harmless.
SMALL = 4 << 20
LARGEST, LARGEST_MEMBER = 1 << 30, 256 << 20
# A stream that is read piece by piece: the texts of a large collection.
LARGEST_STREAM = 64 << 30
_PIECE = 1 << 16
# The library unpacks all of its input at once: with these methods a thousand bytes may become megabytes.
_SMALL_PIECE = 1 << 12
_DENSE = (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
# Errors that the libraries raise for damaged data.
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    LZMAError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
    ValueError,
    IndexError,
    struct.error,
)
_Packed = gzip.GzipFile | zipfile.ZipExtFile


class TooLargeError(UnpackingError):
    """Packed data exceed the limit when unpacked."""


class UnknownMethodError(UnpackingError):
    """Data are packed or encrypted by a method that the library does not support."""


def inflate(packed: bytes, most: int = LARGEST) -> bytes:
    """Unpack zlib data. Raises UnpackingError if they are damaged or cut short, TooLargeError."""
    room = _room(len(packed), most)
    unpacking = zlib.decompressobj()
    try:
        content = unpacking.decompress(packed, room + 1)
    except zlib.error as error:
        raise UnpackingError(in_words(error)) from error
    if len(content) > room:
        raise _too_large(room, most)
    if not unpacking.eof:
        raise UnpackingError("cut short")
    return content


def open_gzip(file: IO[bytes], size: int, most: int = LARGEST_STREAM) -> io.BufferedReader:
    """Open a gzip file of ``size`` bytes for reading. Reading raises UnpackingError, TooLargeError."""
    return _bounded(gzip.GzipFile(fileobj=file), size, most)


@contextmanager
def open_zip(file: IO[bytes]) -> Iterator[zipfile.ZipFile]:
    """Open a zip to look at its entries. Raises UnpackingError if it is damaged."""
    try:
        archive = zipfile.ZipFile(file)
    except _BROKEN as error:
        raise UnpackingError(in_words(error)) from error
    with archive:
        yield archive


def open_member(
    archive: zipfile.ZipFile, entry: zipfile.ZipInfo, most: int, password: bytes | None = None
) -> io.BufferedReader:
    """Open a member of a zip for reading. Raises UnknownMethodError, and as reading does UnpackingError,
    TooLargeError."""
    room = _room(entry.compress_size, most)
    if entry.file_size > room:
        raise _too_large(room, most)
    try:
        member = cast(zipfile.ZipExtFile, archive.open(entry, pwd=password))
    except NotImplementedError as error:
        raise UnknownMethodError(in_words(error)) from error
    except _BROKEN as error:
        raise UnpackingError(in_words(error)) from error
    piece = _SMALL_PIECE if entry.compress_type in _DENSE else _PIECE
    return _bounded(member, entry.compress_size, most, piece)


def read_member(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, most: int = LARGEST_MEMBER) -> bytes:
    """Read all of a member of a zip. Raises as ``open_member``."""
    with open_member(archive, entry, most) as member:
        return member.read()


def _bounded(stream: _Packed, size: int, most: int, piece: int = _PIECE) -> io.BufferedReader:
    return io.BufferedReader(_Bounded(stream, _room(size, most), most, piece), piece)


class _Bounded(io.RawIOBase):
    """A stream of unpacked data that gives at most ``room`` bytes."""

    def __init__(self, stream: _Packed, room: int, most: int, piece: int) -> None:
        self._stream, self._piece = stream, piece
        self._left, self._error = room, _too_large(room, most)

    def readable(self) -> bool:
        """Return True: the stream is readable."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read the next piece. Raises UnpackingError, TooLargeError."""
        try:
            piece = self._stream.read1(min(len(buffer), self._piece))
        except MemoryError as error:
            raise TooLargeError("needs more memory than there is") from error
        except _BROKEN as error:
            raise UnpackingError(in_words(error)) from error
        self._left -= len(piece)
        if self._left < 0:
            raise self._error
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        """Close the packed stream, too."""
        self._stream.close()
        super().close()


def _room(size: int, most: int) -> int:
    return min(most, max(SMALL, HIGHEST_RATIO * size))


def _too_large(room: int, most: int) -> TooLargeError:
    limit = f"{most >> 20:,} MiB" if room == most else f"{HIGHEST_RATIO} times its size"
    return TooLargeError(f"unpacks to more than {limit}")
