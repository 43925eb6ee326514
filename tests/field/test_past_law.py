"""Questions and claims about the law of a day in the past, where the corpus has the text of that day."""
# ruff: noqa: E501 (a text is easier to read in one line)

from __future__ import annotations

import json
from datetime import date

import pytest

from engine.answers.answer import answer
from engine.answers.audit import Auditor, Finding
from engine.corpus.protocol import Corpus
from engine.investigation.case import Case
from engine.settings import preset

DAY = date(2026, 11, 27)
LEASE = "---\ntitle: Lease Act 2018\n{}\nlanguage: en\n---\n# Lease Act 2018\n\n## Section 5 Notice\nThe landlord shall give notice of {} days before the end of a lease.\n\n## Section 6 Deposits\nA deposit shall not exceed {} months' rent.\n"
PATHS = '<html lang="fr"><head><title>Code des chemins</title>{}</head><body><h1>Code des chemins</h1><h2>Article 12</h2><p>Le propriétaire dispose d\'un délai de {} mois pour contester le tracé.</p><h2>Article 13</h2><p>{} fixe la largeur du chemin.</p></body></html>'


def _lines(language: str, regulation: str, *rows: tuple[str, str, str, str]) -> str:
    """JSON lines: the number, first day, last day and text of each provision."""
    return "\n".join(
        json.dumps(
            {
                "id": f"{language}-{place}",
                "title": regulation,
                "text": text,
                "metadata": {
                    "regulation": regulation,
                    "article": article,
                    "language": language,
                    "valid_from": begins,
                    **({"valid_to": ends} if ends else {}),
                },
            }
        )
        for place, (article, begins, ends, text) in enumerate(rows)
    )


TEXTS = {
    "lease-2018.md": LEASE.format("valid_from: 2018-01-01\nvalid_to: 2023-12-31", 30, "two"),
    "lease-2024.md": LEASE.format("valid_from: 2024-01-01", 90, "three"),
    "old.html": PATHS.format(
        '<meta name="valid_from" content="2012-01-01"><meta name="valid_to" content="2021-08-31">',
        "trois",
        "Le maire",
    ),
    "new.html": PATHS.format(
        '<meta name="valid_from" content="2021-09-01">', "six", "Le conseil municipal"
    ),
    "hund.jsonl": _lines(
        "de",
        "Hundeverordnung",
        ("§ 4", "2015-01-01", "2020-06-30", "Wer einen Hund führt, muss ihn nicht an der Leine halten."),
        ("§ 4", "2020-07-01", "", "Wer einen Hund führt, hat ihn an der Leine zu halten."),
        ("§ 5", "2015-01-01", "2020-06-30", "Das Halten gefährlicher Hunde ist erlaubt, wenn eine Erlaubnis der Gemeinde vorliegt."),
        ("§ 5", "2020-07-01", "", "Das Halten gefährlicher Hunde ist verboten."),
    ),
    "izin.csv": "id,title,regulation,article,language,valid_from,valid_to,text\n"
    "p7a,Peraturan Daerah Nomor 3 Tahun 2010,Peraturan Daerah Nomor 3 Tahun 2010,Pasal 7,id,2010-05-01,2019-04-30,Izin usaha perikanan berlaku selama dua tahun dan dapat diperpanjang.\n"
    "p7b,Peraturan Daerah Nomor 3 Tahun 2010,Peraturan Daerah Nomor 3 Tahun 2010,Pasal 7,id,2019-05-01,,Izin usaha perikanan berlaku selama lima tahun dan dapat diperpanjang.\n"
    "p8a,Peraturan Daerah Nomor 3 Tahun 2010,Peraturan Daerah Nomor 3 Tahun 2010,Pasal 8,id,2010-05-01,,Pemegang izin wajib melapor kepada kepala dinas.\n",
    "ports.jsonl": _lines(
        "ar",
        "نظام الموانئ",
        ("المادة 9", "2014-01-01", "2020-12-31", "يجب على المستثمر تقديم الطلب خلال ثلاثين يوماً من تاريخ الإعلان."),
        ("المادة 9", "2021-01-01", "", "يجب على المستثمر تقديم الطلب خلال ستين يوماً من تاريخ الإعلان."),
    ),
    "gangkou.jsonl": _lines(
        "zh",
        "港口条例",
        ("第九条", "2014-01-01", "2020-12-31", "经营者应当自公告之日起三十日内提出申请。"),
        ("第九条", "2021-01-01", "", "经营者应当自公告之日起六十日内提出申请。"),
    ),
}  # fmt: skip
# A question, the day of which the answer states the law (empty for today), and words of the right text.
# fmt: off
QUESTIONS = [
    ("What did section 5 of the Lease Act say in June 2023?", "2023-06-30", "30 days"), ("What notice did a landlord have to give in 2019?", "2019-12-31", "30 days"),
    ("What deposit was allowed on 1 March 2020?", "2020-03-01", "two months"), ("As the law stood in 2023-06, what notice must the landlord give?", "2023-06-30", "30 days"),
    ("Which notice must a landlord give in the years 2019 to 2021?", "2021-12-31", "30 days"), ("Before 2024, how many days' notice did the landlord have to give?", "2023-12-31", "30 days"),
    ("What notice must a landlord give?", "", "90 days"), ("What notice must a landlord give for a lease that was signed in 2019?", "", "90 days"),
    ("War das Halten gefährlicher Hunde im Jahr 2019 erlaubt?", "2019-12-31", "erlaubt, wenn"), ("Was stand im Juni 2019 in § 5 Hundeverordnung?", "2019-06-30", "erlaubt, wenn"),
    ("Musste ein Hund 2018 an der Leine geführt werden?", "2018-12-31", "nicht an der Leine"), ("Ist das Halten gefährlicher Hunde erlaubt?", "", "verboten"),
    ("Que disait l'article 12 du Code des chemins en juin 2020 ?", "2020-06-30", "trois mois"), ("Qui fixait la largeur du chemin entre 2013 et 2015 ?", "2015-12-31", "Le maire"),
    ("Quel est le délai pour contester le tracé ?", "", "six mois"), ("Berapa lama izin usaha perikanan berlaku pada tahun 2015?", "2015-12-31", "dua tahun"),
    ("Apa isi Pasal 7 Peraturan Daerah Nomor 3 Tahun 2010 pada bulan Juni 2018?", "2018-06-30", "dua tahun"), ("Berapa lama izin usaha perikanan berlaku?", "", "lima tahun"),
    ("ماذا كانت تنص المادة 9 من نظام الموانئ في يونيو 2019؟", "2019-06-30", "ثلاثين"), ("كم كانت مدة تقديم الطلب في عام 2018؟", "2018-12-31", "ثلاثين"), ("ما مدة تقديم الطلب؟", "", "ستين"),
    ("2019年6月港口条例第九条是怎么规定的？", "2019-06-30", "三十日"), ("2018年经营者应当在几日内提出申请？", "2018-12-31", "三十日"), ("经营者应当在几日内提出申请？", "", "六十日"),
]
CLAIMS = [
    ("en", "In June 2023 the landlord shall give notice of 30 days before the end of a lease.", Finding.SUPPORTED),
    ("en", "In June 2023 the landlord shall give notice of 90 days before the end of a lease.", Finding.CONTRADICTED),
    ("en", "As of 1 March 2020, a deposit shall not exceed two months' rent.", Finding.SUPPORTED),
    ("en", "The landlord shall give notice of 30 days before the end of a lease.", Finding.OUTDATED),
    ("fr", "En juin 2020, le propriétaire dispose d'un délai de trois mois pour contester le tracé.", Finding.SUPPORTED),
    ("fr", "En 2020, le propriétaire dispose d'un délai de six mois pour contester le tracé.", Finding.CONTRADICTED),
    ("id", "Pada tahun 2015 izin usaha perikanan berlaku selama dua tahun dan dapat diperpanjang.", Finding.SUPPORTED),
    ("id", "Pada tahun 2015 izin usaha perikanan berlaku selama lima tahun dan dapat diperpanjang.", Finding.CONTRADICTED),
]
# fmt: on


@pytest.mark.parametrize(("question", "day", "words"), QUESTIONS)
def test_a_question_about_the_past_is_answered_from_the_text_of_that_day(
    corpus: Corpus, question: str, day: str, words: str
) -> None:
    case = Case(corpus, question, preset("quick"), day=DAY)
    list(case.run())
    case_found = case.investigation()
    found = answer(case_found, corpus)
    assert words in case_found.passages[0].passage.text
    assert words in " ".join(one.text for one in found.sentences) or not found.sentences
    assert case.as_of == (date.fromisoformat(day) if day else DAY)
    assert found.unanswered.startswith(f"This is the law of {day}") or not day


@pytest.mark.parametrize(("language", "claim", "finding"), CLAIMS)
def test_a_claim_about_the_past_is_held_against_the_text_of_that_day(
    corpus: Corpus, language: str, claim: str, finding: Finding
) -> None:
    assert Auditor(corpus, day=DAY).claim(claim, language).finding is finding
