"""Specs of rerankers: what each form means, and what is refused."""

from __future__ import annotations

import pytest

from engine.errors import SettingsError
from engine.retrieval.rerank.spec import CrossEncoderReranker, reranker


def test_none_is_no_model() -> None:
    assert reranker("none") is None


@pytest.mark.parametrize(
    ("spec", "languages"),
    [
        ("ce:cross-encoder/ms-marco-MiniLM-L6-v2", None),
        ("ce:/models/mine?languages=en,de", frozenset({"en", "de"})),
        ("ce:m?tokens=256", None),
    ],
)
def test_a_spec_names_its_model_and_keeps_its_words(spec: str, languages: frozenset[str] | None) -> None:
    model = reranker(spec)
    assert isinstance(model, CrossEncoderReranker)
    assert (model.spec, model.languages) == (spec, languages)
    assert reranker(spec) is model, "one object for one spec"


@pytest.mark.parametrize("spec", ["", "None", "ce:", "ce", "st:m", "cross-encoder/m", "ce:?tokens=64"])
def test_a_spec_that_cannot_be_read_is_refused(spec: str) -> None:
    with pytest.raises(SettingsError, match=r"unknown reranker .*; use none, ce:NAME_OR_FOLDER or llm"):
        reranker(spec)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("ce:m?lang=en", r"unknown option 'lang' in reranker 'ce:m\?lang=en'; known: languages, tokens"),
        ("ce:m?tokens=many", r"tokens in reranker .*: must be a number of at least 16 \(given: 'many'\)"),
    ],
)
def test_a_wrong_option_is_named(spec: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        reranker(spec)
