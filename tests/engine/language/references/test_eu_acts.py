from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.language.references.eu_acts import LANGUAGES, EuActs, celex_of, eu_act_form
from engine.model import Document


@pytest.mark.parametrize(
    ("name", "language", "celex"),
    [
        ("Regulation (EU) 2016/679", "en", "32016R0679"),
        ("Commission Implementing Decision (EU) 2021/914", "en", "32021D0914"),
        # number first until 2014, and a year of two digits until 1998
        ("Regulation (EC) No 45/2001", "en", "32001R0045"),
        ("Regulation (EU) No 575/2013", "en", "32013R0575"),
        ("Regulation (EEC) No 1612/68", "en", "31968R1612"),
        ("Decision No 1082/2013/EU", "en", "32013D1082"),
        # year first in directives of all times
        ("Directive 95/46/EC", "en", "31995L0046"),
        ("Directive 2002/58/EC", "en", "32002L0058"),
        ("Framework Decision 2008/977/JHA", "en", "32008F0977"),
        ("Commission Recommendation 2003/361/EC", "en", "32003H0361"),
        ("Verordnung (EG) Nr. 1338/2008", "de", "32008R1338"),
        ("Durchführungsverordnung (EU) 2021/914", "de", "32021R0914"),
        ("Delegierten Verordnung (EU) 2017/565", "de", "32017R0565"),
        ("règlement (CE) no 45/2001", "fr", "32001R0045"),
        ("règlement d'exécution (UE) 2021/914", "fr", "32021R0914"),
        ("directive 95/46/CE", "fr", "31995L0046"),
        ("Reglamento (UE) n.o 182/2011", "es", "32011R0182"),
        ("regolamento (CE) n. 45/2001", "it", "32001R0045"),
        ("Verordening (EU) nr. 182/2011", "nl", "32011R0182"),
        ("Regulamento (CE) n.o 45/2001", "pt", "32001R0045"),
        ("32016R0679", "fr", "32016R0679"),
        ("CELEX: 02016R0679-20160504", "de", "32016R0679"),
        ("http://data.europa.eu/eli/reg/2016/679/oj", "it", "32016R0679"),
        ("eli/dir/1995/46", "en", "31995L0046"),
        ("Data Protection Act 2018", "en", None),
        ("Regulation 12/345", "en", None),
    ],
)
def test_names_of_one_act(name: str, language: str, celex: str | None) -> None:
    assert celex_of(name, language) == celex
    form = eu_act_form(language)
    assert form is not None
    assert celex is None or re.fullmatch(form, name)


@given(year=st.integers(1999, 2099), number=st.integers(1, 1998), language=st.sampled_from(LANGUAGES))
def test_an_address_and_a_celex_number_mean_the_same(year: int, number: int, language: str) -> None:
    celex = f"3{year}R{number:04d}"
    assert celex_of(celex, language) == celex
    assert celex_of(f"http://data.europa.eu/eli/reg/{year}/{number}/oj", language) == celex


@given(st.text(max_size=40), st.sampled_from(LANGUAGES))
def test_any_text_is_read(name: str, language: str) -> None:
    celex = celex_of(name, language)
    assert celex is None or re.fullmatch(r"[0-9]\d{4}[RLDFHGQ]\d{4}", celex)


def test_an_act_is_found_in_another_language() -> None:
    german = Document("dsgvo", "Verordnung (EU) 2016/679 über den Schutz natürlicher Personen", "de")
    named = Document("gdpr", "GDPR", "en", aliases=("Regulation (EU) 2016/679",))
    acts = EuActs([german, named])
    assert acts.meant("règlement (UE) 2016/679", "fr") == (0, 1)
    assert acts.meant("directive 95/46/CE", "fr") == ()
    assert acts.meant("code civil", "fr") is None
    assert eu_act_form("zh") is None
