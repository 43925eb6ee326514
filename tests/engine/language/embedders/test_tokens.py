"""Late-interaction models: the packaged one, and a tiny one of the real class."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.errors import ModelError, SettingsError
from engine.language.embedders import TokenEmbedder, token_embedder
from engine.language.embedders.minilm_tokens import basis, counting
from engine.language.embedders.tokens import PackagedTokens, TokenTransformer
from engine.language.embedders.transformer import PackagedEmbedder
from tests.engine.language.embedders.tiny import TOKEN_DIMENSIONS, token_model

TEXTS = ("The master pays dues.", "of the", "A pilot boards the vessel.", "The master pays dues.")


@pytest.fixture(scope="module")
def packaged() -> PackagedTokens:
    return PackagedTokens(PackagedEmbedder())


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> TokenTransformer:
    folder = token_model(tmp_path_factory.mktemp("tokens"))
    return TokenTransformer(f"st:{folder}", str(folder))


@pytest.fixture(scope="module", params=["packaged", "tiny"])
def model(request: pytest.FixtureRequest) -> TokenEmbedder:
    found: TokenEmbedder = request.getfixturevalue(request.param)
    return found


def test_unit_vectors_for_the_tokens_of_each_text(model: TokenEmbedder) -> None:
    found = model.encode(TEXTS)
    assert found.offsets.shape == (len(TEXTS) + 1,)
    assert found.vectors.shape == (found.offsets[-1], model.dimensions)
    assert found.vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(found.vectors, axis=1), 1.0, atol=1e-4)


def test_a_text_has_its_tokens_in_any_company(model: TokenEmbedder) -> None:
    found = model.encode(TEXTS)
    first, again = found.vectors[: found.offsets[1]], found.vectors[found.offsets[3] :]
    np.testing.assert_allclose(first, again, atol=0.03)
    np.testing.assert_allclose(first, model.encode(TEXTS[:1]).vectors, atol=0.03)


def test_no_texts_give_no_tokens(model: TokenEmbedder) -> None:
    found = model.encode([])
    assert (found.offsets.tolist(), found.vectors.shape) == ([0], (0, model.dimensions))


def test_function_words_and_punctuation_do_not_count(packaged: PackagedTokens) -> None:
    assert np.diff(packaged.encode(TEXTS).offsets).tolist() == [4, 0, 3, 4]


def test_a_word_is_nearest_to_itself(packaged: PackagedTokens) -> None:
    asked, text = packaged.encode(["pilot"], "query").vectors, packaged.encode(["a pilot and dues"]).vectors
    assert int((asked @ text.T).argmax()) == 0


def test_the_dense_vectors_are_those_of_the_embedder_alone() -> None:
    alone, sharing = PackagedEmbedder(), PackagedEmbedder()
    tokens = PackagedTokens(sharing)
    np.testing.assert_array_equal(alone.encode(TEXTS), sharing.encode(TEXTS))
    np.testing.assert_array_equal(tokens.encode(TEXTS).vectors, tokens.encode(TEXTS).vectors)
    assert sharing.encode([]).shape == (0, 384)


def test_what_counts_of_a_vocabulary() -> None:
    pieces = ["[CLS]", "the", "##the", "pilot", "##s", "§", "...", "1983", "a"]
    expected = [False, False, True, True, True, False, False, True, False]
    assert counting({piece: number for number, piece in enumerate(pieces)}).tolist() == expected


def test_the_directions_are_orthogonal() -> None:
    mean, directions = basis()
    assert (mean.shape, directions.shape) == ((384,), (384, 128))
    np.testing.assert_allclose(directions.T @ directions, np.eye(128), atol=5e-3)


def test_a_model_says_which_tokens_count(tiny: TokenTransformer) -> None:
    assert tiny.dimensions == TOKEN_DIMENSIONS
    marked, plain = np.diff(tiny.encode(["dues, dues.", "dues dues"]).offsets).tolist()
    assert marked == plain, "the skip list of the model holds the punctuation"


def test_a_model_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"late-interaction model .* cannot be loaded"):
        TokenTransformer("st:x", str(tmp_path)).encode(["dues"])


def test_specs() -> None:
    assert token_embedder("none") is None
    packaged = token_embedder("minilm")
    assert isinstance(packaged, PackagedTokens)
    assert (packaged.spec, packaged.dimensions, packaged.languages) == ("minilm", 128, frozenset({"en"}))
    named = token_embedder("st:somebody/colbert?languages=en")
    assert isinstance(named, TokenTransformer)
    assert named.languages == frozenset({"en"})
    for spec in ("colbert", "st:", "st:x?passage=p"):
        with pytest.raises(SettingsError, match="late-interaction model"):
            token_embedder(spec)
