"""Kind C: another year, another number or a former act is never answered with the act of the corpus."""

from __future__ import annotations

from datetime import date

import pytest

from engine.corpus.external_text import external_resolver
from engine.corpus.protocol import Corpus
from engine.language.references import find_mentions
from engine.model import Naming, Status
from engine.retrieval.planning.named import provisions_named
from tests.field.conftest import Build
from tests.tables import table

DAY = date(2026, 1, 1)
LAWS = {
    "fisheries.md": "# Fisheries Act of Meridia 2012\n\n## Section 4\nThe fishing season opens on 1 May.\n\n"
    "## Section 9\nA licence costs 90 dollars.\n",
    "wald.md": "# Waldgesetz 2009\n\n## § 4\nDer Wald ist zu schützen.\n\n"
    "## § 9\nDas Betreten ist erlaubt.\n",
    "sepultures.md": "# Loi de 2008 sur les sépultures\n\n## Article 4\nLe maire tient un registre.\n\n"
    "## Article 9\nLa concession dure trente ans.\n",
    "montes.md": "# Ley de Montes de Meridia de 2003\n\n## Artículo 4\nEl monte es un bien público.\n\n"
    "## Artículo 9\nLa tala requiere permiso.\n",
    "koperasi.md": "# Undang-Undang Nomor 25 Tahun 2012 tentang Perkoperasian\n\n## Pasal 4\n"
    "Koperasi didirikan dengan akta.\n\n## Pasal 9\nAnggota membayar iuran.\n",
    "taawun.md": "# نظام التعاون لسنة 1429\n\n## المادة 4\nتسجل الجمعية لدى الوزارة.\n\n"
    "## المادة 9\nيدفع العضو رسما سنويا.\n",
    "yuye.md": "# 渔业法（2013年）\n\n## 第四条\n国家保护渔业资源。\n\n## 第九条\n捕捞须取得许可证。\n",
}
OTHERS = table(__file__, "OTHERS")
SAME = table(__file__, "SAME")


@pytest.fixture
def corpus(build: Build) -> Corpus:
    made = build(LAWS)
    external_resolver(made)
    return made


def test_references_of_texts(corpus: Corpus, subtests: pytest.Subtests) -> None:
    reader = external_resolver(corpus)

    def targets(words: str, language: str) -> list[str]:
        found = [
            reference
            for mention in find_mentions(words, language)
            for reference in reader.resolve(mention, words, language, DAY)
        ]
        return [str(one.target_id) for one in found if one.status is Status.RESOLVED]

    for language, others in OTHERS.items():
        for words in others:
            with subtests.test(words):
                assert targets(words, language) == []
    for language, same in SAME.items():
        for words in same:
            with subtests.test(words):
                provisions = [target for target in targets(words, language) if "/" in target]
                assert [target.rpartition("-")[2] for target in provisions] == ["4"]


def test_questions(corpus: Corpus, subtests: pytest.Subtests) -> None:
    for language, others in OTHERS.items():
        for words in others:
            with subtests.test(words):
                named = provisions_named(corpus, words, language, DAY)
                assert not [one for one in named if one.status in (Naming.FOUND, Naming.SEVERAL)]
    for language, same in SAME.items():
        for words in same:
            with subtests.test(words):
                assert [one.status for one in provisions_named(corpus, words, language, DAY)] == [
                    Naming.FOUND
                ]
