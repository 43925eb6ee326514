"""Files of a few kilobytes that cost gigabytes, lead elsewhere or end too soon, each under a name of its own.

Made without the memory that they would cost: a block of deflated bytes that ends on a byte is repeated as
often as is wanted (RFC 1951, a full flush).
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Mapping
from functools import cache

MEGABYTE = 1_000_000
# A file of the machine that entities, links and names lead to, and a word of it.
ELSEWHERE, LEAKED = "/etc/passwd", "root:x:0"
_ENTITIES = b"".join(b'<!ENTITY l%d "%s">' % (n, b"&l%d;" % (n - 1) * 10) for n in range(1, 12))
LAUGHS = b'<!DOCTYPE x [<!ENTITY l0 "lol">' + _ENTITIES + b"]>"
QUADRATIC = b'<!DOCTYPE x [<!ENTITY a "%s">]>' % (b"a" * 100_000)
OUTSIDE = b'<!DOCTYPE x [<!ENTITY o SYSTEM "file://%s">]>' % ELSEWHERE.encode()
REMOTE = b'<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x.dtd" [<!ENTITY %% p SYSTEM "file://%s"> %%p;]>' % (
    ELSEWHERE.encode()
)
LAW = (
    b'<akomaNtoso xmlns="http://docs.oasis-open.org/legaldocml/ns/akn/3.0"><act><body>%s</body></act>'
    b"</akomaNtoso>"
)


def deflated(piece: bytes, times: int) -> bytes:
    """The raw deflate stream of a piece that stands there many times."""
    packing = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packing.compress(piece) + packing.flush(zlib.Z_FULL_FLUSH)
    return block * times + b"\x03\x00"


def gzipped(piece: bytes, times: int) -> bytes:
    """A gzip of the same; its checksum is not right, which is seen at its end alone."""
    return b"\x1f\x8b\x08" + bytes(7) + deflated(piece, times) + bytes(8)


def zlibbed(piece: bytes, times: int) -> bytes:
    """The same as zlib has it, with the checksum of zeros."""
    length = len(piece) * times
    # Adler-32 of zeros: the first sum stays 1, the second grows by it.
    return b"\x78\xda" + deflated(piece, times) + struct.pack(">HH", length % 65521, 1)


def pdf(data: bytes, filters: int) -> bytes:
    """A PDF of a page whose stream of operators is these bytes, packed by so many filters."""
    packed = b"/Filter[" + b"/FlateDecode" * filters + b"]" if filters else b""
    parts = (
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
        b"<</Length %d%s>>stream\n%s\nendstream" % (len(data), packed, data),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    )
    file, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(file))
        file += b"%d 0 obj%s endobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(parts) + 1, table)
    return (
        file + head + b"trailer<</Root 1 0 R/Size %d>>\nstartxref\n%d\n%%%%EOF" % (len(parts) + 1, len(file))
    )


def zipped(
    files: Mapping[str, bytes],
    method: int = zipfile.ZIP_DEFLATED,
    *,
    link: bool = False,
    sizes: int | None = None,
) -> bytes:
    """A zip of files; ``link``: they are links, ``sizes``: what it says of their sizes."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", method) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = method
            if link:
                entry.external_attr, entry.create_system = 0o120777 << 16, 3
            archive.writestr(entry, content)
    data = whole.getvalue()
    if sizes is not None:
        for content in files.values():
            data = data.replace(struct.pack("<I", len(content)), struct.pack("<I", sizes))
    return data


def docx(document: bytes, **others: bytes) -> bytes:
    """A Word file of such a document part."""
    return zipped({"word/document.xml": document, **others})


def overlapping(members: int, size: int) -> bytes:
    """A zip whose members are all the same bytes: kilobytes that stand for gigabytes."""
    packed = deflated(bytes(MEGABYTE), size // MEGABYTE)
    sizes = struct.pack("<III", zlib.crc32(bytes(size)), len(packed), size)
    local = struct.pack("<IHHHHH", 0x04034B50, 20, 0, 8, 0, 0) + sizes + struct.pack("<HH", 5, 0) + b"a.txt"
    first = struct.pack("<IHHHHHH", 0x02014B50, 20, 20, 0, 8, 0, 0) + sizes + struct.pack("<H", 5) + bytes(16)
    listed = (first + b"a.txt") * members
    end = (0x06054B50, 0, 0, members, members, len(listed), len(local) + len(packed), 0)
    return local + packed + listed + struct.pack("<IHHHHIIH", *end)


def dense(times: int) -> bytes:
    """A gzip that shrinks a hundred times: below what is suspicious, and still hundreds of megabytes."""
    piece = b"".join(b"%06d" % (n * 7919 % 999_983) + b"a" * 2000 for n in range(500))
    return gzipped(piece, times)


@cache
def texts() -> Mapping[str, bytes]:
    """Files to be read as texts, by the name under which they are sent."""
    zeros, page = bytes(MEGABYTE), b"BT /F 12 Tf 72 700 Td (The fee is due.) Tj ET "
    letter = gzip.compress(b"The fee is due.")
    return {
        "deflated twice.pdf": pdf(zlib.compress(zlibbed(zeros, 3000), 9), 2),
        "deflated thrice.pdf": pdf(zlib.compress(zlib.compress(zlibbed(zeros, 6000), 9), 9), 3),
        "deflated once.pdf": pdf(zlibbed(zeros, 1500), 1),
        "a long page.pdf": pdf(b"\x78\xda" + deflated(page * 20_000, 50), 1),
        "cut.pdf": pdf(page, 0)[:300],
        "head.pdf": b"%PDF-1.7 and nothing",
        "many pages.pdf": pdf(page, 0).replace(b"/Count 1>>", b"/Count 999999999>>"),
        "a page in itself.pdf": pdf(page, 0).replace(b"/Kids[3 0 R]", b"/Kids[2 0 R]"),
        "zeros.txt.gz": gzipped(zeros, 2000),
        "in three.txt.gz": gzip.compress(gzip.compress(gzipped(zeros, 2000))),
        "members.txt.gz": gzip.compress(bytes(100_000)) * 20_000,
        "dense.txt.gz": dense(400),
        "cut.txt.gz": gzip.compress(b"The fee is due. " * 1000)[:60],
        "rubbish.txt.gz": b"\x1f\x8b" + b"rubbish" * 100,
        "head.gz": b"\x1f\x8b\x08",
        "four.gz": gzip.compress(gzip.compress(gzip.compress(letter))),
        "zeros.zip": zipped({"a.txt": bytes(5 * MEGABYTE)}),
        "small, it says.zip": zipped({"a.txt": bytes(5 * MEGABYTE)}, sizes=100),
        "overlapping.zip": overlapping(400, 4 * MEGABYTE),
        "many.zip": zipped({f"{n}.md": b"" for n in range(8000)}),
        "zips.zip": zipped({"b.zip": zipped({"c.zip": zipped({"d.txt": b"The fee is due."})})}),
        "bzip2.zip": zipped({"a.txt": bytes(5 * MEGABYTE)}, zipfile.ZIP_BZIP2),
        "lzma.zip": zipped({"a.txt": bytes(5 * MEGABYTE)}, zipfile.ZIP_LZMA),
        "links.zip": zipped({"a.txt": ELSEWHERE.encode()}, link=True),
        "outside.zip": zipped({f"../../..{ELSEWHERE}": b"The fee is due."}),
        "cut.zip": zipped({"a.txt": b"The fee is due. " * 100})[:80],
        "zeros.docx": docx(b"<w>" + b" " * (5 * MEGABYTE) + b"</w>"),
        "laughs.docx": docx(LAUGHS + b"<w>&l11;</w>"),
        "outside.docx": docx(OUTSIDE + b"<w>&o;</w>"),
        "deep.docx": docx(b"<w>" * 100_000 + b"</w>" * 100_000),
        "cut.docx": docx(b"<w/>")[:90],
        "no zip.docx": b"PK\x03\x04" + bytes(500),
        "laughs.xml": LAUGHS + LAW % b"&l11;",
        "quadratic.xml": QUADRATIC + LAW % (b"&a;" * 30_000),
        "outside.xml": OUTSIDE + LAW % b"&o;",
        "remote.xml": REMOTE + LAW % b"&p;",
        "deep.xml": LAW % (b"<part>" * 100_000 + b"</part>" * 100_000),
        "cut.xml": (LAW % b"<article>")[:90],
        "deep.html": b"<html><body>" + b"<div>" * 200_000 + b"x",
        "tables.html": b"<html><body>" + b"<table><tr><td>" * 20_000 + b"x",
        "deep.json": b"[" * 200_000 + b"]" * 200_000,
        "long.json": b'{"text": "' + b"a " * 1_500_000 + b'"}',
        "a line.jsonl": b'{"id": "a", "text": "' + b"a " * 1_500_000,
        "columns.csv": b"a," * 1_000_000 + b"\n" + b"1," * 500_000,
        "rubbish.pdf.txt": bytes(range(256)) * 4000,
        "nothing.txt": b"",
    }  # fmt: skip


QRELS = b"q1\ta\t1\n"
QUESTION = b'{"id": "q1", "text": "Who may act?"}\n'


@cache
def questions() -> Mapping[str, tuple[bytes, bytes]]:
    """Questions by the name under which they are sent, each with the judgements sent next to them."""
    zeros = bytes(MEGABYTE)
    return {
        "zeros.jsonl.gz": (gzipped(zeros, 1400), QRELS),
        "lines.jsonl.gz": (gzipped(b"\n" * MEGABYTE, 1400), QRELS),
        "questions.jsonl.gz": (gzipped(QUESTION * 20_000, 400), QRELS),
        "dense.jsonl.gz": (dense(900), QRELS),
        "members.jsonl.gz": (gzip.compress(bytes(100_000)) * 20_000, QRELS),
        "in two.jsonl.gz": (gzip.compress(gzipped(zeros, 1400)), QRELS),
        "cut.jsonl.gz": (gzip.compress(QUESTION * 1000)[:50], QRELS),
        "rubbish.jsonl.gz": (b"\x1f\x8b" + b"rubbish" * 100, QRELS),
        "no gzip.jsonl.gz": (QUESTION, QRELS),
        "bzip2.jsonl.gz": (bz2.compress(QUESTION), QRELS),
        "xz.jsonl.gz": (lzma.compress(QUESTION), QRELS),
        "a zip.jsonl": (zipped({"q.jsonl": QUESTION}), QRELS),
        "deep.jsonl": (b'{"id": "q1", "text": ' + b"[" * 200_000 + b"]" * 200_000 + b"}", QRELS),
        "long.jsonl": (b'{"id": "q1", "text": "' + b"a" * 3_500_000 + b'"}', QRELS),
        "cut.jsonl": (QUESTION[:20], QRELS),
        "surrogates.jsonl": (b'{"id": "q1", "text": "\\ud800"}', QRELS),
        "latin.jsonl": (QUESTION.replace(b"act", b"\xe4ct"), QRELS),
        "nul.jsonl": (bytes(1000), QRELS),
        "nothing.jsonl": (b"", QRELS),
        "a list.jsonl": (b"[1, 2]\n" * 1000, QRELS),
        "numbers.jsonl": (b'{"id": %s, "text": "a"}' % (b"9" * 100_000), QRELS),
        "nan.jsonl": (QUESTION, b"q1\ta\tnan\n"),
        "endless.jsonl": (QUESTION, b"q1\ta\t1e999\n"),
        "zeros in qrels.jsonl": (QUESTION, bytes(MEGABYTE)),
        "a column.jsonl": (QUESTION, b"q1 " * 500_000),
        "nobody's.jsonl": (QUESTION, b"q2\ta\t1\n" * 100_000),
        "negative.jsonl": (QUESTION, b"q1\ta\t-1\n"),
        "latin qrels.jsonl": (QUESTION, b"q1\t\xe4\t1\n"),
        "no end of qrels.jsonl": (QUESTION, b"q1\ta"),
        "rubbish qrels.jsonl": (QUESTION, bytes(range(256)) * 100),
    }  # fmt: skip
