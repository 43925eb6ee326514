"""Kind N: vowel signs of PDFs, and the word for an article, which is that of a chapter elsewhere."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from engine.ingestion.readers.pdf.glyphs import Sign
from engine.ingestion.readers.pdf.rows import Run, make_rows
from engine.model import Naming, SectionKind, Status
from engine.retrieval.planning.named import provisions_named
from tests.field.conftest import Build

MAGHREB = (
    "# مجلة العبارات\n\n## الباب الأول الترخيص\n\n### الفصل 7\n\nتخضع العبارة لترخيص طبقا للفصل 8.\n\n"
    "### الفصل 8\n\nيمنح المجلس الترخيص.\n\n## الباب الثاني الرسوم\n\n### الفصل 112\n\n"
    "يدفع الرسم طبقا للفصلين 7 و8.\n"
)
ELSEWHERE = (
    "# نظام الموانئ\n\n## الفصل الأول أحكام عامة\n\n### المادة 7\n\nيسري الفصل الثاني على السفن.\n\n"
    "### المادة 9\n\nلا يسري الفصل 7.\n\n## الفصل الثاني السفن\n\n### المادة 8\n\nيدفع الرسم وفقا للمادة 7.\n"
)

RECORDS = "".join(
    f'{{"_id": "{n}", "title": "", "text": "{text}", "metadata": '
    f'{{"regulation": "مجلة الشغل", "language": "ar", "article": "الفصل {n}"}}}}\n'
    for n, text in (
        (14, "يسمى عاملا طبقا للفصل 15."),
        (15, "تثبت العلاقة."),
        (16, "مع مراعاة أحكام الفصل 14."),
    )
)


@pytest.mark.parametrize(
    ("text", "kind", "links"),
    [
        (MAGHREB, SectionKind.ARTICLE, {"art-7 art-8", "art-112 art-7", "art-112 art-8"}),
        (ELSEWHERE, SectionKind.CHAPTER, {"art-7 art-8", "art-8 art-7"}),
        (RECORDS, SectionKind.RULE, {"14 15", "16 14"}),
    ],
)
def test_the_labels_of_a_text_tell_what_its_word_means(
    build: Build, text: str, kind: SectionKind, links: set[str]
) -> None:
    corpus = build({"corpus.jsonl" if text is RECORDS else "law.md": text})
    found = {
        f"{one.source_id} {one.target_id}".replace("law/", "")
        for one in corpus.all_references()
        if one.status is Status.RESOLVED
    }
    assert found == links
    for number in (7, 8) if kind is SectionKind.ARTICLE else ():
        [named] = provisions_named(corpus, f"ماذا يقول الفصل {number}؟", "ar", date(2026, 1, 1))
        assert (named.status, *named.passage_ids) == (Naming.FOUND, f"law/art-{number}")


@pytest.mark.parametrize("word", ["رسماً", "وفقاً", "ريالاً", "شيءٌ", "بحكمٍ"])
@pytest.mark.parametrize("other", [7.0, 24.0])
def test_a_vowel_sign_with_a_box_of_its_own_stays_in_its_word(word: str, other: float) -> None:
    runs, right = [], 500.0
    for letter in f"يدفع {word} كل":
        height = 2.0 if letter in "\u064b\u064c\u064d" else 20.0
        bottom = 100.0 + (15 if height < 20 else 0)
        if letter != " ":
            sign = Sign(letter, right - 5, right, height)
            runs.append(Run(letter, right - 5, bottom, right, bottom + height, signs=(sign,)))
        right -= 5
    below = [replace(run, bottom=run.bottom - 20 - other, top=run.top - 20 - other) for run in runs[:4]]
    assert [row.text for row in make_rows([*runs, *below])] == [f"يدفع {word} كل", "يدفع"]
