"""Explanations that repeat the numbers of provisions are explanations of them, and no provisions."""
# ruff: noqa: E501 (a text is easier to read in one line)

from __future__ import annotations

from datetime import date

import pytest

from engine.model import Naming, Relation
from engine.retrieval.planning.named import provisions_named
from tests.engine.ingestion.readers.pdf.drawing import Page, Text, pdf
from tests.field.conftest import Build

PENJELASAN = "UNDANG-UNDANG REPUBLIK INDONESIA\nNOMOR 9 TAHUN 2015\nTENTANG DERMAGA\n\nBAB I\nKETENTUAN UMUM\n\nPasal 1\nDermaga adalah tempat sandar kapal.\n\nPasal 2\nSewa dibayar setiap bulan.\n\nPasal 3\nPemilik kapal wajib melapor.\n\nPENJELASAN\nATAS\nUNDANG-UNDANG REPUBLIK INDONESIA\nNOMOR 9 TAHUN 2015\nTENTANG DERMAGA\n\nI. UMUM\nDermaga perlu diatur.\n\nII. PASAL DEMI PASAL\n\nPasal 1\nCukup jelas.\n\nPasal 2\nSewa meliputi tambat."
# fmt: off
# Files, a question and its language; how the text of each passage begins that is found, in order. Of the last
# ones nothing explains: reasons in front of the articles, and titles of another sense.
CASES: list[tuple[str, dict[str, str | bytes], str, str, list[str]]] = [
    ("below a heading", {"perda.md": "# Peraturan Dermaga\n\n## BAB I UMUM\n\n### Pasal 1\nDermaga dikelola kantor.\n\n### Pasal 2\n(1) Sewa dibayar bulanan.\n\n(2) Denda 5 persen.\n\n## PENJELASAN ATAS PERATURAN DERMAGA\n\n### Pasal 1\nCukup jelas.\n\n### Pasal 2\nAyat (1) Sewa meliputi tambat.\n\n## LAMPIRAN\n\nDaftar sewa.\n"},
     "Apa isi Pasal 2?", "id", ["(1) Sewa dibayar", "(2) Denda", "Ayat (1) Sewa meliputi"]),
    ("lines of a text", {"perda.txt": "PERATURAN DERMAGA\n\nBAB I\nUMUM\n\nPasal 1\nDermaga dikelola kantor.\n\nPasal 2\nSewa dibayar bulanan.\n\nPENJELASAN\nATAS\nPERATURAN DERMAGA\n\nI. UMUM\nDermaga penting.\n\nII. PASAL DEMI PASAL\n\nPasal 1\nCukup jelas.\n\nPasal 2\nSewa meliputi tambat.\n"},
     "Apa isi Pasal 2?", "id", ["Sewa dibayar", "Sewa meliputi"]),
    ("about each section", {"gesetz.md": "# Stegegesetz\n\n## § 4 Steg\nDer Steg ist frei.\n\n## § 5 Gebühr\nDie Gebühr beträgt 9 Euro.\n\n## Begründung\n\n### Zu § 4\nStege dienen allen.\n\n### Zu § 5 (Gebühr)\nDer Betrag deckt die Kosten.\n"},
     "Was steht in § 5 des Stegegesetzes?", "de", ["Die Gebühr", "Der Betrag"]),
    ("on the level of the sections", {"act.html": "<html><head><title>Ferries Act 2011</title></head><body><h1>Ferries Act 2011</h1><h2>Section 3 Crew</h2><p>A ferry has two crew.</p><h2>Section 4 Fares</h2><p>A fare is paid.</p><h2>Explanatory notes</h2><p>These notes explain.</p><h2>Section 3</h2><p>One of them steers.</p><h2>Section 4</h2><p>Children pay half.</p></body></html>"},
     "What does section 4 of the Ferries Act 2011 say?", "en", ["A fare is paid", "Children pay half"]),
    ("below each article", {"code.md": "# Code des bacs\n\n## Article 7\nLe passeur porte un gilet.\n\n### Commentaire\nLe gilet sauve.\n\n## Article 8\nLe bac porte deux feux.\n\n### Commentaire\nL'un est rouge.\n"},
     "Que dit l'article 8 du code des bacs ?", "fr", ["Le bac porte", "L'un est rouge"]),
    ("in records", {"wet.jsonl": "{\"id\": \"w-1\", \"title\": \"\", \"text\": \"De veerman vaart.\", \"metadata\": {\"regulation\": \"Pontenwet\", \"language\": \"nl\", \"path\": [\"Hoofdstuk 1\"], \"article\": \"1\"}}\n{\"id\": \"w-2\", \"title\": \"\", \"text\": \"De prijs is een euro.\", \"metadata\": {\"regulation\": \"Pontenwet\", \"language\": \"nl\", \"path\": [\"Hoofdstuk 1\"], \"article\": \"2\"}}\n{\"id\": \"t-2\", \"title\": \"\", \"text\": \"De euro dekt de kosten.\", \"metadata\": {\"regulation\": \"Pontenwet\", \"language\": \"nl\", \"path\": [\"Memorie van toelichting\"], \"article\": \"2\"}}\n"},
     "Wat zegt artikel 2 van de Pontenwet?", "nl", ["De prijs", "De euro dekt"]),
    ("a file of its own", {"ley.md": "# Ley de Muelles\n\n## Artículo 6\nLa tasa es mensual.\n", "notas.md": "# Notas explicativas de la Ley de Muelles\n\n## Artículo 6\nEl mes es natural.\n"},
     "¿Qué dice el artículo 6?", "es", ["La tasa", "El mes"]),
    ("a file of its own, in German", {"gesetz.md": "# Fährgesetz\n\n## § 2 Fahrpreis\nDer Preis beträgt 5 Euro.\n\n## § 3 Plan\nEin Plan hängt aus.\n", "zu.md": "# Begründung zum Fährgesetz\n\n## Zu § 2\nDer Preis entlastet Pendler.\n\n## Zu § 3\nDer Plan hilft.\n"},
     "Was sagt § 2 Fährgesetz?", "de", ["Der Preis beträgt", "Der Preis entlastet"]),
    ("a file of its own, as a page", {"act.md": "# Ferry Act 2012\n\n## Section 2 Fares\nA fare is paid.\n", "notes.html": "<html><body><h1>Explanatory Notes to the Ferry Act 2012</h1><h2>Section 2 Fares</h2><p>It helps commuters.</p></body></html>"},
     "What does section 2 say?", "en", ["A fare is paid", "It helps commuters"]),
    ("a text of its own that has the act's number", {"uu.txt": "UNDANG-UNDANG REPUBLIK INDONESIA\nNOMOR 8 TAHUN 2014\nTENTANG FERI\n\nPasal 1\nFeri adalah kapal.\n\nPasal 2\nTarif dibayar.\n", "penjelasan.txt": "PENJELASAN\nATAS\nUNDANG-UNDANG REPUBLIK INDONESIA\nNOMOR 8 TAHUN 2014\nTENTANG FERI\n\nI. UMUM\nFeri penting.\n\nII. PASAL DEMI PASAL\n\nPasal 1\nCukup jelas.\n\nPasal 2\nTarif meliputi bagasi.\n"},
     "Apa isi Pasal 2 Undang-Undang Nomor 8 Tahun 2014?", "id", ["Tarif dibayar", "Tarif meliputi"]),
    ("reasons of another act", {"loi.md": "# Loi relative aux bacs\n\n## Article 2\nLe bac est rouge.\n", "autre.md": "# Exposé des motifs de la loi relative aux ponts\n\n## Article 2\nLe pont est bleu.\n"},
     "Que dit l'article 2 ?", "fr", ["Le bac est rouge"]),
    ("a PDF", {"uu.pdf": pdf([Page([Text(60, 760 - 16 * row, line) for row, line in enumerate(PENJELASAN.split("\n")) if line])])},
     "What does Pasal 2 say?", "en", ["Sewa dibayar", "Sewa meliputi"]),
    ("in Chinese", {"zh.md": "# 码头管理办法\n\n## 第一章 总则\n\n第五条 船主应当缴费。\n\n第六条 费用每周收取。\n\n## 条文释义\n\n第五条 船主包括承租人。\n\n第六条 每周从周一计算。\n"},
     "第六条规定了什么？", "zh", ["费用每周", "每周从周一"]),
    ("reasons in front", {"loi.txt": "Loi sur les bacs\n\nExposé des motifs\nLes bacs sont vieux.\n\nArticle 1\nLe bac est public.\n\nArticle 2\nLe bac est rouge.\n"},
     "Que dit l'article 2 ?", "fr", ["Le bac est rouge"]),
    ("a title of its own", {"weg.md": "# Wohngesetz\n\n## § 3 Begründung von Wohnungseigentum\nEs wird eingetragen.\n\n## § 4 Zu tragende Kosten\nSie werden geteilt.\n"},
     "Was steht in § 3?", "de", ["Es wird eingetragen"]),
]
# fmt: on


@pytest.mark.parametrize(
    ("files", "question", "language", "found"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_a_provision_is_found_with_its_explanation(
    build: Build, files: dict[str, str | bytes], question: str, language: str, found: list[str]
) -> None:
    corpus = build(files)
    (named,) = provisions_named(corpus, question, language, date(2026, 1, 1))
    assert named.status is Naming.FOUND, named.note
    texts = [one.text for one in corpus.passages(corpus.rows(named.passage_ids))]
    assert [text[: len(begins)] for text, begins in zip(texts, found, strict=True)] == found


def test_an_explanation_is_linked_and_cites_the_provisions(build: Build) -> None:
    files = {case[0]: case[1] for case in CASES}["about each section"]
    corpus = build(
        {"gesetz.md": str(files["gesetz.md"]).replace("Stege dienen", "Anders als nach § 5 dienen Stege")}
    )
    every = corpus.references(range(len(corpus.reference_numbers())))
    found = {(one.source_id.rpartition("/")[2], one.relation, str(one.target_id)) for one in every}
    assert found == {
        ("zu-4", Relation.INTERPRETS, "gesetz/sec-4"),
        ("zu-5-gebühr", Relation.INTERPRETS, "gesetz/sec-5"),
        ("zu-4", Relation.CITES, "gesetz/sec-5"),
    }
