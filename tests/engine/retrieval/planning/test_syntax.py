"""Signs in a question: what they require, and what only looks like one."""

from __future__ import annotations

from datetime import date

import pytest

from engine.errors import InputError
from engine.model import Constraints
from engine.retrieval.planning.syntax import read_signs


@pytest.mark.parametrize(
    ("question", "text", "constraints"),
    [
        ('client money "home state"', "client money home state", Constraints(("home state",))),
        ("dues +berth", "dues berth", Constraints(("berth",))),
        ("fees -fund", "fees", Constraints(must_exclude=("fund",))),
        ('fees -"home state"', "fees", Constraints(must_exclude=("home state",))),
        ("fees type:regulation type:act", "fees", Constraints(types=("regulation", "act"))),
        ('fees doc:"Conduct of Business"', "fees", Constraints(documents=("Conduct of Business",))),
        ("fees doc:COBS?", "fees", Constraints(documents=("COBS",))),
        ("fees lang:de", "fees", Constraints(languages=("de",))),
        ("fees year:2015", "fees", Constraints(year_from=2015, year_to=2015)),
        ("fees year:2015..2020", "fees", Constraints(year_from=2015, year_to=2020)),
        ("fees year:2015..", "fees", Constraints(year_from=2015)),
        ("fees as_of:2020-03-01", "fees", Constraints(as_of=date(2020, 3, 1))),
    ],
)
def test_signs_constrain(question: str, text: str, constraints: Constraints) -> None:
    signs = read_signs(question)
    assert (signs.text, signs.constraints, signs.quoted) == (text, constraints, ())


@pytest.mark.parametrize(
    "question",
    [
        "Which non-resident funds pay fees?",
        "A master may NOT leave the vessel",
        "fees - and dues",
        "WHO MUST NOT PAY FEES",
    ],
)
def test_what_only_looks_like_a_sign_requires_nothing(question: str) -> None:
    signs = read_signs(question)
    assert (signs.text, signs.constraints) == (question, Constraints())


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("fees year:soon", "year:soon: not a year; write 2015"),
        ("fees year:2020..2015", "2020 is after 2015"),
        ("fees as_of:yesterday", "as_of:yesterday: not a day"),
    ],
)
def test_a_sign_that_cannot_be_read_is_refused(question: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        read_signs(question)
