"""Words that point back ("that Schedule"), dotted clauses, codes of the states, provisions that fall away."""
# ruff: noqa: E501 (a text is easier to read in one line)

from __future__ import annotations

import pytest

from engine.answers.audit import Auditor, Finding
from engine.language.references import find_mentions
from engine.model import Relation
from tests.field.conftest import Build
from tests.tables import pairs

# fmt: off
# A text, its language, and of its last reference: the words, the number, what stands below it, and what contains it.
READ: list[tuple[str, str, str, str | None, str | None, list[tuple[str, str]]]] = pairs(__file__, "READ")
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
