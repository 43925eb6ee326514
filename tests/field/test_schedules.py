"""Kind G: the parts of schedules and annexes, which count as the provisions before them do."""

from __future__ import annotations

from datetime import date

import pytest

from engine.retrieval.planning.named import provisions_named
from tests.field.conftest import Build

ACT = """# Harbour Act 2004

## Part 1

### 1 Title
This Act is the Harbour Act 2004.

### 2 Dues
Clause 2 of Schedule 3 prevails over section 1. See paragraph 1 of Schedule 3 and Sch 3, para 2.

### 3 State
Item 9 of the list and point 2 of section 1 bind the State.

## Schedule 3 Dues

### 1 Fees
The pilot comes first.

### 2 Wages
Wages are subject to clause 1, section 2, paragraph 1 and paragraph 7.
"""
CONTRACT = """<h1>Services Agreement</h1><h2>1. Services</h2><p>See paragraph 2 of Schedule 1.</p>
<h2>2. Fees</h2><p>The Customer pays.</p><h2>Schedule 1: Specification</h2><h3>1. Scope</h3>
<p>See clause 2 and paragraph 2.</p><h3>2. Levels</h3><p>See clause 1 and paragraph 1 of this Schedule.</p>
<h2>Schedule 2: Data</h2><h3>1. Purpose</h3><p>See paragraph 1 of Schedule 1.</p>"""
PARTS = """Section 1 Ferries
Paragraph 2 of Schedule 1 and paragraph 1 of Part B of Schedule 2 apply.

SCHEDULE 1
Ferries

PART 1

1. Ferries are exempt, but for paragraph 2.

PART 2

2. Paragraph 1 binds the State under section 1.

SCHEDULE 2
Lights

PART A

1. Lights are red.

2. Paragraph 1 binds ships.

PART B

1. Horns are loud.

2. Paragraph 1 binds boats.
"""
GERMAN = """Hafengesetz

§ 1 Zweck

Nummer 2 der Anlage 1 und Anlage 2 Nummer 1 gelten. Nummer 2 des § 2 gilt nicht.

§ 2 Boote

Boote sind frei nach der Verordnung (EU) Nr. 575/2013 und Nummer 1.

Anlage 1
Gebühren

1. Ein Schiff zahlt.

2. Ein Boot zahlt, was Nummer 1 sagt; § 2 gilt.

Anlage 2
Karten

1. Karten sind frei.
"""
FRENCH = """# Loi sur les ports

## Article 1
Le point 2 de l'annexe I et l'article 2 de l'annexe II priment. L'article 2 reste.

## Article 2
Le paragraphe 1 de l'annexe I s'applique.

## Annexe I Droits

### 1 Navires
Un navire paie.

### 2 Bateaux
Un bateau paie selon le point 1 et l'article 2.

## Annexe II Cartes

### Article 1
La carte est jointe.

### Article 2
L'article 1 s'applique.
"""
INDONESIAN = """# Peraturan Pelabuhan

## Pasal 1
Angka 2 Lampiran I dan Lampiran II angka 1 berlaku.

## Lampiran I Tarif

### 1 Kapal
Kapal membayar.

### 2 Perahu
Perahu membayar menurut angka 1 dan Pasal 1.

## Lampiran II Peta

### 1 Peta
Peta gratis.
"""
CHINESE = """港口条例

第一条 附件1第2条优先于第二条。附件二第一条同样适用。

第二条 本条例规定港口。

附件1 收费

第一条 船舶缴纳五元。

第二条 小船按照第一条缴纳。

附件二

第一条 地图。
"""
ARABIC = """# نظام الموانئ

## المادة 1
تسري الفقرة 2 من الملحق 1.

## الملحق 1 الرسوم

1. تدفع السفينة.

2. يدفع القارب وفقا للفقرة 1 والمادة 1.
"""
# The file, and what each passage leads to; None is what leads nowhere.
TABLE = [
    (
        "act.md",
        ACT,
        {
            "part-1/2": ["schedule-3/2", "part-1/1", "schedule-3/1", "schedule-3/2"],
            "part-1/3": ["part-1/1"],
            "schedule-3/2": ["schedule-3/1", "part-1/2", "schedule-3/1", None],
        },
    ),
    (
        "contract.html",
        CONTRACT,
        {
            "1": ["schedule-1/2"],
            "schedule-1/1": ["2", "schedule-1/2"],
            "schedule-1/2": ["1", "schedule-1/1"],
            "schedule-2/1": ["schedule-1/1"],
        },
    ),
    (
        "parts.txt",
        PARTS,
        {
            "section-1": ["schedule-1/part-2/para-2", "schedule-2/part-b/para-1"],
            "schedule-1/part-1/para-1": ["schedule-1/part-2/para-2"],
            "schedule-1/part-2/para-2": ["schedule-1/part-1/para-1", "section-1"],
            "schedule-2/part-a/para-2": ["schedule-2/part-a/para-1"],
            "schedule-2/part-b/para-2": ["schedule-2/part-b/para-1"],
        },
    ),
    (
        "hafen.txt",
        GERMAN,
        {
            "sec-1": ["annex-1/para-2", "annex-2/para-1", "sec-2"],
            "sec-2": [None],
            "annex-1/para-2": ["annex-1/para-1", "sec-2"],
        },
    ),
    (
        "ports.md",
        FRENCH,
        {
            "art-1": ["annex-i/2", "annex-ii/art-2", "art-2"],
            "art-2": ["annex-i/1"],
            "annex-i/2": ["annex-i/1", "art-2"],
            "annex-ii/art-2": ["annex-ii/art-1"],
        },
    ),
    (
        "pelabuhan.md",
        INDONESIAN,
        {"art-1": ["annex-i/2", "annex-ii/1"], "annex-i/2": ["annex-i/1", "art-1"]},
    ),
    (
        "gangkou.txt",
        CHINESE,
        {"art-1": ["annex-1/art-2", "art-2", "annex-2/art-1"], "annex-1/art-2": ["annex-1/art-1"]},
    ),
    ("mawani.md", ARABIC, {"art-1": ["annex-1/para-2"], "annex-1/para-2": ["annex-1/para-1", "art-1"]}),
]


def test_parts(build: Build, subtests: pytest.Subtests) -> None:
    found: dict[str, dict[str, list[str | None]]] = {}
    for one in build({name: text for name, text, _ in TABLE}).all_references():
        act, _, source = one.source_id.partition("/")
        target = one.target_id and one.target_id.removeprefix(f"{act}/")
        found.setdefault(act, {}).setdefault(source, []).append(target)
    for name, _, expected in TABLE:
        with subtests.test(name):
            assert found[name.partition(".")[0]] == expected


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        ("What does clause 2 of Schedule 3 of the Harbour Act 2004 say?", "Wages are"),
        ("What does clause 1 of Schedule 3 to the Harbour Act 2004 say?", "The pilot"),
        ("What does section 1 of the Harbour Act 2004 say?", "This Act"),
    ],
)
def test_a_question_names_the_schedule_and_the_act(build: Build, question: str, begins: str) -> None:
    corpus = build({"act.md": ACT})
    (named,) = provisions_named(corpus, question, "en", date(2026, 1, 1))
    (passage,) = corpus.passages(corpus.rows(named.passage_ids))
    assert passage.text.startswith(begins)
