"""Rerankers by a short spec string: a cross-encoder with an estimate of its time, or a model."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qs

import numpy as np

from engine.errors import ModelError, SettingsError, without_folders
from engine.language.embedders.transformer import load_model_files, model_name, threads
from engine.retrieval.rerank.base import LISTWISE, Reranker, Scores

# A cross-encoder as reranker, with an estimate of its time.

# The time of a model: milliseconds by characters, learned from earlier calls

# Weight of the newest measurement: a machine gets busy and idle within seconds.
NEWEST = 0.3
# Characters of a model's window of 512 tokens; longer texts are cut.
LONGEST = 2_500
# Half-life of a rate, s. Without it a model that was slow once, on a busy machine, would never be called
# again.
HALF_LIFE = 60.0


class Pace:
    """A rate in milliseconds per character of padded input: a batch is padded to its longest text."""

    def __init__(self) -> None:
        self._rate: float | None = None
        self._learned_at = 0.0

    @property
    def is_measured(self) -> bool:
        """True if there is a measurement."""
        return self._rate is not None

    def expected(self, question: int, texts: Sequence[int]) -> float:
        """Estimate the milliseconds for texts of these lengths, in characters; 0 without a measurement."""
        if self._rate is None:
            return 0.0
        age = time.monotonic() - self._learned_at
        certainty: float = 0.5 ** (age / HALF_LIFE)
        return self._rate * certainty * _padded(question, texts)

    def learn(self, question: int, texts: Sequence[int], milliseconds: float) -> None:
        """Update the rate with the time of texts of these lengths."""
        padded = _padded(question, texts)
        if padded <= 0:
            return
        rate = milliseconds / padded
        self._learned_at = time.monotonic()
        self._rate = rate if self._rate is None else NEWEST * rate + (1 - NEWEST) * self._rate


def _padded(question: int, texts: Sequence[int]) -> int:
    longest = max(texts, default=0)
    return len(texts) * min(question + longest, LONGEST) if longest else 0


# The model runs in this process, by sentence-transformers, which is imported when a model is first used,
# because the import takes ten seconds.

# Pairs judged in one call. More are hardly faster on a CPU, and a budget can end only between two calls.
BATCH = 4
# The pair that is judged after loading to measure the rate: about 250 tokens.
SAMPLE_QUESTION = "Under which conditions may an authorised person delegate a function?"
SAMPLE_TEXT = "An authorised person may delegate a function to a third party in writing. " * 16
# Time before a model that could not be loaded is tried again, s: looking up a name on the hub without a
# network takes most of a minute.
RETRY_AFTER = 300.0
# Model heads that judge a pair: classifiers, and models that answer "yes" or "no".
JUDGING_HEADS = ("ForSequenceClassification", "ForCausalLM", "ForConditionalGeneration")


class CrossEncoderReranker:
    """A sentence-transformers CrossEncoder from a folder or, by name, from the model hub.

    ``tokens`` cuts question and text together; None leaves the model's own length. Code that comes
    with a model is never run.
    """

    def __init__(
        self, spec: str, model: str, *, languages: frozenset[str] | None = None, tokens: int | None = None
    ) -> None:
        self.spec = spec
        self.languages = languages
        self.calls = 0
        self.at_once: int | None = BATCH
        self._model_name, self._tokens = model, tokens
        self._pace = Pace()
        self._lock = threading.Lock()
        self._loaded: Any = None
        self._failure: ModelError | None = None
        self._failed_at = 0.0

    def load(self) -> None:
        """Load the model and measure its rate. Raises ModelError if it cannot be loaded."""
        with self._lock:
            if self._loaded is not None:
                return
            if self._failure is not None and time.monotonic() - self._failed_at < RETRY_AFTER:
                raise self._failure
            try:
                model = load_cross_encoder(self._model_name, self._tokens)
            except ModelError as error:
                self._failure, self._failed_at = error, time.monotonic()
                raise
            # Once to warm up, once to measure.
            _predict(model, SAMPLE_QUESTION, [SAMPLE_TEXT])
            started = time.perf_counter()
            _predict(model, SAMPLE_QUESTION, [SAMPLE_TEXT])
            self._pace.learn(len(SAMPLE_QUESTION), [len(SAMPLE_TEXT)], 1000 * (time.perf_counter() - started))
            self._loaded = model

    def expected(self, question: str, texts: Sequence[str]) -> float:
        """Estimate the milliseconds for judging these texts; loads the model. Raises ModelError."""
        self.load()
        return self._pace.expected(len(question), [len(text) for text in texts])

    def scores(self, question: str, texts: Sequence[str]) -> Scores:
        """Return the model's score for each text, shape (n,). Raises ModelError if it cannot be loaded."""
        self.load()
        found = []
        with self._lock:
            for start in range(0, len(texts), BATCH):
                batch = texts[start : start + BATCH]
                started = time.perf_counter()
                found.append(_predict(self._loaded, question, batch))
                milliseconds = 1000 * (time.perf_counter() - started)
                self._pace.learn(len(question), [len(text) for text in batch], milliseconds)
        scores = np.concatenate(found) if found else np.empty(0, np.float32)
        if not np.isfinite(scores).all():
            raise ModelError(f"reranker {model_name(self._model_name)!r} gave a score that is no number")
        return scores


def _predict(model: Any, question: str, texts: Sequence[str]) -> Scores:
    pairs = [(question, text) for text in texts]
    try:
        # One thread: the other core stays free, and on a busy machine two threads that wait for each other
        # take three to ten times as long as one.
        with threads(1):
            scores = model.predict(pairs, batch_size=BATCH, show_progress_bar=False)
    except (RuntimeError, ValueError, IndexError, TypeError) as error:
        raise ModelError(f"reranker failed: {_first_line(error)}") from error
    return np.asarray(scores, np.float32).reshape(len(texts))


def load_cross_encoder(name: str, tokens: int | None = None) -> Any:
    """Load a CrossEncoder on the CPU, in bfloat16 if the CPU supports it.

    Raises ModelError if it cannot be loaded, gives several scores for a pair, or has no head that judges a
    pair (an embedding model, whose missing head would get random weights).
    """
    model = load_model_files("CrossEncoder", name, "reranker", half=True)
    architectures = getattr(model.config, "architectures", None) or ()
    name = model_name(name)
    if architectures and not any(architecture.endswith(JUDGING_HEADS) for architecture in architectures):
        raise ModelError(f"{name!r} is no cross-encoder: {architectures[0]} holds nothing that judges a pair")
    if model.num_labels != 1:
        raise ModelError(f"reranker {name!r} gives {model.num_labels} scores for a pair; it must give one")
    longest = model.max_seq_length
    if tokens is not None and (longest is None or tokens < longest):
        model.max_seq_length = tokens
    return model


def _first_line(error: BaseException) -> str:
    return without_folders((str(error).splitlines() or [type(error).__name__])[0])


# Rerankers by a short spec string.
#
# ======================== ================================================================
# ``none`` no reranker: the ranking is unchanged (default) ``ce:NAME_OR_FOLDER`` any sentence-
# transformers CrossEncoder with one score for a pair ``llm`` the language model of the case
# (``listwise.py``), if one is connected ========================
# ================================================================
#
# Options follow a question mark: ``ce:cross-encoder/ms-marco-MiniLM-L6-v2?languages=en`` names
# the languages that the model reads; ``tokens=256`` limits question and text together to 256
# tokens.

NO_RERANKER = "none"
CROSS_ENCODER = "ce"
OPTIONS = {"languages", "tokens"}
FEWEST_TOKENS = 16


@lru_cache(maxsize=8)
def reranker(spec: str) -> Reranker | None:
    """Return the model of a spec, the same object for the same spec, loaded on first use.

    None for "none", and for "llm", whose model belongs to the case. Raises SettingsError for an invalid spec.
    """
    if spec in (NO_RERANKER, LISTWISE):
        return None
    scheme, _, rest = spec.partition(":")
    name, _, query = rest.partition("?")
    if scheme != CROSS_ENCODER or not name:
        raise SettingsError(f"unknown reranker {spec!r}; use none, ce:NAME_OR_FOLDER or llm")
    options = {key: values[-1] for key, values in parse_qs(query, keep_blank_values=True).items()}
    if unknown := sorted(options.keys() - OPTIONS):
        known = ", ".join(sorted(OPTIONS))
        raise SettingsError(f"unknown option {unknown[0]!r} in reranker {spec!r}; known: {known}")
    listed = options.get("languages")
    languages = frozenset(listed.split(",")) if listed else None
    return CrossEncoderReranker(spec, name, languages=languages, tokens=_tokens(spec, options))


def _tokens(spec: str, options: Mapping[str, str]) -> int | None:
    given = options.get("tokens")
    if given is None:
        return None
    if not given.isdecimal() or int(given) < FEWEST_TOKENS:
        raise SettingsError(
            f"tokens in reranker {spec!r}: must be a number of at least {FEWEST_TOKENS} (given: {given!r})"
        )
    return int(given)
