"""Small PDFs, written byte by byte, and runs as if they had been read from one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine.ingestion.readers.pdf.glyphs import Sign
from engine.ingestion.readers.pdf.rows import Run

WIDTH, HEIGHT, SIZE = 600, 800, 10
# Letters of Courier are as wide as this share of their size.
PITCH = 0.6
_MATRICES = {0: "1 0 0 1", 45: ".7071 .7071 -.7071 .7071", 90: "0 1 -1 0", 180: "-1 0 0 -1", 270: "0 -1 1 0"}


@dataclass(frozen=True, slots=True)
class Text:
    """A line of Courier at (x, y) points from the lower left; ``angle`` 90 runs upwards."""

    x: float
    y: float
    text: str
    size: float = SIZE
    bold: bool = False
    angle: int = 0
    invisible: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """What stands on a page; ``picture`` fills it."""

    texts: Sequence[Text] = ()
    rotate: int = 0
    picture: bool = False


@dataclass(slots=True)
class _Objects:
    bodies: list[bytes] = field(default_factory=list)

    def add(self, body: bytes) -> int:
        self.bodies.append(body)
        return len(self.bodies)


def pdf(pages: Sequence[Page], information: Mapping[str, str] | None = None) -> bytes:
    """A PDF of some pages."""
    objects = _Objects()
    catalog, tree = objects.add(b""), objects.add(b"")
    fonts = [
        objects.add(f"<</Type/Font/Subtype/Type1/BaseFont/{name}/Encoding/WinAnsiEncoding>>".encode())
        for name in ("Courier", "Courier-Bold")
    ]
    picture = objects.add(
        b"<</Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8/Length 1>>"
        b"\nstream\n\x80\nendstream"
    )
    kids = []
    for page in pages:
        content = _content(page)
        stream = objects.add(b"<</Length %d>>\nstream\n%s\nendstream" % (len(content), content))
        kids.append(
            objects.add(
                (
                    f"<</Type/Page/Parent {tree} 0 R/MediaBox[0 0 {WIDTH} {HEIGHT}]/Rotate {page.rotate}"
                    f"/Contents {stream} 0 R/Resources<</Font<</F0 {fonts[0]} 0 R/F1 {fonts[1]} 0 R>>"
                    f"/XObject<</I0 {picture} 0 R>>>>>>"
                ).encode()
            )
        )
    listed = " ".join(f"{kid} 0 R" for kid in kids)
    objects.bodies[tree - 1] = f"<</Type/Pages/Kids[{listed}]/Count {len(kids)}>>".encode()
    objects.bodies[catalog - 1] = f"<</Type/Catalog/Pages {tree} 0 R>>".encode()
    fields = "".join(f"/{name}({value})" for name, value in (information or {}).items())
    return _file(objects.bodies, catalog, objects.add(f"<<{fields}>>".encode("latin-1")))


def _content(page: Page) -> bytes:
    drawn = [f"q {WIDTH} 0 0 {HEIGHT} 0 0 cm /I0 Do Q"] if page.picture else []
    for text in page.texts:
        written = text.text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        mode, font = (3 if text.invisible else 0), int(text.bold)
        placed = f"{_MATRICES[text.angle]} {text.x} {text.y} Tm"
        drawn.append(f"BT /F{font} {text.size} Tf {mode} Tr {placed} ({written}) Tj ET")
    return "\n".join(drawn).encode("cp1252")


def _file(bodies: Sequence[bytes], catalog: int, information: int) -> bytes:
    out = b"%PDF-1.5\n"
    places = []
    for number, body in enumerate(bodies, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = f"<</Size {len(bodies) + 1}/Root {catalog} 0 R/Info {information} 0 R>>".encode()
    return out + b"xref\n0 %d\n0000000000 65535 f \n%strailer\n%s\nstartxref\n%d\n%%%%EOF" % (
        len(bodies) + 1,
        table,
        trailer,
        len(out),
    )


def column(lines: Sequence[str], x: float = 50, top: float = 700, step: float = 12) -> list[Text]:
    """Lines under each other."""
    return [Text(x, top - step * place, line) for place, line in enumerate(lines)]


def words(text: str, x: float, y: float, size: float = SIZE) -> list[Run]:
    """The runs of a line of Courier: its words."""
    runs, place = [], 0
    for word in text.split(" "):
        left = x + place * PITCH * size
        if word:
            runs.append(Run(word, left, y, left + len(word) * PITCH * size, y + size))
        place += len(word) + 1
    return runs


def from_right_to_left(text: str, right: float = 500, pitch: float = 6) -> list[Sign]:
    """The signs of a line as they stand on the page: letters leftwards, numbers and Latin rightwards.

    Words that hold no letter written from right to left are set from left to right.
    """
    signs: list[Sign] = []
    for word in text.split(" "):
        forwards = all("!" <= letter <= "~" for letter in word)
        for place, letter in enumerate(word):
            behind = len(word) - 1 - place if forwards else place
            signs.append(Sign(letter, right - (behind + 1) * pitch, right - behind * pitch, 10))
        right -= (len(word) + 1) * pitch
    return signs
