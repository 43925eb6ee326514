"""Packed data are unpacked within limits, whatever they say of themselves, and by one module."""

from __future__ import annotations

import ast
import gzip
import io
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.bounded import SMALL, TooLargeError, UnknownMethodError, inflate, open_gzip, open_zip, read_member
from engine.errors import UnpackingError
from tests.engine.imports import perhaps_imported
from tests.hostile_files import dense, gzipped, overlapping, zipped, zlibbed

ROOT = Path(__file__).parents[2]
MEGABYTE = 1_000_000
TEXT = b"The fee is due within ten days. " * 1000


def of_zlib(data: bytes, most: int = 100 * MEGABYTE) -> bytes:
    return inflate(data, most)


def of_gzip(data: bytes, most: int = 100 * MEGABYTE) -> bytes:
    with open_gzip(io.BytesIO(data), len(data), most) as file:
        return file.read()


def of_zip(data: bytes, most: int = 100 * MEGABYTE) -> bytes:
    with open_zip(io.BytesIO(data)) as archive:
        return b"".join(read_member(archive, entry, most) for entry in archive.infolist())


WAYS: tuple[tuple[Callable[..., bytes], Callable[[bytes], bytes]], ...] = (
    (of_zlib, zlib.compress),
    (of_gzip, gzip.compress),
    (of_zip, lambda data: zipped({"a": data})),
    (of_zip, lambda data: zipped({"a": data}, zipfile.ZIP_STORED)),
    (of_zip, lambda data: zipped({"a": data}, zipfile.ZIP_BZIP2)),
    (of_zip, lambda data: zipped({"a": data}, zipfile.ZIP_LZMA)),
)


@pytest.mark.parametrize(("unpack", "pack"), WAYS)
@pytest.mark.parametrize("data", [b"", b"x", TEXT, bytes(SMALL)], ids=["empty", "one", "text", "zeros"])
def test_what_is_within_the_limits_is_as_it_was(
    unpack: Callable[..., bytes], pack: Callable[[bytes], bytes], data: bytes
) -> None:
    assert unpack(pack(data)) == data


@pytest.mark.parametrize(("unpack", "pack"), WAYS)
def test_the_limits_hold_to_the_byte(unpack: Callable[..., bytes], pack: Callable[[bytes], bytes]) -> None:
    assert unpack(pack(TEXT), len(TEXT)) == TEXT
    with pytest.raises(TooLargeError, match="unpacks to more than 0 MiB"):
        unpack(pack(TEXT), len(TEXT) - 1)


@pytest.mark.parametrize(
    ("unpack", "data", "words"),
    [
        (of_zlib, zlibbed(bytes(MEGABYTE), 300), "95 MiB|200 times"),
        (of_zlib, zlib.compress(bytes(SMALL + 1)), "200 times"),
        (of_gzip, gzipped(bytes(MEGABYTE), 300), "95 MiB|200 times"),
        (of_gzip, gzip.compress(bytes(SMALL + 1)), "200 times"),
        (of_gzip, gzip.compress(bytes(100_000)) * 100, "200 times"),
        (of_gzip, dense(200), "95 MiB"),
        (of_zip, zipped({"a": bytes(SMALL + 1)}), "200 times"),
        (of_zip, zipped({"a": bytes(SMALL + 1)}, zipfile.ZIP_BZIP2), "200 times"),
        (of_zip, zipped({"a": bytes(SMALL + 1)}, zipfile.ZIP_LZMA), "200 times"),
        (of_zip, overlapping(3, 20 * MEGABYTE), "200 times"),
    ],
)
def test_what_is_beyond_is_refused(unpack: Callable[..., bytes], data: bytes, words: str) -> None:
    with pytest.raises(TooLargeError, match=words):
        unpack(data)


PACKED = {of_zlib: zlib.compress(TEXT), of_gzip: gzip.compress(TEXT), of_zip: zipped({"a": TEXT})}


@pytest.mark.parametrize("unpack", PACKED)
def test_damage_is_told_in_one_line(unpack: Callable[..., bytes]) -> None:
    data = PACKED[unpack]
    damaged = [data[:cut] for cut in (0, 1, 2, 5, 20, len(data) // 2, len(data) - 1)]
    damaged += [bytes(len(data)), data[:10] + b"\xff" * (len(data) - 10)]
    # No bytes are a gzip of no members.
    for one in damaged[1:] if unpack is of_gzip else damaged:
        with pytest.raises(UnpackingError) as told:
            unpack(one)
        assert str(told.value)
        assert "\n" not in str(told.value)


def test_an_unknown_method_is_told_apart() -> None:
    data = bytearray(zipped({"a": TEXT}))
    for place, record in ((8, b"PK\x03\x04"), (10, b"PK\x01\x02")):
        data[data.index(record) + place] = 98
    with pytest.raises(UnknownMethodError):
        of_zip(bytes(data))


# Modules that unpack, and what unpacks by its name.
MODULES = {
    "gzip",
    "zlib",
    "zipfile",
    "lzma",
    "bz2",
    "tarfile",
    "zstandard",
    "brotli",
    "lz4",
    "snappy",
    "zipimport",
}
UNPACKING = {
    "decompress",
    "decompressobj",
    "unpack_archive",
    "extractall",
    "iter_bytes",
    "aiter_bytes",
    "ZipFile",
}
OWN = "engine/bounded.py"
# Where a zip is opened elsewhere, and why.
PACKING = {
    ("engine/exports/memo/word.py", "ZipFile"): "writes one",
    ("engine/records/case_file.py", "ZipFile"): "writes one",
}
WRITING = {
    "gzip.compress", "zlib.compress", "zlib.crc32", "zipfile.ZipInfo", "zipfile.ZIP_DEFLATED",
    # Types alone.
    "zipfile.ZipFile",
}  # fmt: skip


def unpacked_in(path: Path) -> Iterator[str]:
    """What a file of the project takes of a module that unpacks, and what it calls that may unpack."""
    modules: set[str] = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {name.asname or name.name for name in node.names if name.name.split(".")[0] in MODULES}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in MODULES:
            yield from (f"from {node.module} import {name.name}" for name in node.names)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            if isinstance(node.value, ast.Name) and node.value.id in modules:
                if f"{node.value.id}.{node.attr}" not in WRITING:
                    yield f"{node.value.id}.{node.attr}"
            elif node.attr in UNPACKING:
                yield f".{node.attr}"
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "ZipFile"
        ):
            yield "ZipFile"


def test_nothing_else_unpacks() -> None:
    found = set()
    for path in [ROOT / "app.py", *(ROOT / "engine").rglob("*.py"), *(ROOT / "ui").rglob("*.py")]:
        name, text = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        # Only where something of it stands is there anything to parse.
        modules = {module.split(".")[0] for module in perhaps_imported(text)}
        if name != OWN and (modules & MODULES or any(word in text for word in UNPACKING)):
            found |= {(name, one) for one in unpacked_in(path)}
    assert found == set(PACKING)


@pytest.mark.parametrize(
    "line",
    [
        "import zlib as z; z.decompress(b'')",
        "from gzip import decompress",
        "import gzip; gzip.open('a')",
        "import tarfile; tarfile.open('a')",
        "import zipfile; zipfile.ZipFile('a')",
        "import shutil; shutil.unpack_archive('a')",
        "d = make(); d.decompress(b'')",
        "import lzma; lzma.LZMAFile('a')",
    ],
)
def test_the_scan_sees_every_way(tmp_path: Path, line: str) -> None:
    (tmp_path / "a.py").write_text(line)
    assert list(unpacked_in(tmp_path / "a.py"))
