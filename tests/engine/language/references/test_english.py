from __future__ import annotations

import pytest

from engine.language.references import find_mentions
from engine.model import Relation, SectionKind
from tests.engine.language.references.reading import Row, rows

TABLE: list[tuple[str, list[Row]]] = [
    ("as set out in Rule 4.3.2(1)(a).", [("Rule 4.3.2(1)(a)", None, ("rule 4.3.2/1/a",))]),
    ("See 4.3.2(1) below", [("4.3.2(1)", None, ("rule 4.3.2/1",))]),
    ("under section 58(2) and", [("section 58(2)", None, ("section 58/2",))]),
    ("sections 12 to 15", [("sections 12 to 15", None, ("section 12 .. 15",))]),
    (
        "Rules 5.1, 5.3 and 5.7 apply",
        [("Rules 5.1, 5.3 and 5.7", None, ("rule 5.1", "rule 5.3", "rule 5.7"))],
    ),
    ("Articles 5, 6 and 7", [("Articles 5, 6 and 7", None, ("article 5", "article 6", "article 7"))]),
    (
        "Rules 2.3.16(7)(a) and (b)",
        [("Rules 2.3.16(7)(a) and (b)", None, ("rule 2.3.16/7/a", "rule 2.3.16/7/b"))],
    ),
    ("Article 6(1) of the GDPR", [("Article 6(1) of the GDPR", "GDPR", ("article 6/1",))]),
    ("Chapter 3 of COBS", [("Chapter 3 of COBS", "COBS", ("chapter 3",))]),
    ("COBS 3.4.2", [("COBS 3.4.2", "COBS", ("rule 3.4.2",))]),
    ("GEN 6 and", [("GEN 6", "GEN", ("rule 6",))]),
    ("MIR Rule 2.3", [("MIR Rule 2.3", "MIR", ("rule 2.3",))]),
    ("Annex II and Schedule 2", [("Annex II", None, ("annex II",)), ("Schedule 2", None, ("schedule 2",))]),
    ("in APP 4 or App4", [("APP 4", None, ("annex 4",)), ("App4", None, ("annex 4",))]),
    ("Clause 4 and Part 4", [("Clause 4", None, ("subsection 4",)), ("Part 4", None, ("part 4",))]),
    ("paragraph (2) or (3)", [("paragraph (2) or (3)", None, ("paragraph 2", "paragraph 3"))]),
    ("paragraph 5 of Schedule 2", [("paragraph 5 of Schedule 2", None, ("schedule 2 > paragraph 5",))]),
    ("Section A4.3 of App4", [("Section A4.3 of App4", None, ("annex 4 > section A4.3",))]),
    ("Part 3 of Chapter 3 of PRU", [("Part 3 of Chapter 3 of PRU", "PRU", ("chapter 3 > part 3",))]),
    ("subsection (1)(a) of section 59", [("subsection (1)(a) of section 59", None, ("section 59/1/a",))]),
    ("Part 1 of the Schedule", [("Part 1 of the Schedule", None, ("schedule  > part 1",))]),
    (
        "section 9 of the Commercial Register Act 2004 is",
        [("section 9 of the Commercial Register Act 2004", "Commercial Register Act 2004", ("section 9",))],
    ),
    (
        "Article 4 of Regulation (EU) 2016/679",
        [("Article 4 of Regulation (EU) 2016/679", "Regulation (EU) 2016/679", ("article 4",))],
    ),
    # a heading may stand between the number and the document
    ("Rule 9.5.3 (Voting) of MKT", [("Rule 9.5.3 (Voting) of MKT", "MKT", ("rule 9.5.3",))]),
    # marks of no width stand before numbers that were fields of a word processor
    ("with Rule \u200e2.7.1", [("Rule \u200e2.7.1", None, ("rule 2.7.1",))]),
    ("Chapter 2 of \u200ePart 11", [("Chapter 2 of \u200ePart 11", None, ("part 11 > chapter 2",))]),
    ("paragraph 148h) above", [("paragraph 148h)", None, ("paragraph 148/h",))]),
    ("the Companies Regulations", [("Companies Regulations", "Companies Regulations", ())]),
    # a list behind a singular, where a document's name ends it
    (
        "Article 13 or 14 of the Agency Act",
        [("Article 13 or 14 of the Agency Act", "Agency Act", ("article 13", "article 14"))],
    ),
    ("within Section 5 and 14 days", [("Section 5", None, ("section 5",))]),
    # as European acts cite
    ("paragraph 2 of Article 5", [("paragraph 2 of Article 5", None, ("article 5/2",))]),
    ("point (a) of Article 6(1)", [("point (a) of Article 6(1)", None, ("article 6/1/a",))]),
    # as the United Kingdom cites
    (
        "section 5(2)(a) of the 2006 Act",
        [("section 5(2)(a) of the 2006 Act", "2006 Act", ("section 5/2/a",))],
    ),
    ("Sch. 2 para. 3", [("Sch. 2 para. 3", None, ("schedule 2 > paragraph 3",))]),
    ("reg. 4 of S.I. 2001/1228", [("reg. 4 of S.I. 2001/1228", "S.I. 2001/1228", ("rule 4",))]),
    ("see S.I. 2001/1228.", [("S.I. 2001/1228", "S.I. 2001/1228", ())]),
    # as the United States cite
    ("under 42 U.S.C. § 1983,", [("42 U.S.C. § 1983", "42 U.S.C.", ("section 1983",))]),
    ("15 U.S.C. 78j(b) and", [("15 U.S.C. 78j(b)", "15 U.S.C.", ("rule 78j/b",))]),
    ("by 17 CFR 240.10b-5.", [("17 CFR 240.10b-5", "17 CFR", ("rule 240.10b-5",))]),
    ("part of 14 CFR Part 39 (the", [("14 CFR Part 39", "14 CFR Part 39", ())]),
    ("at 85 FR 49605.", [("85 FR 49605", "85 FR 49605", ())]),
    ("Pub. L. 111-203", [("Pub. L. 111-203", "Pub. L. 111-203", ())]),
    ("held in Roe v. Wade, 410 U.S. 113 (1973)", [("Roe v. Wade, 410 U.S. 113", "410 U.S. 113", ())]),
    ("123 F. 3d 456", [("123 F. 3d 456", "123 F.3d 456", ())]),
    # what only looks like a reference
    ("a rate of 4.75% or 3.5 times", []),
    ("the Companies Rules 2007 were made", [("Companies Rules 2007", "Companies Rules 2007", ())]),
    ("on 12.03.2021 at 10.30", []),
    ("scheduled for release", []),
]


@pytest.mark.parametrize(("text", "expected"), TABLE)
def test_mentions(text: str, expected: list[Row]) -> None:
    assert rows(text, "en") == expected


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("subject to Rule 4.3.2", Relation.SUBJECT_TO),
        ("(a) subject to Rule 4.3.2", Relation.SUBJECT_TO),
        ("the Regulator shall, subject to Rule 4.3.2", Relation.SUBJECT_TO),
        ("This applies subject to Rule 4.3.2", Relation.SUBJECT_TO),
        ("(5) This Article is subject to Article 15", Relation.SUBJECT_TO),
        ("Client Money is subject to Rule 4.3.2", Relation.CITES),
        ("An Authorised Person subject to the requirements in Rule 4.3.2", Relation.CITES),
        ("Fund Managers, who are subject to the provisions of section 5", Relation.CITES),
        ("a data subject to Rule 4.3.2", Relation.CITES),
        ("Subject to the provisions of section 5, a person", Relation.SUBJECT_TO),
        ("without prejudice to section 5", Relation.WITHOUT_PREJUDICE_TO),
        ("Without limiting the generality of Rule 4.3.2, an Insurer must", Relation.WITHOUT_PREJUDICE_TO),
        ("save as provided in section 5", Relation.SUBJECT_TO),
        ("section 5 shall be replaced with the following", Relation.AMENDS),
        ("In section 5, for “ship” substitute “vessel”", Relation.AMENDS),
        ("section 5 shall cease to have effect", Relation.REPEALS),
        ("in accordance with section 5", Relation.CITES),
        ("except as provided in section 5", Relation.SUBJECT_TO),
        ("unless section 5 applies", Relation.SUBJECT_TO),
        ("Rule 4.3.2 does not apply to Funds", Relation.EXCEPTION_TO),
        ("where Rule 4.3.2 does not apply to Funds", Relation.CITES),
        ("Notwithstanding any provision to the contrary in section 5", Relation.EXCEPTION_TO),
        ("For the purposes of Rule 4.3.2, a transaction means a sale", Relation.INTERPRETS),
        ("notwithstanding section 5", Relation.EXCEPTION_TO),
        ("except to the extent provided in subsection (1)", Relation.SUBJECT_TO),
        ("By derogation from Article 64(3)", Relation.EXCEPTION_TO),
        ("exempt from the requirements in section 189", Relation.EXCEPTION_TO),
        # what is excepted is defined there, but the text is no exception to it
        ("except for shares referred to in Rule 4.3.2", Relation.CITES),
        # only a text that says it was made under a provision is based on it
        ("These Rules are made by the Board under section 5", Relation.BASED_ON),
        ("This Guidance is issued pursuant to section 5 of FSMR", Relation.BASED_ON),
        ("Pursuant to Section 7, the Board makes the following Rules", Relation.BASED_ON),
        ("under section 5 the Regulator hereby prescribes the fees", Relation.BASED_ON),
        ("the fees in section 5 are hereby prescribed", Relation.CITES),
        ("pursuant to section 5", Relation.CITES),
        ("rules made under section 5", Relation.CITES),
        ("powers conferred under Articles 14 and 15", Relation.CITES),
        ("in the exercise of its powers under section 5", Relation.CITES),
        # passive: the provision cited changed something else
        ("as amended by section 5", Relation.CITES),
        ("was replaced by section 5", Relation.CITES),
        ("This Act repeals section 5", Relation.REPEALS),
        # no clause ends between the words and the reference
        ("the text is replaced; Article 14(4) applies", Relation.CITES),
        ("as amended, section 5 applies", Relation.CITES),
        ("section 5 is repealed", Relation.REPEALS),
        ("After section 5 a new section on notice is inserted", Relation.AMENDS),
        ("This Act amends the Agency Code 2011", Relation.AMENDS),
    ],
)
def test_relations(text: str, relation: Relation) -> None:
    (mention,) = find_mentions(text, "en")
    assert mention.relation is relation


@pytest.mark.parametrize(
    ("text", "paragraphs"),
    [
        ("acts listed in points (1) and (2) of Annex II", ["1", "2"]),
        ("point (2)(a) of Annex II", ["2/a"]),
        ("point (1) of Schedule 2", ["1"]),
    ],
)
def test_points_of_an_annex_are_its_own(text: str, paragraphs: list[str]) -> None:
    (mention,) = find_mentions(text, "en")
    assert [target.address.paragraph for target in mention.targets] == paragraphs
    assert {target.address.kind for target in mention.targets} <= {SectionKind.ANNEX, SectionKind.SCHEDULE}
    assert {target.address.number for target in mention.targets} <= {"II", "2"}
