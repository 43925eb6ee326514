from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.language.references.instruments import LANGUAGES, EuActs, celex_of, eu_act_form
from engine.model import Document


@given(year=st.integers(1999, 2099), number=st.integers(1, 1998), language=st.sampled_from(LANGUAGES))
def test_an_address_and_a_celex_number_mean_the_same(year: int, number: int, language: str) -> None:
    celex = f"3{year}R{number:04d}"
    assert celex_of(celex, language) == celex
    assert celex_of(f"http://data.europa.eu/eli/reg/{year}/{number}/oj", language) == celex


def test_an_act_is_found_in_another_language() -> None:
    german = Document("dsgvo", "Verordnung (EU) 2016/679 über den Schutz natürlicher Personen", "de")
    named = Document("gdpr", "GDPR", "en", aliases=("Regulation (EU) 2016/679",))
    acts = EuActs([german, named])
    assert acts.find("règlement (UE) 2016/679", "fr") == (0, 1)
    assert acts.find("directive 95/46/CE", "fr") == ()
    assert acts.find("code civil", "fr") is None
    assert eu_act_form("zh") is None
