"""Words that point back ("that Schedule"), dotted clauses, codes of the states, provisions that fall away."""
# ruff: noqa: E501 (a text is easier to read in one line)

from __future__ import annotations

import pytest

from engine.answers.audit import Auditor, Finding
from engine.language.references import find_mentions
from engine.model import Relation
from tests.field.conftest import Build

# fmt: off
# A text, its language, and of its last reference: the words, the number, what stands below it, and what contains it.
READ: list[tuple[str, str, str, str | None, str | None, list[tuple[str, str]]]] = [
    ("en", "Schedule 7 applies. Pay under paragraph 94 of that Schedule.", "paragraph 94 of that Schedule", "94", None, [("schedule", "7")]),
    ("en", "Subject to section 12(1), subsection (2) of that section applies.", "subsection (2) of that section", "12", "2", []),
    ("en", "Pay under paragraph 94 of the said Schedule.", "paragraph 94 of the said Schedule", "94", None, [("schedule", "?")]),
    ("de", "Anhang 3 gilt; Nummer 4 des genannten Anhangs bleibt unberührt.", "Nummer 4 des genannten Anhangs", "4", None, [("annex", "3")]),
    ("fr", "L'article 12 s'applique. Le 3° dudit article aussi.", "Le 3° dudit article", "12", "3", []),
    ("es", "El artículo 7 se aplica; el apartado 2 de dicho artículo no.", "apartado 2 de dicho artículo", "7", "2", []),
    ("id", "Pasal 7 berlaku. Ayat (2) Pasal tersebut tidak.", "Ayat (2) Pasal tersebut", "7", "2", []),
    ("ar", "تطبق المادة 7، والفقرة 2 من تلك المادة.", "الفقرة 2 من تلك المادة", "7", "2", []),
    ("zh", "依照本合同第3.2条执行。", "本合同第3.2条", "3.2", None, []), ("zh", "第12.3.4条适用。", "第12.3.4条", "12.3.4", None, []),
    ("ar", "وفقاً للبند 1.1 من هذا العقد.", "لبند 1.1", "1.1", None, []), ("ar", "يطبق البند (4.2) على المستأجر.", "البند (4.2)", "4.2", None, []),
    ("ar", "البند 3 من المادة 5.", "البند 3 من المادة 5", "5", "3", []),
    ("en", "Section 5 applies. A breach of that section costs 9 euros.", "that section", "5", None, []), ("en", "sections 3 to 5 bind; that section too.", "that section", "?", None, []),
    ("en", "A breach of the said Article costs 9 euros.", "the said Article", "?", None, []), ("en", "Rule 3.2.1(2) binds; the aforesaid paragraph too.", "the aforesaid paragraph", "3.2.1", "2", []),
    ("en", "Paragraph 2 of Schedule 7 and section 5 bind, and that Schedule applies.", "that Schedule", "7", None, []), ("en", "Section 5 binds, and that Part 3 ends.", "Part 3", "3", None, []),
    ("en", "Section 3 or 5 of this Act binds; that section too.", "that section", "?", None, []), ("en", "sub-paragraph (1) of paragraph 90 binds, and sub-paragraph (2) of that paragraph.", "sub-paragraph (2) of that paragraph", "90", "2", []),
    ("en", "Section 5 binds. The preceding section ends, and that section too.", "that section", "?", None, []),
    ("de", "§ 5 gilt. Wer diesen Paragraphen verletzt, zahlt.", "diesen Paragraphen", "5", None, []), ("de", "Artikel 6 Absatz 1 und § 2 gelten; der genannte Absatz bindet.", "der genannte Absatz", "6", "1", []),
    ("fr", "L'article 12 vaut. Ledit article prime.", "Ledit article", "12", None, []), ("fr", "L'article 12 vaut, et cet article prime.", "cet article", "12", None, []),
    ("es", "El artículo 7, apartado 2, vale. Dicho apartado obliga.", "Dicho apartado", "7", "2", []), ("it", "L'articolo 5 vale; il comma 3 di tale articolo no.", "comma 3 di tale articolo", "5", "3", []),
    ("id", "Pasal 7 ayat (2) berlaku. Pasal tersebut mengikat.", "Pasal tersebut", "7", None, []), ("id", "Pasal 7 ayat (2) dan Pasal 9 berlaku; ayat tersebut mengikat.", "ayat tersebut", "7", "2", []),
    ("ar", "تطبق المادة 7، وتسري المادة المذكورة.", "المادة المذكورة", "7", None, []), ("ar", "تستعمل تلك المادة في البناء.", "تلك المادة", "?", None, []),
    ("zh", "依照第七条缴纳费用，该条适用于渡船。", "该条", "7", None, []), ("zh", "第五条第一款规定费用，同条第二款规定期限。", "第二款", "5", "2", []),
    ("nl", "Artikel 5, lid 2, geldt. Dat artikel bindt.", "Dat artikel", "5", None, []), ("pt", "O artigo 5.º vale. Esse artigo obriga.", "Esse artigo", "5", None, []),
    ("en", "Fla. Stat. § 782.04 and 720 ILCS 5/9-1 apply.", "720 ILCS 5/9-1", "5/9-1", None, []), ("en", "720 ILCS 5/9-1 and Fla. Stat. § 782.04 apply.", "Fla. Stat. § 782.04", "782.04", None, []),
    ("en", "Fla. Stat. § 782.04 and 18 Pa. Cons. Stat. § 2502 apply.", "18 Pa. Cons. Stat. § 2502", "2502", None, []), ("en", "See 42 U.S.C. § 1983 and Ohio Rev. Code § 2903.01.", "Ohio Rev. Code § 2903.01", "2903.01", None, []),
    ("en", "Minn. Stat. § 609.185 and Mass. Gen. Laws ch. 265, § 1 apply.", "Mass. Gen. Laws ch. 265, § 1", "1", None, []), ("en", "Va. Code Ann. § 18.2-32 and 21 Okla. Stat. § 701 apply.", "21 Okla. Stat. § 701", "701", None, []),
    ("en", "Conduct under N.Y. Penal Law § 125.25 is excluded.", "N.Y. Penal Law § 125.25", "125.25", None, []),
    ("en", "See Tex. Penal Code § 19.02.", "Tex. Penal Code § 19.02", "19.02", None, []), ("en", "See Cal. Bus. & Prof. Code § 17200.", "Cal. Bus. & Prof. Code § 17200", "17200", None, []),
]
RELATIONS = [
    ("de", "§ 7 entfällt.", Relation.REPEALS), ("de", "§ 7 Absatz 2 des Hafengesetzes entfällt.", Relation.REPEALS),
    ("de", "Im Fall des § 7 entfällt die Gebühr.", Relation.CITES), ("de", "Die Anzeige nach § 7 entfällt.", Relation.CITES),
    ("de", "Die Voraussetzungen des § 7 entfallen.", Relation.CITES),
]
TARGET = "# {}\n\n## {} 4\n{}\n\n## {} 5\n{}\n"
# The language, an act, the words of its provision 4, and an act that only inserts something next to it.
INSERTING = [
    ("en", TARGET.format("Ports Act 2010", "Section", "A ship pays a toll of 10 euros.", "Section", "The keeper collects it."), "A ship pays a toll of 10 euros.",
     '---\ntitle: Ports Amendment Act 2015\nvalid_from: 2015-01-01\n---\n## Section 1\nAfter section 4 of the Ports Act 2010 there is inserted the following section: "4A. A ferry pays 3 euros."\n'),
    ("de", TARGET.format("Hafengesetz", "§", "Ein Schiff zahlt eine Gebühr von 10 Euro.", "§", "Der Wärter erhebt sie."), "Ein Schiff zahlt eine Gebühr von 10 Euro.",
     "---\ntitle: Änderungsgesetz\nvalid_from: 2015-01-01\n---\n## Artikel 1\nNach § 4 des Hafengesetzes wird folgender § 4a eingefügt: „Eine Fähre zahlt 3 Euro.“\n"),
    ("fr", TARGET.format("Code des bacs", "Article", "Le navire paie un péage de 10 euros.", "Article", "Le gardien le perçoit."), "Le navire paie un péage de 10 euros.",
     "---\ntitle: Loi de réforme\nvalid_from: 2015-01-01\n---\n## Article 1\nAprès l'article 4 du code des bacs, il est inséré un article 4 bis ainsi rédigé : « Le bac paie 3 euros. »\n"),
]
# fmt: on


@pytest.mark.parametrize(("language", "text", "words", "number", "below", "within"), READ)
def test_what_is_cited(
    language: str,
    text: str,
    words: str,
    number: str | None,
    below: str | None,
    within: list[tuple[str, str]],
) -> None:
    mention = find_mentions(text, language)[-1]
    address = mention.targets[-1].address
    assert mention.text == words
    assert (address.number, address.paragraph) == (number, below)
    assert [(kind.value, one) for kind, one in address.within] == within


@pytest.mark.parametrize(("language", "text", "relation"), RELATIONS)
def test_provisions_that_fall_away(language: str, text: str, relation: Relation) -> None:
    assert {one.relation for one in find_mentions(text, language)} == {relation}


@pytest.mark.parametrize(("language", "act", "claim", "amending"), INSERTING)
def test_a_provision_next_to_an_inserted_one_is_not_amended(
    build: Build, language: str, act: str, claim: str, amending: str
) -> None:
    corpus = build({"act.md": act, "amending.md": amending})
    every = corpus.references(range(len(corpus.reference_numbers())))
    assert Relation.AMENDS in {one.relation for one in every}
    assert Auditor(corpus).claim(claim, language).finding is Finding.SUPPORTED


def test_an_unknown_schedule_is_not_the_own_one(build: Build) -> None:
    corpus = build(
        {
            "act.md": "# Ports Act 2010\n\n## Section 12\n(1) A toll is due.\n\n(2) A person in paragraph 2 of that Schedule pays nothing.\n\n"
            "## Section 13\nSchedule 1 applies. A person in paragraph 2 of that Schedule pays half.\n\n## Schedule 1\n1. The keeper.\n\n2. The pilot.\n"
        }
    )
    every = corpus.references(range(len(corpus.reference_numbers())))
    found = [one.target_id for one in every if one.text.startswith("paragraph")]
    assert found == [None, "act/schedule-1/para-2"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "zh.md",
            "# 租赁合同\n\n第1.1条 租金依照第2.1条支付。\n\n第1.2条 承租人应当付款。\n\n第2.1条 付款为转账，第1.2条另有规定的除外。\n",
        ),
        (
            "ar.txt",
            "عقد إيجار\n\nالبند 1.1 الأجرة\nتدفع وفقاً للبند 2.1.\n\nالبند 1.2 المدة\nسنة.\n\nالبند 2.1 الدفع\nشهرياً مع مراعاة البند 1.2.\n",
        ),
    ],
)
def test_dotted_clauses_are_provisions(build: Build, name: str, text: str) -> None:
    corpus = build({name: text})
    every = corpus.references(range(len(corpus.reference_numbers())))
    assert [str(one.target_id).rpartition("-")[0][-1] for one in every] == ["2", "1"]
