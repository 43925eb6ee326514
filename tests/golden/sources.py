"""Two short acts in two languages that cite each other, with two areas: what the outputs are made of."""

from __future__ import annotations

import base64
import shutil
from pathlib import Path
from typing import Any

from engine import bounded
from tests.engine.answers import test_changes
from tests.tables import table

FOLDER = Path(__file__).parent
_FERRIES = FOLDER / "ferries"
NAME = "Ferries"
QUESTION = "When may the operator refuse a ticket, and within which time is the fare repaid?"
GERMAN_QUESTION = "Wann wird der Fahrpreis erstattet?"
NAMED_QUESTION = "When did the operator repay the fare under Article 3 of the Ferry Act in 2015?"
UNKNOWN = "zyxomorph quibbleflax"
# Of the sample corpus.
SAMPLE_QUESTIONS = {
    "en": "May an agent appoint sub-agents in late 2024 under a contract of 2022?",
    "de": "Wann endet die Einspruchsfrist nach einem geänderten Bescheid?",
    "ar": "هل يجوز للوكيل أن يوكل غيره؟",
    "id": "Bolehkah pengurus memberikan kepada kuasa kewenangan yang lebih luas daripada yang terdaftar?",
}
# Files beside the sources, which commands read.
FILES = tuple(path.name for path in _FERRIES.iterdir() if path.is_file())


def _sent(name: str) -> dict[str, str]:
    return {"name": name, "data": base64.b64encode((_FERRIES / name).read_bytes()).decode()}


_TEXTS: dict[str, Any] = {
    "QUESTION": QUESTION,
    "UNKNOWN": UNKNOWN,
    "TEXT": (_FERRIES / "text.md").read_text(encoding="utf-8"),
    "CLAIMS": (_FERRIES / "claims.txt").read_text(encoding="utf-8"),
    "QUERIES": _sent("queries.jsonl"),
    "QRELS": _sent("qrels.tsv"),
}


def named(given: Any, names: dict[str, Any]) -> Any:
    """A request with what its words in capitals stand for."""
    if isinstance(given, dict):
        return {key: named(value, names) for key, value in given.items()}
    if isinstance(given, list):
        return [named(value, names) for value in given]
    return names.get(given, given) if isinstance(given, str) else given


_content: dict[str, Any] = bounded.load_yaml((FOLDER / "calls.yaml").read_text(encoding="utf-8"))
COMMANDS: dict[str, list[str]] = _content["commands"]
_KEPT = "investigate {question} --corpus {corpus} --matter Ferries {small}"
for _part, _lines in COMMANDS.items():
    COMMANDS[_part] = [_KEPT if line == "KEPT" else line for line in _lines]
# What people read: the same commands without ``--json``. The table of a batch has durations.
COMMANDS |= {
    f"{part} in words": [
        line.removesuffix(" --json")
        for line in lines
        if (line.endswith("--json") or "--matter" in line) and not line.startswith("batch")
    ]
    for part, lines in COMMANDS.items()
    if part in _content["in words"]
}
_ON_THE_SAMPLE = "{question} --corpus {sample} --as-of 2024-06-01 --top-k 5 --json"
COMMANDS |= {
    f"sample {language}": [f"{command} {_ON_THE_SAMPLE}" for command in ("investigate", "answer")]
    for language in SAMPLE_QUESTIONS
}
COMMANDS |= {
    f"claims {language}": [f"audit {{claims}}/{language}.txt --corpus {{sample}} --as-of 2024-06-01"]
    for language in SAMPLE_QUESTIONS
}


def _calls(listed: list[dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    return [(name, named(given, _TEXTS)) for call in listed for name, given in call.items()]


TOOL_CALLS = _calls(_content["tools"])
PAGE_CALLS = {part: _calls(listed) for part, listed in _content["page"].items()}


def write_sources(folder: Path) -> Path:
    """Write the sources in a folder of their own, and the files beside it."""
    shutil.copytree(_FERRIES, folder)
    return folder / "sources"


def write_laws(folder: Path) -> dict[str, Path]:
    """Write the sources of some laws that change, and return their folders by name."""
    laws = {}
    for name, files in table(test_changes.__file__, "CORPORA").items():
        laws[name] = folder / f"law-{name}"
        laws[name].mkdir()
        for file, text in files.items():
            (laws[name] / file).write_text(text, encoding="utf-8")
    return laws
