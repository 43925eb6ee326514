"""Specs: what each form means, and what is refused."""

from __future__ import annotations

import pytest

from engine.errors import SettingsError
from engine.language.embedders import embedder, sparse_embedder
from engine.language.embedders.endpoint import EndpointEmbedder
from engine.language.embedders.transformer import PackagedEmbedder, TransformerEmbedder


def test_none_is_no_model() -> None:
    assert embedder("none") is None


@pytest.mark.parametrize(
    ("spec", "kind"),
    [
        ("minilm", PackagedEmbedder),
        ("st:some/model", TransformerEmbedder),
        ("openai:toy@http://127.0.0.1:1/v1", EndpointEmbedder),
        ("openai:text-embedding-3-small", EndpointEmbedder),
    ],
)
def test_a_spec_names_its_kind_and_keeps_its_words(spec: str, kind: type) -> None:
    model = embedder(spec)
    assert model is not None
    assert type(model) is kind
    assert model.spec == spec
    assert embedder(spec) is model, "one object for one spec"


@pytest.mark.parametrize(
    ("spec", "languages"),
    [
        ("st:m", None),
        ("st:m?languages=en,de", frozenset({"en", "de"})),
        ("openai:m@http://h/v1?languages=ar", frozenset({"ar"})),
        ("minilm", frozenset({"en"})),
    ],
)
def test_languages(spec: str, languages: frozenset[str] | None) -> None:
    model = embedder(spec)
    assert model is not None
    assert model.languages == languages


@pytest.mark.parametrize(
    "spec",
    [
        "openai:@http://h/v1",
        "openai:m@",
        "openai:m@h/v1",
        "openai:m@ftp://h/v1",
        "openai:m@file:///etc/passwd",
        "openai:m@http://user:sk-secret@h/v1",
        "openai:m@http://sk-secret@h/v1",
        "openai:m@http://h/v1#sk-secret",
        "openai:m@http://h:99999/v1",
        "openai:m@http://[::1/v1",
        "openai:m@http://169.254.169.254/v1",
        "openai:m@http://[::ffff:a9fe:a9fe]/v1",
        "openai:m@http://h/\x00v1",
        "openai:m@http://h/v1\r\nX: y",
        "openai:m\x00",
    ],
)
def test_an_address_or_name_that_cannot_be_is_refused_and_not_repeated(spec: str) -> None:
    for read in (embedder, sparse_embedder):
        with pytest.raises(SettingsError) as refused:
            read(spec)
        assert "secret" not in str(refused.value)
        assert str(refused.value).isprintable()
