"""Loading models that are not packaged, from a folder or, by name, from the model hub.

A model is data from somewhere: no code that lies beside it is run, and no pickle is read, for one can hold
code.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

from engine.errors import ModelError

LOG = logging.getLogger(__name__)
PICKLED, SAFE = "pytorch_model*.bin", "*.safetensors"


def load_model_files(
    make: Callable[..., Any], name: str, what: str, options: Mapping[str, object] | None = None
) -> Any:
    """The sentence-transformers model that ``make`` makes of a name, on the CPU; ``options`` go to
    transformers.

    Raises ModelError, in words that do not tell whether there is such a folder: visitors may read them. The
    log says why.
    """
    from safetensors import SafetensorError
    from transformers.utils import logging as progress

    progress.disable_progress_bar()  # type: ignore[no-untyped-call]
    damaged = (SafetensorError, UnpicklingError, EOFError)
    unfit = (OSError, ValueError, RuntimeError, KeyError, TypeError, AttributeError, ImportError)
    try:
        _check_files(Path(name))
        with warnings.catch_warnings(), _quiet():
            warnings.simplefilter("ignore")
            return make(
                name,
                device="cpu",
                trust_remote_code=False,
                model_kwargs={**(options or {}), "use_safetensors": True},
            )
    except (*unfit, *damaged) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        LOG.warning("%s %r: %s", what, name, reason)
        raise ModelError(
            f"{what} {model_name(name)!r} cannot be loaded; the log of this program says why"
        ) from error


def model_name(spec: str) -> str:
    """What anybody may be told of a model: the last part of its name, without its folder or address."""
    kind, found, rest = spec.partition(":")
    name = (rest if found else kind).partition("@http")[0].partition("?")[0]
    return name.rstrip("/\\").replace("\\", "/").rpartition("/")[2] or kind


def _check_files(folder: Path) -> None:
    """Raise ValueError where a part of a model has its weights in no safe form."""
    if not folder.is_dir():
        return
    for path in folder.rglob(PICKLED):
        if not any(path.parent.glob(SAFE)):
            raise ValueError(f"{path.name} is a pickle, which can hold code; only safetensors are read")


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the libraries' own reports: what matters is raised in one line."""
    loggers = [logging.getLogger(name) for name in ("transformers", "sentence_transformers")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
