"""What the texts of a corpus call a document is understood in a text, a question and the audit."""
# ruff: noqa: E501 (a text is easier to read in one line)

from __future__ import annotations

from datetime import date

import pytest

from engine.answers.audit import Auditor, Finding
from engine.corpus.protocol import Corpus
from engine.model import Naming
from engine.retrieval.planning.named import provisions_named

TEXTS = {
    "es.md": "# Circular de 20 de mayo, del Banco de Ribera, sobre barcas\n\n## Artículo 5\nEl cabo se revisa cada 9 días.\n",
    "es2.md": "# Manual de puertos\n\n## Artículo 1\nLa Circular de 20 de mayo, del Banco de Ribera, sobre barcas (en adelante, «Circular 6/2021»), se aplica.\n",
    "en.md": "# Notice to Masters of Ferries on Mooring\n\n## Section 4\nA ferry is moored within 3 hours.\n",
    "en2.md": "# Port Handbook\n\n## Section 1\nThe Notice to Masters of Ferries on Mooring (“Circular 7/2021”) binds.\n",
    "de.md": "# Rundschreiben 8/2021 (BA) Anlegen\n\n## § 2 Anlegen\nDas Boot liegt 4 Tage.\n",
    "id.md": "# Surat Edaran Nomor 6 Tahun 2021 tentang Dermaga\n\n## Pasal 3\nDermaga dibersihkan 2 kali.\n",
    "fr.md": "# Circulaire n° 5/2021 du 3 mai 2021 relative aux bacs\n\n## Article 2\nLe bac est amarré 6 heures.\n",
}
ASKED = [
    ("es", "¿Qué dice el artículo 5 de la Circular 6/2021?", "es"),
    ("es", "¿Qué dice el artículo 5 de la Circular 6/2020?", ""),
    ("en", "What does section 4 of Circular 7/2021 say?", "en"),
    ("en", "What does section 4 of Circular 7/2019 say?", ""),
    ("de", "Was sagt § 2 des Rundschreibens 8/2021?", "de"),
    ("de", "Was sagt § 2 des Rundschreibens 9/2021?", ""),
    ("id", "Apa isi Pasal 3 SE 6/2021?", "id"),
    ("fr", "Que dit l'article 2 de la circulaire 5/2021 ?", "fr"),
]
AUDITED = [
    ("es", "El cabo se revisa cada 9 días (artículo 5 de la Circular 6/2021).", Finding.SUPPORTED),
    ("en", "A ferry is moored within 3 hours (section 4 of Circular 7/2021).", Finding.SUPPORTED),
    ("en", "A ferry is moored within 5 hours (section 4 of Circular 7/2021).", Finding.CONTRADICTED),
    ("de", "Das Boot liegt 4 Tage (§ 2 des Rundschreibens 8/2021).", Finding.SUPPORTED),
]


@pytest.mark.parametrize(("language", "question", "document"), ASKED)
def test_questions(corpus: Corpus, language: str, question: str, document: str) -> None:
    (named,) = provisions_named(corpus, question, language, date(2026, 1, 1))
    assert named.status is (Naming.FOUND if document else Naming.UNKNOWN)
    assert {one.document_id for one in corpus.passages(corpus.rows(named.passage_ids))} == {document} - {""}


@pytest.mark.parametrize(("language", "claim", "finding"), AUDITED)
def test_audit(corpus: Corpus, language: str, claim: str, finding: Finding) -> None:
    assert Auditor(corpus).claim(claim, language).finding is finding
