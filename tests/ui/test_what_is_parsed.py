"""Files of visitors are parsed in a confined process; texts that the server parses itself are bounded."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.corpus.ontology import parse_ontology
from engine.errors import InputError
from engine.ingestion.readers.identity import parse_mapping
from tests.memory import peak_memory as peak

ROOT = Path(__file__).parents[2]
# Libraries that parse files, parts of the engine that lead to them, and the confined process.
PARSERS = (
    *("gzip", "zipfile", "lzma", "bz2", "tarfile", "csv", "yaml", "lxml", "pypdfium2", "docx"),
    *("pickle", "PIL"),
    *("html.parser", "xml", "markdown_it", "bs4", "pandas", "engine.bounded"),
    *("engine.ingestion.build", "engine.ingestion.reading", "engine.ingestion.readers"),
    *("engine.ingestion.sources", "engine.ingestion.vectors", "engine.evaluation.read_questions"),
    *("engine.evaluation.questions.read_questions", "engine.evaluation.questions.read_qrels"),
    *(
        "engine.evaluation.questions.read_run",
        "engine.records.case_file",
        "engine.corpus.ontology.parse_ontology",
    ),
    *("engine.corpus.ontology.read_ontology", "ui.server.reader", "ui.corpus.worker"),
)
# Modules of ``ui`` that may import one of them, and what they parse.
ALLOWED = {
    **dict.fromkeys(
        ("ui.server.reader", "ui.corpus.worker", "ui.corpus.orders"), "files, in the confined process"
    ),
    **dict.fromkeys(
        ("ui.server.reading", "ui.corpus.ontology"), "texts of a bounded body, by a bounded loader"
    ),
    **dict.fromkeys(
        ("ui.evaluation", "ui.sample", "ui.investigate.finding"), "files that ship with the program"
    ),
    **dict.fromkeys(("ui.server.headers", "ui.server.routes"), "nothing: they pack"),
    "ui.corpus.embedding": "nothing: it asks what has no vectors",
    "ui.server.template": "cases that this server has packed",
}

# What a visitor sends as text of a file within a JSON body. ``tests/engine/test_bounded_yaml.py`` has more.
HOSTILE_TEXTS = {
    "many keys": "".join(f"k{n}: 1\n" for n in range(9000)),
    "numbers": "areas: " + "9" * 90_000,
    "sexagesimal": "areas: " + "1:" * 40_000 + "1",
    "a float": "areas: 1" + "0" * 80_000 + ".5e99999",
    "binary": "areas: !!binary " + "A" * 90_000,
    "merge of itself": "a: &a {<<: *a}",
    "sets": "!!set {" + "? a, " * 9000 + "}",
    "anchors": "".join(f"- &a{n} x\n" for n in range(9000)),
    "escapes": 'areas: "' + "\\U0001F600" * 9000 + '"',
    "spaces": " " * 99_000 + "x",
    "json": '{"areas": ' + "[" * 500 + "]" * 500 + "}",
    "a list": "- a\n" * 20_000,
}


def imported(path: Path) -> Iterator[str]:
    """All names that a module imports, inside functions too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{one.name}" for one in node.names)


def test_only_the_confined_process_parses_files_of_visitors() -> None:
    parsing = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in (ROOT / "ui").rglob("*.py")
        if any(f"{name}.".startswith(tuple(f"{one}." for one in PARSERS)) for name in imported(path))
    }
    assert parsing == set(ALLOWED)


@pytest.mark.parametrize("load", [parse_mapping, lambda text: parse_ontology(text, "the file")])
def test_texts_that_stay_in_the_server_are_bounded(load: Callable[[str], object]) -> None:
    peak()
    before, slow = peak(), {}
    for name, text in HOSTILE_TEXTS.items():
        began = time.thread_time()
        told = ""
        try:
            load(text)
        except InputError as error:
            told = str(error)
        if time.thread_time() - began > 2 or "\n" in told or len(told) > 1000:
            slow[name] = f"{time.thread_time() - began:.1f} s: {told[:200]}"
    assert slow == {}
    assert peak() - before < 100_000_000
