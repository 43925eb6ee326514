"""Settings on the command line: the flags that commands share, made from the settings' own fields."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from engine.settings import InvestigationSettings, Preset, preset

OWN_FLAGS = {"strategies", "rounds", "pool_size", "top_k"}


def add_settings(command: argparse.ArgumentParser, *, corpus_required: bool = True) -> None:
    """Flags for the corpus, the preset and every setting."""
    command.add_argument(
        "--corpus", required=corpus_required, type=Path, metavar="DIR", help="folder of the corpus"
    )
    names = ", ".join(item.value for item in Preset)
    command.add_argument("--preset", default=Preset.BALANCED.value, metavar="P", help=f"{names}")
    command.add_argument("--strategies", metavar="A,B", help="threads to follow, comma separated")
    command.add_argument("--rounds", type=int, metavar="N", help="rounds of expansion at most")
    command.add_argument("--pool-size", type=int, metavar="N", help="passages the pool may hold")
    command.add_argument("--top-k", type=int, metavar="K", help="passages in the final ranking")
    more = command.add_argument_group("more settings (defaults: the preset's)")
    for name, field in InvestigationSettings.model_fields.items():
        if name in OWN_FLAGS:
            continue
        extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
        more.add_argument(
            f"--{name.replace('_', '-')}",
            dest=f"setting_{name}",
            metavar=str(extra.get("unit", "value")).upper(),
            help=(field.description or "").replace("%", "%%"),
        )


def settings_from(options: argparse.Namespace) -> InvestigationSettings:
    """The preset with what the command line changes. Raises SettingsError."""
    changes: dict[str, Any] = {
        "rounds": options.rounds,
        "pool_size": options.pool_size,
        "top_k": options.top_k,
    }
    if options.strategies is not None:
        changes["strategies"] = tuple(name.strip() for name in options.strategies.split(",") if name.strip())
    for name in InvestigationSettings.model_fields:
        changes.setdefault(name, getattr(options, f"setting_{name}", None))
    return preset(options.preset).changed(**changes)
