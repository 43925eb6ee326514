"""Every place of the page where bytes or text from elsewhere are parsed, and what guards each.

Two scans find them: what the modules of ``ui`` parse themselves, and what of ``engine`` they name that leads
to a parser of a file format. A place that is not in the tables below is new: add it with what guards it.
Files of visitors are parsed by the confined child process alone.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from benchmarks.attacks.http.target import peak_memory as peak
from engine.corpus.ontology import parse_ontology
from engine.errors import InputError
from engine.ingestion.readers.mapping import parse_mapping

ROOT = Path(__file__).parents[2]
# What a guard may be.
CHILD = "the confined child process alone runs this"
BODY = "text within a JSON body that ui.door.bodies has bounded; a loader that is bounded itself"
BASE64 = "a field of a form whose length is bounded; decoding makes it shorter"
FORM = "a login form, bounded before it is read"
OF_CHILD = "a line of the child: bounded in length and number, checked field by field"
OF_WORKER = "a line of the ingestion's child: bounded in length, checked field by field"
STORED = "what this server has stored itself"
SHIPPED = "files that come with the program"
PAGE = "values that this process has made"

# Parsers by module; of some, only what reads.
PARSERS = {
    *(
        "gzip",
        "zlib",
        "zipfile",
        "lzma",
        "bz2",
        "tarfile",
        "csv",
        "yaml",
        "lxml",
        "pypdfium2",
        "docx",
        "pickle",
    ),
    *(
        "markdown_it",
        "html.parser",
        "xml",
        "tomllib",
        "configparser",
        "email",
        "plistlib",
        "marshal",
        "mailbox",
    ),
    *("PIL", "pandas", "multipart", "python_multipart", "binascii", "bs4", "json.load", "json.loads"),
    *("orjson.loads", "numpy.load", "numpy.frombuffer", "numpy.fromfile", "io.open", "os.open"),
    *("base64.b64decode", "base64.urlsafe_b64decode", "base64.standard_b64decode", "base64.decodebytes"),
    *("engine.unpacking", "engine.bounded_yaml", "engine.files"),
}
# Of any object: what reads a file, a body or a text.
METHODS = {
    *("read_bytes", "read_text", "model_validate_json", "validate_json", "loads", "fromstring", "decompress"),
    "frombuffer",
}
# The same where they are called.
CALLED = {"open", "form", "body", "stream", "read"}
# These pack, or are no parsers.
WRITERS = {
    *("gzip.compress", "zlib.compress", "zlib.crc32", "binascii.Error"),
    *("pickle.Pickler", "pickle.HIGHEST_PROTOCOL", "pickle.dumps"),
    "engine.files.make_private_folder",
}

# Module and function of ``ui``, and what it uses.
DIRECT: Mapping[tuple[str, str], str] = {
    ("ui.access.entrance._fields", ".stream"): FORM,
    ("ui.access.owners._event", "orjson.loads"): PAGE,
    ("ui.asked.SentFile", "base64.b64decode"): BASE64,
    ("ui.case_request.case_request", "orjson.loads"): BODY,
    ("ui.check.answers.read_file", ".model_validate_json"): OF_CHILD,
    ("ui.corpus.ingesting.done_apart", ".model_validate_json"): OF_WORKER,
    ("ui.door.answers._failed", "orjson.loads"): PAGE,
    ("ui.door.bodies.checked_json", "orjson.loads"): BODY,
    ("ui.door.uploads.UploadRoute", ".form"): "counted as it comes, bounded, and stored as it is",
    ("ui.evaluate.gold._sent_questions", ".validate_json"): OF_CHILD,
    ("ui.expansion.asked.looked", "orjson.loads"): BODY,
    ("ui.jobs.reader._verdicts", ".read"): CHILD,
    ("ui.jobs.reading._read", "orjson.loads"): OF_CHILD,
    ("ui.judging.link_of_words", "json.loads"): BODY,
    ("ui.plan.edited_plan", "orjson.loads"): BODY,
    ("ui.review.exchange._taken", "orjson.loads"): OF_CHILD,
    ("ui.trying.listed", ".model_validate_json"): "the answer of a model's server, bounded by engine.network",
    # What children get of the server.
    ("ui.corpus.relay.through_server", "base64.b64decode"): CHILD,
    ("ui.corpus.relay.through_server", "numpy.frombuffer"): CHILD,
    ("ui.corpus.relay.through_server", "orjson.loads"): CHILD,
    ("ui.corpus.worker.main", ".model_validate_json"): CHILD,
    ("ui.jobs.reader.main", "orjson.loads"): CHILD,
    # What comes from this process and its folders.
    ("ui.cases.side_by_side._compared", "orjson.loads"): PAGE,
    ("ui.check.api.audited", "orjson.loads"): PAGE,
    ("ui.check.review_api.reviewing", "orjson.loads"): PAGE,
    ("ui.corpus.statistics._bars", "json.loads"): PAGE,
    ("ui.evaluate.answers._drawn", "orjson.loads"): PAGE,
    ("ui.grading_api.grading", "orjson.loads"): PAGE,
    ("ui.tools.files.CaseFiles", "base64.b64decode"): PAGE,
    ("ui.tools.tool.Tool", "orjson.loads"): PAGE,
    ("ui.workers.carrying._Unpickler", "pickle.Unpickler"): PAGE,
    # Written there, or locked.
    ("ui.door.uploads._kept", "os.open"): STORED,
    ("ui.server_folders.ServerFolder", "os.open"): STORED,
    ("ui.server_folders.remove_left", "os.open"): STORED,
    ("ui.corpus.report.stored_report", ".read_bytes"): STORED,
    ("ui.corpus.report.stored_report", "orjson.loads"): STORED,
    ("ui.corpus.wanted.wanted_of", ".model_validate_json"): STORED,
    ("ui.corpus.wanted.wanted_of", ".read_bytes"): STORED,
    ("ui.jobs.process.run", ".open"): STORED,
    ("ui.jobs.process._trace", ".read"): STORED,
    ("ui.access.page.login_page", ".read_text"): SHIPPED,
    ("ui.door.libraries._packed", ".read_bytes"): SHIPPED,
    ("ui.door.serving._hashes", ".read_text"): SHIPPED,
    ("ui.sample.folder_name", ".read_bytes"): SHIPPED,
    ("ui.theme.first_script", ".read_text"): SHIPPED,
    ("ui.theme.page_scripts", ".read_text"): SHIPPED,
}

# What of ``engine`` uses a parser of a format and gets nothing of visitors: by the beginning of its name.
OWN: Mapping[str, str] = {
    "engine.unpacking.": "the helper itself",
    "engine.bounded_yaml": "the loader itself",
    "engine.answers.report_forms.": PAGE,
    "engine.exports.": PAGE,
    "engine.records.filed.bundles.": PAGE,
    "engine.corpus.ontology.ontology_yaml": PAGE,
    "engine.review.exchange.table.write": PAGE,
    "engine.corpus.grades._defaults": SHIPPED,
    "engine.language.": SHIPPED,
    "engine.languages.": SHIPPED,
    "engine.llm.": SHIPPED,
    "engine.retrieval.planning.words.": SHIPPED,
    "engine.records.store.": STORED,
    "engine.investigation.weights.": STORED,
    # Pickles between the processes of one ingestion.
    "engine.ingestion.analysis.": CHILD,
    "engine.ingestion.cluster.": CHILD,
    "engine.ingestion.workers.": CHILD,
}

# Module and function of ``ui``, and what of ``engine`` it names that leads to a parser of a format.
THROUGH_ENGINE: Mapping[tuple[str, str], str] = {
    ("ui.jobs.reader._questions", "engine.evaluation.questions.read_questions"): CHILD,
    ("ui.jobs.reader._text", "engine.ingestion.file_text.text_of"): CHILD,
    ("ui.corpus.orders.carry_out", "engine.ingestion.build.add_to_corpus"): CHILD,
    ("ui.corpus.orders.carry_out", "engine.ingestion.build.build_corpus"): CHILD,
    ("ui.corpus.orders.carry_out", "engine.ingestion.build.remove_from_corpus"): CHILD,
    ("ui.corpus.orders.carry_out", "engine.ingestion.vectors.embed_corpus"): CHILD,
    ("ui.corpus.intake.read_mapping", "engine.ingestion.readers.mapping.parse_mapping"): BODY,
    ("ui.corpus.ontology.from_file", "engine.corpus.ontology.parse_ontology"): BODY,
    ("ui.evaluate.gold.sample_questions", "engine.evaluation.read_questions"): SHIPPED,
    ("ui.sample.build_sample", "engine.ingestion.build.build_corpus"): SHIPPED,
    ("ui.command.main", "engine.cli.program.run"): "the command line: no visitor reaches it",
}
# The modules that run in the child, and what other modules may take of them.
CHILD_MODULES = ("ui.jobs.reader", "ui.corpus.worker", "ui.corpus.orders", "ui.corpus.relay")
HARMLESS = {
    *("ui.corpus.orders.READING", "ui.corpus.orders.Order", "ui.corpus.orders.Tell"),
    *("ui.corpus.relay.Relay", "ui.corpus.relay.Wanted"),
}
# What a visitor sends as text of a file within a JSON body; nothing of it may take long, or become large.
HOSTILE_TEXTS = {
    "aliases": "a: &a [x, x]\n"
    + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [{f'*{chr(97 + n)},' * 9}]\n" for n in range(9)),
    "deep": "[" * 90_000,
    "deep mappings": "".join(" " * n + "a:\n" for n in range(400)),
    "many keys": "".join(f"k{n}: 1\n" for n in range(9000)),
    "one key": "a" * 99_000 + ": 1",
    "numbers": "areas: " + "9" * 90_000,
    "sexagesimal": "areas: " + "1:" * 40_000 + "1",
    "a float": "areas: 1" + "0" * 80_000 + ".5e99999",
    "a date": "areas: 2024-13-45",
    "tags": "!!python/object/apply:os.system ['id']",
    "binary": "areas: !!binary " + "A" * 90_000,
    "merges": "a: &a {x: 1}\n" + "".join(f"k{n}: {{<<: *a}}\n" for n in range(4000)),
    "merge of itself": "a: &a {<<: *a}",
    "sets": "!!set {" + "? a, " * 9000 + "}",
    "omap": "!!omap [" + "a: 1, " * 9000 + "]",
    "nul": "areas: [\x00]",
    "directives": "%YAML 9.9\n---\na",
    "documents": "--- a\n" * 9000,
    "anchors": "".join(f"- &a{n} x\n" for n in range(9000)),
    "quotes": "areas: '" + "''" * 40_000,
    "escapes": 'areas: "' + "\\U0001F600" * 9000 + '"',
    "surrogates": 'areas: "\\ud800"',
    "tabs": "\t" * 90_000,
    "spaces": " " * 99_000 + "x",
    "comments": "#" * 99_000,
    "brackets": "{" * 40_000 + "}" * 40_000,
    "pipes": "a: |\n" + " x\n" * 30_000,
    "json": '{"areas": ' + "[" * 500 + "]" * 500 + "}",
    "too long": "a" * 200_000,
    "a list": "- a\n" * 20_000,
}


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(tree: ast.AST) -> dict[str, str]:
    """What each imported name of a module stands for, imports inside functions included."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                found[one.asname or one.name.split(".")[0]] = (
                    one.name if one.asname else one.name.split(".")[0]
                )
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
    return found


def named_in(node: ast.AST, names: Mapping[str, str]) -> Iterator[str]:
    """The dotted names that are used in a piece of a program; of a method that reads, a dot and its name."""
    if isinstance(node, ast.Attribute):
        parts, root = [node.attr], node.value
        while isinstance(root, ast.Attribute):
            parts, root = [root.attr, *parts], root.value
        if node.attr in METHODS:
            yield f".{node.attr}"
        if isinstance(root, ast.Name):
            yield ".".join([names.get(root.id, root.id), *parts])
        else:
            yield from named_in(root, names)
        return
    if isinstance(node, ast.Call):
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        # What opens a corpus or a session is given one; a file is opened in a mode, if at all.
        given = isinstance(node.func, ast.Name) or not node.args or isinstance(node.args[0], ast.Constant)
        if called in CALLED and called not in names and (given or called != "open"):
            yield f".{called}"
    if isinstance(node, ast.Name):
        yield names.get(node.id, node.id)
    for one in ast.iter_child_nodes(node):
        yield from named_in(one, names)


def pieces(path: Path) -> Iterator[tuple[str, ast.AST, dict[str, str]]]:
    """The functions, classes and assignments of a module, each by its dotted name."""
    tree, module = ast.parse(path.read_text(encoding="utf-8")), module_of(path)
    names = imported(tree)
    tops: list[tuple[str, ast.AST]] = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            tops.append((node.name, node))
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            tops += [(one.id, node.value) for one in targets if isinstance(one, ast.Name)]
        elif not isinstance(node, ast.Import | ast.ImportFrom):
            tops.append(("", node))
    names |= {name: f"{module}.{name}" for name, _ in tops if name}
    yield from ((f"{module}.{name}".rstrip("."), node, names) for name, node in tops)
    if path.name == "__init__.py":
        for name, meant in imported(tree).items():
            yield f"{module}.{name}", ast.Name(name), {name: meant}


def is_parser(name: str) -> bool:
    if name.startswith("."):
        return True
    if name in WRITERS or any(name.startswith(f"{one}.") for one in WRITERS):
        return False
    return any(name == one or name.startswith(f"{one}.") for one in PARSERS)


def files_of(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def directly(paths: Iterable[Path]) -> set[tuple[str, str]]:
    return {
        (piece, used)
        for path in paths
        for piece, node, names in pieces(path)
        for used in named_in(node, names)
        if is_parser(used)
    }


@cache
def engine_graph() -> Mapping[str, frozenset[str]]:
    """What each piece of the engine names."""
    found: dict[str, set[str]] = {}
    for path in files_of("engine"):
        for piece, node, names in pieces(path):
            found.setdefault(piece, set()).update(named_in(node, names))
    return {piece: frozenset(used) for piece, used in found.items()}


@cache
def modules() -> frozenset[str]:
    return frozenset(module_of(path) for path in files_of("engine"))


def piece_named(name: str, pieces: Iterable[str]) -> str | None:
    """The piece that a dotted name leads to: what follows it is an attribute of it."""
    while name and name not in modules():
        if name in pieces:
            return name
        name = name.rpartition(".")[0]
    return None


FORMATS = {
    *(
        "gzip",
        "zlib",
        "zipfile",
        "lzma",
        "bz2",
        "tarfile",
        "csv",
        "yaml",
        "lxml",
        "pypdfium2",
        "docx",
        "pickle",
    ),
    *("markdown_it", "html.parser", "xml", "engine.unpacking", "engine.bounded_yaml"),
}


def uses_format(names: Iterable[str]) -> bool:
    return any(
        (name == one or name.startswith(f"{one}.")) and name not in WRITERS
        for name in names
        for one in FORMATS
    )


def readers_of_formats() -> set[str]:
    """The pieces of the engine that use a parser of a format, without those that get nothing of visitors."""
    return {piece for piece, names in engine_graph().items() if uses_format(names)}


def leading(seeds: Iterable[str]) -> set[str]:
    """All pieces of the engine that lead to some."""
    found = set(seeds)
    while True:
        more = {
            piece
            for piece, names in engine_graph().items()
            if piece not in found and any(piece_named(name, found) for name in names)
        }
        if not more:
            return found
        found |= more


@cache
def of_visitors() -> frozenset[str]:
    """The pieces of the engine that lead to a parser of what a visitor may have sent."""
    return frozenset(leading(piece for piece in readers_of_formats() if not piece.startswith(tuple(OWN))))


def through_engine(paths: Iterable[Path]) -> set[tuple[str, str]]:
    return {
        (piece, found)
        for path in paths
        for piece, node, names in pieces(path)
        for used in named_in(node, names)
        if (found := piece_named(used, of_visitors())) is not None
    }


def test_each_place_that_parses_is_known() -> None:
    found = directly(files_of("ui"))
    # Methods are found by their names: once with their module is enough.
    full = {(piece, used) for piece, used in found if not used.startswith(".")}
    by_name = {(piece, used.rpartition(".")[2]) for piece, used in full}
    methods = {(piece, used) for piece, used in found - full if (piece, used[1:]) not in by_name}
    assert full | methods == set(DIRECT)


def test_each_way_to_a_parser_of_a_format_is_known() -> None:
    assert through_engine(files_of("ui")) == set(THROUGH_ENGINE)


def test_each_row_of_the_engine_is_of_something() -> None:
    readers = readers_of_formats()
    assert [row for row in OWN if not any(piece.startswith(row) for piece in readers)] == []


def test_what_the_child_runs_is_run_by_nothing_else() -> None:
    there = {
        piece for table in (DIRECT, THROUGH_ENGINE) for (piece, _), guard in table.items() if guard == CHILD
    }
    assert {piece.rpartition(".")[0] for piece in there} <= set(CHILD_MODULES)
    taken = {
        used
        for path in files_of("ui")
        if module_of(path) not in CHILD_MODULES
        for _, node, names in pieces(path)
        for used in named_in(node, names)
        if used.startswith(tuple(f"{module}." for module in CHILD_MODULES))
    }
    assert {
        used for used in taken if used not in HARMLESS and used.rpartition(".")[0] not in HARMLESS
    } == set()


@pytest.mark.parametrize(
    "text",
    [
        "import gzip\ndef f(a): return gzip.decompress(a)",
        "from lxml import etree\ndef f(a): return etree.fromstring(a)",
        "import base64 as b\ndef f(a): return b.b64decode(a)",
        "def f(a): return open(a)",
        "def f(a): return a.open()",
        "def f(a): return a.open('rb')",
        "def f(a): return a.read_bytes()",
        "from ui.x import Told\ndef f(a): return Told.model_validate_json(a)",
        "import csv\nX = csv.reader",
        "def f(a):\n    import yaml\n    return yaml.safe_load(a)",
        "async def f(request): return await request.form()",
    ],
)
def test_the_scan_sees_every_way(tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.ui.test_what_is_parsed.ROOT", tmp_path)
    (tmp_path / "new.py").write_text(text)
    assert directly([tmp_path / "new.py"])


@pytest.mark.parametrize(
    "text",
    [
        "from engine.ingestion.file_text import text_of\ndef f(a): return text_of(a)",
        "from engine.evaluation import read_questions\nX = read_questions",
        "from engine.ingestion.sources import open_sources\ndef f(a): open_sources(a)",
        "def f(a):\n    from engine.ingestion.readers.pdf.reader import PdfReader\n    return PdfReader",
        "from engine.corpus import ontology\ndef f(a): return ontology.read_ontology(a)",
        "from engine.records.filed.reading import saved_file\ndef f(a): return saved_file(a)",
        "from engine.review.exchange import table\ndef f(a): return table.read(a)",
    ],
)
def test_the_scan_follows_the_engine(tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    of_visitors()
    modules()
    monkeypatch.setattr("tests.ui.test_what_is_parsed.ROOT", tmp_path)
    (tmp_path / "new.py").write_text(text)
    assert through_engine([tmp_path / "new.py"])


@pytest.mark.parametrize("load", [parse_mapping, lambda text: parse_ontology(text, "the file")])
def test_texts_that_stay_in_the_server_are_bounded(load: Callable[[str], object]) -> None:
    assert len(HOSTILE_TEXTS) >= 30
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
