"""Questions as NumPy embeds them: the vectors are those of sentence-transformers."""

from __future__ import annotations

import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.language.embedders.transformer import MiniLM, packaged_folder

TEXTS = [
    "Can a manager with limited authority grant an agent broader powers than those in the register?",
    "tax",
    "",
    "What does Article 14 of the Agency Code say? " * 30,
    "Wer haftet für den Erfüllungsgehilfen?",
    "x" * 500,
    "هل يجوز للوكيل أن يوكل غيره؟",
    "a\x00b\ufffd 中文 [SEP] test [MASK]",
]


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return MiniLM(packaged_folder())


def test_a_text_has_its_vector_in_any_company_and_from_any_thread(model: MiniLM) -> None:
    together = model.encode(TEXTS)
    with ThreadPoolExecutor(4) as threads:
        alone = list(threads.map(lambda text: model.encode([text])[0], TEXTS))
    np.testing.assert_array_equal(together, np.stack(alone))


def test_the_vectors_are_those_of_the_reference(model: MiniLM) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from sentence_transformers import SentenceTransformer

        reference = SentenceTransformer(str(packaged_folder()), device="cpu")
        expected: NDArray[np.float32] = np.asarray(reference.encode(TEXTS, show_progress_bar=False))
    np.testing.assert_allclose(model.encode(TEXTS), expected, atol=2e-6)


def test_a_question_needs_none_of_the_libraries_that_take_seconds() -> None:
    program = (
        "import sys; from engine.language.embedders.transformer import PackagedEmbedder\n"
        "print(PackagedEmbedder().encode(['a question'], 'query').shape)\n"
        "print(sorted({'torch', 'transformers', 'sentence_transformers', 'sklearn'} & {*sys.modules}))"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout.split("\n")[:2] == ["(1, 384)", "[]"]
