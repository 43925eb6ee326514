"""The name of the language model in exports."""

from __future__ import annotations

from engine.errors import SettingsError
from engine.llm.spec import read_spec


def model_name(spec: str) -> str:
    """Return the name of a model without its server's address; empty without a model."""
    try:
        return read_spec(spec).model if spec else ""
    except SettingsError:
        return spec.partition("@")[0].rpartition("/")[2]
