"""Kind J: consolidated law of the EU as HTML: numbers in elements of their own, marks of amendment, annexes."""
# ruff: noqa: E501 (a text is easier to read in one line)

from __future__ import annotations

from pathlib import Path

import pytest

from engine.ingestion.readers.base import ReadDocument, SourceFile
from engine.ingestion.readers.html import HtmlReader


def article(number: str, title: str, *paragraphs: str) -> str:
    head = f'<p class="title-article-norm">{number}</p><p class="stitle-article-norm">{title}</p>'
    return f'<div class="eli-subdivision">{head}{"".join(paragraphs)}</div>'


def numbered(number: str, text: str) -> str:
    return f'<div class="norm"><span class="no-parag">{number}  </span><div class="norm inline-element">{text}</div></div>'


def point(mark: str, text: str) -> str:
    return f'<div class="grid-container grid-list"><div class="list grid-list-column-1"><span>{mark} </span></div><div class="grid-list-column-2"><p class="norm">{text}</p></div></div>'


def title(*lines: str) -> str:
    return "".join(
        f'<p class="title-doc-{"first" if not place else "last"}">{line}</p>'
        for place, line in enumerate(lines)
    )


MARK = '<p class="modref"><a href="#">▼<span class="boldface">{}</span></a></p>'
# The page; the language, title and number of its document; its passages as label and text.
PAGES = [
    (
        title("REGULATION (EU) 2016/998 OF THE COUNCIL", "on buoys")
        + article("Article 4", "Duties", numbered("1.", "A keeper lights a buoy."), MARK.format("M2"), numbered("2.", "<p>Article 5(1) applies if:</p>" + point("(a)", "it is night;") + MARK.format("C1") + point("(b)", "►M3 it is dark ◄.")))
        + article("Article 5", "Fees", numbered("1.", "A fee is due."))
        + '<p class="footnote">(1) OJ L 1, p. 1.</p><p class="footnote">(2) OJ L 2, p. 2.</p>',
        ("en", "REGULATION (EU) 2016/998 OF THE COUNCIL on buoys", "2016/998"),
        ["Article 4(1)|1. A keeper lights a buoy.", "Article 4(2)|2. Article 5(1) applies if:\n\n(a) it is night;\n\n(b) it is dark.", "Article 5|1. A fee is due.", "Notes(1)|(1) OJ L 1, p. 1.", "Notes(2)|(2) OJ L 2, p. 2."],
    ),
    (
        MARK.format("B") + title("VERORDNUNG (EU) 2019/776 DES RATES", "vom 3. Mai 2019", "über Bojen")
        + '<p class="title-division-1">KAPITEL I</p><p class="title-division-2">ALLGEMEINES</p>'
        + article("Artikel 2", "Pflichten", numbered("(1)", "Die Boje leuchtet."), numbered("(1a)", "<p>Es gilt:</p>" + point("a)", "sie ist rot;")), MARK.format("M12"), numbered("(2)", "Sie ist neu."))
        + '<p class="title-annex-1">ANHANG IIa</p><p class="title-annex-2">Farben</p>' + numbered("1.", "Rot.") + numbered("2.", "Blau."),
        ("de", "VERORDNUNG (EU) 2019/776 DES RATES vom 3. Mai 2019 über Bojen", "2019/776"),
        ["Artikel 2 Abs. 1|(1) Die Boje leuchtet.", "Artikel 2 Abs. 1a|(1a) Es gilt:\n\na) sie ist rot;", "Artikel 2 Abs. 2|(2) Sie ist neu.", "ANHANG IIa Nr. 1|1. Rot.", "ANHANG IIa Nr. 2|2. Blau."],
    ),
    (
        title("DIRECTIVE (UE) 2015/443 DU CONSEIL", "sur les bouées")
        + article("Article 3", "Registre", '<p class="arrow">▼M4</p>', numbered("1.", "Le gardien tient un registre."), numbered("2.", "Il le signe."))
        + '<p class="title-annex-1">ANNEXE</p><p class="norm">La liste des bouées.</p>',
        ("fr", "DIRECTIVE (UE) 2015/443 DU CONSEIL sur les bouées", "2015/443"),
        ["Article 3(1)|1. Le gardien tient un registre.", "Article 3(2)|2. Il le signe.", "ANNEXE|La liste des bouées."],
    ),
    (
        '<p class="doc-ti">REGLAMENTO (UE) N.º 221/2011 DEL CONSEJO</p><p class="hd-modifiers">▼B</p><p class="ti-art">Artículo 7</p><p class="sti-art">Tasa</p><p class="normal">1. La tasa es de 9 euros.</p><p class="hd-modifiers">▼M5 —————</p><p class="normal">3. Se paga cada mes.</p>',
        ("es", "REGLAMENTO (UE) N.º 221/2011 DEL CONSEJO", "221/2011"),
        ["Artículo 7, apartado 1|1. La tasa es de 9 euros.", "Artículo 7, apartado 3|3. Se paga cada mes."],
    ),
    # A page of another kind keeps its signs, and the numbers that are in their text.
    (
        "<h1>Ferry Act</h1><h2>Article 1</h2><p>▼ Click ►here</p><p>The year was 1901.</p><p>1.</p><h2>Article 2</h2><p>It ends.</p>",
        ("en", "Ferry Act", None),
        ["Article 1|▼ Click ►here", "Article 1|The year was 1901.", "Article 1|1.", "Article 2|It ends."],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("page", "named", "passages"), PAGES, ids=[row[1][1] for row in PAGES])
def test_a_page(tmp_path: Path, page: str, named: tuple[str, str, str | None], passages: list[str]) -> None:
    file = tmp_path / "page.xhtml"
    file.write_text(
        f'<html lang="{named[0]}"><head><title>CL0001</title></head><body>{page}</body></html>',
        encoding="utf-8",
    )
    (read,) = HtmlReader().read(SourceFile(file))
    assert isinstance(read, ReadDocument)
    assert (read.document.title, read.document.number) == named[1:]
    assert [f"{one.label}|{one.text}" for one in read.passages if one.label] == passages
