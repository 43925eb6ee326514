"""A small PDF that needs a password, made by the standard security handler of PDF 1.4 (revision 2).

PDF Reference, fourth edition, section 3.5.2: algorithms 3.1 to 3.4, with keys of 40 bits.
"""

from __future__ import annotations

import hashlib

_PADDING = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")
_PERMISSIONS = (-4).to_bytes(4, "little", signed=True)
_ID = b"0123456789abcdef"


def encrypted_pdf(lines: list[str], password: str) -> bytes:
    """One page with these lines, which opens with the password alone."""
    padded = (password.encode("latin-1") + _PADDING)[:32]
    owner = _rc4(hashlib.md5(padded).digest()[:5], padded)
    key = hashlib.md5(padded + owner + _PERMISSIONS + _ID).digest()[:5]
    user = _rc4(key, _PADDING)
    shown = "".join(f"({line}) Tj 0 -18 Td " for line in lines)
    content = _rc4(_object_key(key, 4), f"BT /F1 12 Tf 72 760 Td {shown}ET".encode("latin-1"))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Filter /Standard /V 1 /R 2 /P -4 /O <%s> /U <%s> >>"
        % (owner.hex().encode(), user.hex().encode()),
    ]
    return _file(objects)


def _file(objects: list[bytes]) -> bytes:
    out, places = bytearray(b"%PDF-1.4\n"), list[int]()
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    identity = _ID.hex().encode()
    out += b"trailer\n<< /Size %d /Root 1 0 R /Encrypt 6 0 R /ID [<%s><%s>] >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1,
        identity,
        identity,
        start,
    )
    return bytes(out)


def _object_key(key: bytes, number: int) -> bytes:
    return hashlib.md5(key + number.to_bytes(3, "little") + b"\0\0").digest()[: len(key) + 5]


def _rc4(key: bytes, data: bytes) -> bytes:
    state, j = list(range(256)), 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out, i, j = bytearray(), 0, 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)
