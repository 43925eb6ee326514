"""Settings on the command line: the flags that commands share, made from the settings' own fields."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from engine.corpus.address import place_of
from engine.settings import InvestigationSettings, Preset, preset
from engine.threads import threads

FIRST = ("strategies", "rounds", "pool_size", "top_k")


class _Known:
    """The strategies in words, read when help is printed: whoever asks for something else loads none."""

    def __str__(self) -> str:
        return "; ".join(f"{name} ({one.title}: {one.meaning[:-1]})" for name, one in threads().items())


def add_corpus(command: argparse.ArgumentParser, *, required: bool = True, otherwise: str = "") -> None:
    """The flag for the corpus: a folder or an address. ``otherwise`` is told of what happens without."""
    command.add_argument(
        "--corpus",
        required=required,
        type=place_of,
        metavar="DIR",
        help=f"folder of the corpus, or its address postgresql://HOST/DATABASE?corpus=NAME{otherwise}",
    )


def add_settings(command: argparse.ArgumentParser, *, corpus_required: bool = True) -> None:
    """Flags for the corpus, the preset and every setting."""
    add_corpus(command, required=corpus_required)
    names = ", ".join(item.value for item in Preset)
    command.add_argument("--preset", default=Preset.AUTO.value, metavar="P", help=f"{names}")
    more = command.add_argument_group("more settings (defaults: the preset's)")
    for name, schema in InvestigationSettings.model_json_schema()["properties"].items():
        flag = (command if name in FIRST else more).add_argument(
            f"--{name.replace('_', '-')}",
            dest=f"setting_{name}",
            metavar=schema["unit"].upper(),
            help=_help(schema).replace("%", "%%") + (" Known: %(known)s." if name == "strategies" else ""),
        )
        vars(flag)["known"] = _Known()


def _help(schema: Mapping[str, Any]) -> str:
    """What a setting means and what it takes."""
    shape = next(one for one in schema.get("anyOf", (schema,)) if one.get("type") != "null")
    low, high = (shape.get(bound, schema.get(bound)) for bound in ("minimum", "maximum"))
    taken = (
        ", ".join(shape["enum"]) if "enum" in shape
        else "commas between them" if shape["type"] == "array"
        else "on or off" if shape["type"] == "boolean"
        else "YYYY-MM-DD" if shape.get("format") == "date"
        else f"{low:g} to {high:g}" if low is not None and high is not None
        else ""
    )  # fmt: skip
    return f"{schema['description']} ({taken})" if taken else str(schema["description"])


def settings_from(options: argparse.Namespace) -> InvestigationSettings:
    """The preset with what the command line changes. Raises SettingsError."""
    return preset(options.preset).changed(**given_by(options))


def given_by(options: argparse.Namespace) -> dict[str, Any]:
    """What the command line gives of each setting, None where it gives nothing."""
    return {name: getattr(options, f"setting_{name}", None) for name in InvestigationSettings.model_fields}
