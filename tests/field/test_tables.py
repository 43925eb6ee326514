"""Kind T: answers from tables: the row that is asked for, with the names of its columns."""
# ruff: noqa: E501 (a text is easier to read in one line)

from __future__ import annotations

import pytest

from engine.answers.answer import answer
from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from tests.engine.answers.conftest import investigated
from tests.engine.ingestion.readers.docx.writing import docx, paragraph, table

TEXTS = {
    "de.html": '<html lang="de"><h1>Hafengebührenordnung</h1><h2>§ 4 Gebühren</h2><p>Es gelten:</p><table><tr><th>Klasse</th><th>Gebühr</th></tr><tr><td>Klasse C</td><td>12 Euro</td></tr><tr><td>Klasse D</td><td>30 Euro</td></tr></table><h2>§ 5 Zahlung</h2><p>Die Gebühr ist am Montag zu zahlen.</p></html>',
    "fr.md": "# Arrêté des bacs\n\n## Article 6 Amendes\n| Infraction | Amende |\n|---|---|\n| Bac sans feu | 70 euros |\n| Passeur sans gilet | 45 euros |\n\n## Article 7\nLe passeur porte un gilet rouge.\n",
    "es.md": "# Ordenanza de muelles\n\n## Artículo 3 Tasas\n| Buque | Tasa diaria |\n|---|---|\n| Velero | 8 euros |\n| Remolcador | 21 euros |\n\n## Artículo 4\nLa tasa se paga el lunes.\n",
    "id.txt": "Peraturan Dermaga\n\nPasal 3\nTarif sandar:\n\nKapal | Tarif\nKapal layar | 15000\nKapal tunda | 40000\n\nPasal 4\nTarif dibayar setiap hari Senin.\n",
}  # fmt: skip
RULES = (
    paragraph("Port Penalty Rules", style="Title"),
    paragraph("Article 7 Penalties", style="Heading1"),
    paragraph("Penalties are as follows:"),
    table(("Breach", "First", "Repeated"), ("Mooring without licence", "200", "900"), ("Late report under Article 8", "50", "120")),
    paragraph("Article 8 Reports", style="Heading1"),
    paragraph("Reports must be sent on Friday."),
    paragraph("Schedule B Fees", style="Heading1"),
    table(("Class", "Fee"), ("A", "10"), ("B", "25"), ("C", "70")),
)  # fmt: skip
ASKED = [
    ("What is the penalty for repeated mooring without licence?", "Breach | First | Repeated: Mooring without licence | 200 | 900"),
    ("What is the penalty for a late report?", "Breach | First | Repeated: Late report under Article 8 | 50 | 120"),
    ("Which fee applies to class B under Schedule B?", "Class | Fee: B | 25"),
    ("What is the fee for class C?", "Class | Fee: C | 70"),
    # Nothing tells the rows from each other: all are shown.
    ("What are the fees under Schedule B?", "Class | Fee: A | 10; B | 25; C | 70"),
    ("When must reports be sent?", "Reports must be sent on Friday."),
    ("Welche Gebühr gilt für Klasse D?", "Klasse | Gebühr: Klasse D | 30 Euro"),
    ("Quelle est l'amende pour un passeur sans gilet ?", "Infraction | Amende: Passeur sans gilet | 45 euros"),
    ("¿Cuál es la tasa diaria de un remolcador?", "Buque | Tasa diaria: Remolcador | 21 euros"),
    ("Berapa tarif untuk kapal tunda?", "Kapal | Tarif: Kapal tunda | 40000"),
]  # fmt: skip


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    root = tmp_path_factory.mktemp("tables")
    docx(root / "rules.docx", *RULES)
    for name, text in TEXTS.items():
        (root / name).write_text(text, encoding="utf-8")
    build_corpus([root], root / "corpus", embedding="none")
    return open_corpus(root / "corpus")


@pytest.mark.parametrize(("question", "row"), ASKED, ids=[row[0] for row in ASKED])
def test_the_row_is_shown_with_its_columns(corpus: Corpus, question: str, row: str) -> None:
    told = answer(investigated(corpus, question), corpus)
    assert told.sentences
    assert told.sentences[0].text == row
