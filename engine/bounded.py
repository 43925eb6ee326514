"""Reading of untrusted data within limits: packed data (gzip, zlib, zip), and YAML."""

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

import yaml

from engine.errors import UnpackingError, YamlError, in_words

# Unpack gzip, zlib and zip within limits: every decompression of the project goes through this
# module.
#
# Sizes that packed data declare are not believed: bytes are counted as they come. Data may unpack
# to at most ``most`` bytes, and from ``SMALL`` bytes on to at most ``HIGHEST_RATIO`` times their
# packed size.

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


# Reading of untrusted YAML within limits: the only way in which the project reads YAML.
#
# A few hundred bytes of YAML can expand to gigabytes, because a part with an anchor (``&a``) may
# be inserted in many places (``*a``), and these in others. Here the events of a text are counted
# first, in linear time, and the text is rejected before anything is built if it is too large,
# nested too deeply or would expand too far (YAML 1.1, 3.2.2.2; the attack is the "billion laughs"
# of XML).

LARGEST_YAML = 1_000_000
DEEPEST = 40
# The size of a node, in characters.
_NODE = 8
# Longer digits are no number, and would take long to convert.
_LONGEST_NUMBER = 40
# The parser in C is ten times faster; PyYAML has it if it was built with libyaml.
_BASE: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load_yaml(text: str | bytes, *, largest: int = LARGEST_YAML) -> Any:
    """Return the content of a YAML text with at most ``largest`` characters or bytes; None for an empty one.

    Raises YamlError for invalid YAML, and for a text that is too large, nested too deeply, or expands to more
    than twice ``largest`` by its aliases.
    """
    if len(text) > largest:
        raise YamlError(f"too long: {len(text):,} characters, at most {largest:,}")
    try:
        text = text if isinstance(text, str) else text.decode("utf-8-sig")
        _measure(text, 2 * max(largest, LARGEST_YAML))
        return yaml.load(text, Loader=_Loader)
    except yaml.YAMLError as error:
        raise YamlError(_problem(error)) from error
    except UnicodeError as error:
        raise YamlError("not text in UTF-8") from error
    # Errors of values that do not match their tag: "!!timestamp soon", or the 45th of a month.
    except (ValueError, AttributeError, LookupError, TypeError, OverflowError) as error:
        raise YamlError(f"a value has the wrong type ({_problem(error)})") from error


def _measure(text: str, most: int) -> None:
    """Raise YamlError if the content would be too deep or, with all aliases expanded, too large."""
    anchored: dict[str, int] = {}
    # Anchor and size of each open collection.
    open_nodes: list[tuple[str | None, int]] = []
    total = 0
    for event in yaml.parse(text, Loader=_BASE):
        if isinstance(event, yaml.CollectionStartEvent):
            open_nodes.append((event.anchor, _NODE))
            if len(open_nodes) > DEEPEST:
                raise YamlError(f"nested more than {DEEPEST} deep{_at(event)}")
            continue
        if isinstance(event, yaml.CollectionEndEvent):
            anchor, size = open_nodes.pop()
        elif isinstance(event, yaml.ScalarEvent):
            anchor, size = event.anchor, _NODE + len(event.value)
        elif isinstance(event, yaml.AliasEvent):
            # An unknown alias is inside its own target, or has none.
            if event.anchor not in anchored:
                raise YamlError(f"the alias *{event.anchor} refers to nothing complete before it")
            anchor, size = None, anchored[event.anchor]
        else:
            continue
        if anchor is not None:
            anchored[anchor] = size
        if open_nodes:
            above, so_far = open_nodes[-1]
            open_nodes[-1] = (above, so_far + size)
        total = size if not open_nodes else open_nodes[-1][1]
        if total > most:
            raise YamlError(f"its parts expand to more than {most:,} characters{_at(event)}")


def _at(event: yaml.Event) -> str:
    return "" if event.start_mark is None else f" in line {event.start_mark.line + 1}"


class _Loader(_BASE):  # type: ignore[misc]
    """Plain values only; numbers are decimal, so that "3:15" is a provision and not 195 minutes."""

    def number(self, node: yaml.ScalarNode) -> Any:
        """Return a number, or the text if it is too long or in base 60."""
        if ":" in node.value or len(node.value) > _LONGEST_NUMBER:
            return node.value
        is_whole = node.tag.endswith(":int")
        return self.construct_yaml_int(node) if is_whole else self.construct_yaml_float(node)


_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.number)
_Loader.add_constructor("tag:yaml.org,2002:float", _Loader.number)


def _problem(error: Exception) -> str:
    """Return the problem and its line on one line, without the text itself."""
    mark = getattr(error, "problem_mark", None)
    if mark is None:
        return " ".join(str(error).split())[:200]
    problem = getattr(error, "problem", None) or getattr(error, "context", None) or "not readable"
    return f"{problem} in line {mark.line + 1}"
