from __future__ import annotations

import pytest

from engine.language.references import find_mentions
from engine.model import Relation, SectionKind
from tests.engine.language.references.reading import Row, rows
from tests.tables import pairs

TABLE: list[tuple[str, list[Row]]] = pairs(__file__, "TABLE")


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
