from __future__ import annotations

import pytest

from engine.errors import SettingsError
from engine.operator_settings import OperatorSettings
from ui.investigate.controls import settings_from
from ui.models.choices import RERANKERS_VARIABLE, offered, reranker_spec


def test_nothing_is_offered_unless_somebody_offers_it() -> None:
    assert offered(OperatorSettings()) == ("none", "llm")
    own = ("ce:/models/mine?languages=en,de", "ce:org/name")
    assert offered(OperatorSettings(rerankers=own)) == ("none", "llm", *own)


@pytest.mark.parametrize("given", ["magic", "ce:", "ce:m?lang=en"])
def test_a_wrong_offer_is_named(given: str) -> None:
    with pytest.raises(SettingsError, match=f"{RERANKERS_VARIABLE}: unknown"):
        offered(OperatorSettings(rerankers=(given,)))


def test_a_visitor_cannot_make_the_page_load_a_model() -> None:
    assert reranker_spec("none", OperatorSettings()) == "none"
    for name in ("ce:somebody/else", "ce:/etc", "", "NONE", ["none"], None, 1):
        with pytest.raises(SettingsError, match=r"that this page offers|nothing is given"):
            settings_from({"reranker": name})


def test_a_name_stands_for_one_reranker() -> None:
    with pytest.raises(SettingsError, match="two rerankers are called 'mine'"):
        reranker_spec("mine", OperatorSettings(rerankers=("ce:/models/mine", "ce:org/mine")))
