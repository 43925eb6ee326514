"""What a record calls the language model that it asked."""

from __future__ import annotations

from engine.errors import SettingsError
from engine.llm.spec import read_spec


def model_name(spec: str) -> str:
    """The name of a model without the address of its server, which is the machine's own affair; empty where
    no model was asked."""
    try:
        return read_spec(spec).model if spec else ""
    except SettingsError:
        return spec.partition("@")[0].rpartition("/")[2]
