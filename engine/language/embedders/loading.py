"""Load models that are not packaged, from a folder or by name from the model hub.

Models are untrusted data: their code is not run, and pickles, which can contain code, are not read.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

from engine.errors import ModelError

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
