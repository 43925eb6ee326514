"""A table of contents as bare lines makes no provisions."""
# ruff: noqa: E501 (a text is easier to read in one line)

from __future__ import annotations

import numpy as np
import pytest

from tests.field.conftest import Build

# fmt: off
# A file, its text, and the beginnings of its passages after the title of the contents.
CASES = [
    ("act.txt", "FERRY ACT 2012\n\nSection 1 Short title\nSection 2 Fares\n\nSection 1 Short title\nThis Act is short.\n\nSection 2 Fares\nA fare is 5 euros.\n", ["This Act", "A fare"]),
    ("gesetz.txt", "Fährgesetz\n\n§ 1 Anwendungsbereich\n§ 2 Fahrpreis\n\n§ 1 Anwendungsbereich\nEs gilt für Fähren.\n\n§ 2 Fahrpreis\nEr beträgt 5 Euro.\n", ["Es gilt", "Er beträgt"]),
    ("uu.txt", "UNDANG-UNDANG NOMOR 4 TAHUN 2011\n\nBAB I UMUM\n\nPasal 1\n\nPasal 2\n\nBAB II TARIF\n\nPasal 3\n\nBAB I UMUM\n\nPasal 1\nKanal adalah air.\n\nPasal 2\nPerahu terdaftar.\n\nBAB II TARIF\n\nPasal 3\nTarif dibayar.\n", ["Kanal", "Perahu", "Tarif"]),
    ("loi.md", "# Loi sur les bacs\n\n## Article 1 Objet\n\n## Article 2 Tarif\n\n## Article 1 Objet\nElle régit les bacs.\n\n## Article 2 Tarif\nIl est de 5 euros.\n", ["Elle régit", "Il est"]),
    ("ley.html", "<html><body><h1>Ley de barcas</h1><h2>Artículo 1. Objeto</h2><h2>Artículo 2. Tarifa</h2><h2>Artículo 1. Objeto</h2><p>Regula las barcas.</p><h2>Artículo 2. Tarifa</h2><p>Son 5 euros.</p></body></html>", ["Regula", "Son 5"]),
    ("repealed.md", "# Ports Act\n\n## Section 1 Name\n\n## Section 2 Fees\n\n## Section 3 Ships\nA ship pays.\n", ["Section 1", "Section 2", "A ship"]),
]
# fmt: on


@pytest.mark.parametrize(("name", "text", "begins"), CASES, ids=[case[0] for case in CASES])
def test_contents(build: Build, name: str, text: str, begins: list[str]) -> None:
    corpus = build({name: text})
    passages = corpus.passages(np.arange(len(corpus), dtype=np.int32))
    assert [one.text[: len(first)] for one, first in zip(passages, begins, strict=True)] == begins
    assert not [one.id for one in passages if "~" in one.id]
