"""Files made worse: deterministic damage to bytes, archives, XML and JSON, each from one random seed."""

from __future__ import annotations

import io
import random
import re
import zipfile
from collections.abc import Callable, Sequence

Mutation = Callable[[bytes, random.Random], bytes]

# What a file that must not be read holds, and what a member that must not be written is called.
CANARY = "canary-7f3a9c"
TOKENS = (
    b"\x00" * 64, b"\xff" * 64, b"\xff\xfe", b"(" * 5000, b"[" * 5000, b"{" * 5000, b"<a>" * 5000,
    b"\n" * 5000, b"\xe2\x80\xae" * 200, "١٢٣".encode() * 500, "第".encode() * 5000, b"/Count 99999999",
    b"/Length -1", b"<!DOCTYPE x>", b"<![CDATA[", b"]]>", b"&#0;", b"&#xD800;", b"%PDF-1.7", b"PK\x03\x04",
    b"---\n", b"\r", b"\x0c", b"Article 1\n" * 300, b"(1) " * 2000, b"1.1.1.1.1.1.1.1.1 ", b"9" * 5000,
    "§ ".encode() * 3000, b"\\u" * 500, b"Article 1 to 999999999 ", "المادة ".encode() * 1000,
    b"Pasal 1 sampai dengan Pasal 999999 ", b"aA1)" * 3000,
)  # fmt: skip
_NUMBER = re.compile(rb"\d+")


def flip(data: bytes, rng: random.Random) -> bytes:
    """Some bits the other way."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 4, 32, 256))):
        place = rng.randrange(len(changed))
        changed[place] ^= 1 << rng.randrange(8)
    return bytes(changed)


def cut_off(data: bytes, rng: random.Random) -> bytes:
    """Only the beginning."""
    return data[: rng.randrange(1, len(data) + 1)]


def leave_out(data: bytes, rng: random.Random) -> bytes:
    """A range is missing."""
    start = rng.randrange(len(data))
    return data[:start] + data[start + rng.randrange(1, 4096) :] or b"x"


def repeat(data: bytes, rng: random.Random) -> bytes:
    """A range stands there several times."""
    start = rng.randrange(len(data))
    piece = data[start : start + rng.randrange(1, 512)]
    return data[:start] + piece * rng.choice((2, 10, 200)) + data[start:]


def insert(data: bytes, rng: random.Random) -> bytes:
    """Something that parsers do not like, somewhere."""
    place = rng.randrange(len(data) + 1)
    return data[:place] + rng.choice(TOKENS) + data[place:]


def noise(data: bytes, rng: random.Random) -> bytes:
    """A range of random bytes."""
    start = rng.randrange(len(data))
    size = rng.randrange(1, 2048)
    return data[:start] + rng.randbytes(size) + data[start + size :]


def numbers(data: bytes, rng: random.Random) -> bytes:
    """Numbers become zero, negative or far too large."""
    spans = [match.span() for match in _NUMBER.finditer(data[:200_000])]
    for start, end in sorted(rng.sample(spans, min(len(spans), rng.choice((1, 5, 50)))), reverse=True):
        value = rng.choice((b"0", b"-1", b"4294967296", b"99999999999999999999", b"1e308"))
        data = data[:start] + value + data[end:]
    return data


def shuffle(data: bytes, rng: random.Random) -> bytes:
    """Blocks in another order."""
    size = rng.choice((16, 256, 4096))
    blocks = [data[start : start + size] for start in range(0, len(data), size)]
    rng.shuffle(blocks)
    return b"".join(blocks)


def entities(data: bytes, rng: random.Random) -> bytes:
    """A document type whose entities grow without end, or name a file of the machine."""
    laughs = b"".join(
        b'<!ENTITY l%d "%s">' % (number, b"&l%d;" % (number - 1) * 10) for number in range(1, 12)
    )
    bomb = b'<!DOCTYPE x [<!ENTITY l0 "lol">' + laughs + b"]>"
    inside = b'<!DOCTYPE x [<!ENTITY l11 SYSTEM "file://CANARY">]>'
    remote = b'<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x.dtd" [<!ENTITY % p SYSTEM "file://CANARY"> %p;]>'
    head = data.find(b"?>") + 2 if data.lstrip()[:5] == b"<?xml" else 0
    body = data[head:]
    place = body.find(b">", body.find(b"<", rng.randrange(max(len(body) // 2, 1)))) + 1
    return data[:head] + rng.choice((bomb, inside, remote)) + body[:place] + b"&l11;" + body[place:]


def deep(data: bytes, rng: random.Random) -> bytes:
    """Elements or brackets in one another, thousands deep."""
    depth = rng.choice((200, 5000, 50_000))
    place = data.find(b">") + 1
    opening, closing = rng.choice(
        ((b"<div>", b"</div>"), (b"<part>", b"</part>"), (b"[", b"]"), (b'{"a":', b"}"))
    )
    return data[:place] + opening * depth + b"x" + closing * depth + data[place:]


ANY: Sequence[Mutation] = (flip, cut_off, leave_out, repeat, insert, noise, numbers, shuffle)
MARKUP: Sequence[Mutation] = (*ANY, entities, deep)


def repacked(data: bytes, rng: random.Random) -> bytes:
    """An archive that is sound but for one member: damaged, misnamed, repeated, or far too large."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [
                (info.filename, archive.read(info)) for info in archive.infolist() if not info.is_dir()
            ]
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError):
        return flip(data, rng)
    chosen = rng.randrange(len(members)) if members else 0
    kind = rng.choice(("member", "member", "member", "outside", "absolute", "again", "large", "nested"))
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, (name, content) in enumerate(members):
            if number == chosen and kind == "member" and content:
                content = rng.choice(MARKUP)(content, rng)
            archive.writestr(name, content)
        if kind == "outside":
            archive.writestr("../" * rng.randrange(1, 6) + f"{CANARY}.txt", "Article 1\nOutside.")
        elif kind == "absolute":
            archive.writestr(f"/{CANARY}.txt", "Article 1\nOutside.")
        elif kind == "large":
            archive.writestr("large.txt", b"Article 1 " * 30_000_000)
        elif kind == "nested":
            archive.writestr("again.zip", data)
    return output.getvalue()


def mutated(data: bytes, seed: int) -> bytes:
    """A file damaged once or several times, as its format allows; the same for the same seed."""
    rng = random.Random(seed)
    if data[:4] == b"PK\x03\x04" and rng.random() < 0.8:
        return repacked(data, rng)
    kinds = MARKUP if data.lstrip()[:1] in (b"<", b"{", b"[") else ANY
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        data = rng.choice(kinds)(data or b"x", rng)
    return data
