from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.language import names
from engine.language.names import parties_in
from tests.tables import table

LANGUAGES = ("en", "de", "fr", "id", "ar", "zh", "es", "it", "nl", "pt", "xx")


NAMED = table(__file__, "NAMED")
NONE = [
    ('of the Commercial Agency and Powers of Attorney Code (the "Code") have', "en"),
    ('of the Powers of Attorney Act (the "Rules")', "en"),
    ('the Meridian Standards Board (the "Board") issues', "en"),
    ('Fund Managers of Venture Capital Funds ("VC Managers")', "en"),
    ("a Money Laundering Reporting Officer (the MLRO)", "en"),
    ('Corvane Ltd (the "CL")', "en"),
    ('the price (the "Offer Price") is', "en"),
    ("Corvane Ltd sells, and the Agent buys.", "en"),
    ("Corvane Ltd, " + "of a long street " * 10 + '(the "Agent")', "en"),
    ("Der Neue Preis (nachfolgend „Betrag“ genannt)", "de"),
    ("国务院证券委员会（以下简称证券委）", "zh"),
    ("依法经批准经营外轮代理业务的公司（以下简称外轮代理公司）", "zh"),
    ("هيئة السوق المالية (ويشار إليها فيما بعد ب الهيئة)", "ar"),
]


def test_parties_have_their_names_and_roles(subtests: pytest.Subtests) -> None:
    for text, language, name, role in NAMED:
        with subtests.test(text):
            assert [(party.name, party.role) for party in parties_in(text, language)] == [(name, role)]


def test_what_is_no_party(subtests: pytest.Subtests) -> None:
    for text, language in NONE:
        with subtests.test(text):
            assert list(parties_in(text, language)) == []


@settings(deadline=None)
@given(text=st.text(max_size=200), language=st.sampled_from(LANGUAGES))
def test_any_text_is_read(text: str, language: str) -> None:
    assert all(party.name and party.role for party in parties_in(text, language))


PIECES = ("(", ")", ", ", "im Folgenden ", "der ", "the ", '"', "Agent", " ", "ci-après ")


@given(st.sampled_from(("en", "de", "fr", "zh")), st.lists(st.sampled_from(PIECES), max_size=8))
def test_a_text_without_any_sign_names_no_role(language: str, pieces: list[str]) -> None:
    text, pattern = "".join(pieces), names.pattern_of(language)
    assert pattern is not None
    if pattern.search(text):
        assert any(sign in text for sign in names.signs_of(language))
