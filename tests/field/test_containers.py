"""Citations that name the container of a provision: they are citations, and lead into that container."""
# ruff: noqa: E501 (a text is easier to read in one line)

from __future__ import annotations

import pytest

from engine.answers.audit import Auditor, Finding
from engine.corpus import open_corpus
from engine.ingestion.build import build_corpus

TEXTS = {
    "rb": "# Harbour Rulebook\n\n## Run-off Part\n\n### 2.1 Notice\nThe firm shall notify the office within 9 days.\n\n### 2.2 Records\nThe firm keeps records for 7 years.\n\n## Reporting Part\n\n### 2.1 Return\nThe firm shall send a return every month.\n\n### 2.2 Form\nThe return is signed by a director.\n",
    "de": "# Hafengesetzbuch\n\n## Erster Teil Schiffe\n\n### § 3 Anmeldung\nDas Schiff ist am Vortag anzumelden.\n\n## Zweiter Teil Gebühren\n\n### § 8 Höhe\nDie Gebühr beträgt 30 Euro je Tag.\n",
    "fr": "# Code des bacs\n\n## Livre II Des passeurs\n\n### Article 7\nLe passeur porte un gilet rouge.\n\n## Livre III Des bacs\n\n### Article 9\nLe bac porte deux feux.\n",
    "es": "# Ordenanza de muelles\n\n## Título II De las tasas\n\n### Artículo 3\nLa tasa se paga cada semana.\n",
    "id": "# Peraturan Dermaga\n\n## Bab II Retribusi\n\n### Pasal 5\nRetribusi dibayar setiap minggu.\n",
    "zh": "# 码头管理办法\n\n## 第三章 收费\n\n第八条 船主应当每周缴纳费用。\n",
    "ar": "# لائحة الأرصفة\n\n## الباب الثاني الرسوم\n\n### المادة 3\nيدفع المالك الرسم كل أسبوع.\n",
}
SUPPORTED, CONTRADICTED = Finding.SUPPORTED, Finding.CONTRADICTED
# What is found; None: anything but support.
CLAIMS: list[tuple[str, str, Finding | None]] = [
    ("en", "The firm shall notify the office within 9 days (rule 2.1 of the Run-off Part).", SUPPORTED),
    ("en", "Under rule 2.1 of the Run-off Part, the firm shall notify the office within 9 days.", SUPPORTED),
    ("en", "The firm shall notify the office within 12 days (rule 2.1 of the Run-off Part).", CONTRADICTED),
    ("en", "The firm shall send a return every month (rule 2.1 of the Reporting Part).", SUPPORTED),
    ("en", "The firm shall send a return every month (rule 2.1 of the Run-off Part).", None),
    (
        "en",
        "The return is signed by a director (rule 2.2 of the Reporting Part of the Harbour Rulebook).",
        SUPPORTED,
    ),
    ("en", "The firm keeps records for 7 years (Run-off Part, rule 2.2).", SUPPORTED),
    ("de", "Die Gebühr beträgt 30 Euro je Tag (§ 8 im Zweiten Teil des Hafengesetzbuchs).", SUPPORTED),
    ("de", "Nach § 8 des Zweiten Teils beträgt die Gebühr 30 Euro je Tag.", SUPPORTED),
    ("fr", "Le passeur porte un gilet rouge (article 7 du livre II).", SUPPORTED),
    ("es", "La tasa se paga cada semana (artículo 3 del título II).", SUPPORTED),
    ("id", "Retribusi dibayar setiap minggu (Pasal 5 Bab II).", SUPPORTED),
    ("zh", "船主应当每周缴纳费用（第三章第八条）。", SUPPORTED),
    ("ar", "يدفع المالك الرسم كل أسبوع (المادة 3 من الباب الثاني).", SUPPORTED),
    ("en", "The return is signed by a director (rule 2.2 of the Nowhere Part).", None),
    ("fr", "Le bac porte deux feux (article 9 du livre II).", None),
    ("de", "Die Gebühr beträgt 30 Euro je Tag (§ 8 des Ersten Teils).", None),
]


@pytest.fixture(scope="module")
def auditor(tmp_path_factory: pytest.TempPathFactory) -> Auditor:
    root = tmp_path_factory.mktemp("containers")
    for name, text in TEXTS.items():
        (root / f"{name}.md").write_text(text, encoding="utf-8")
    build_corpus([root], root / "corpus", embedding="none")
    return Auditor(open_corpus(root / "corpus"))


@pytest.mark.parametrize(("language", "claim", "finding"), CLAIMS, ids=[row[1] for row in CLAIMS])
def test_a_citation_that_names_its_container(
    auditor: Auditor, language: str, claim: str, finding: Finding | None
) -> None:
    found = auditor.claim(claim, language)
    if finding is None:
        assert found.finding is not Finding.SUPPORTED
    else:
        assert found.finding is finding, found.reason
