"""Makes the outputs: each has a name, and a text in which ids, times and versions are masked."""

from __future__ import annotations

import gzip
import hashlib
import io
import itertools
import os
import re
import shlex
import shutil
import sqlite3
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager, redirect_stderr, redirect_stdout
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import gradio as gr
import orjson
from starlette.requests import Request

from engine import __version__
from engine.access.users import Person, Role
from engine.cli.main import main
from engine.corpus import open_corpus
from engine.errors import InputError
from engine.exports.cases import ExportableCase, exports
from engine.ingestion.build import build_corpus
from engine.language.embedders.endpoint import URL_VARIABLE
from engine.operator_settings import OperatorSettings
from engine.records.case_file import read_saved
from engine.verbs import all_tools
from engine.verbs.verb import parse_request
from tests.engine.endpoint import EmbeddingServer
from tests.golden import page
from tests.golden.model import model_outputs
from tests.golden.page import text_in
from tests.golden.readers import files_read
from tests.golden.sources import (
    COMMANDS,
    FILES,
    FOLDER,
    GERMAN_QUESTION,
    NAME,
    QUESTION,
    SAMPLE_QUESTIONS,
    TOOL_CALLS,
    UNKNOWN,
    write_laws,
    write_sources,
)
from ui.cases.storage import KeptCases
from ui.models.connections import Connections
from ui.shelf import Library, open_library
from ui.tools.caller import ServerCaller, Services
from ui.tools.server import described

EXPECTED, PARTS = FOLDER / "expected", (*COMMANDS, "tools", "exports", "saved", "readers", *page.PARTS)
CORPUS_FILE, CASE_FILE = FOLDER / "saved" / "corpus.tar.gz", FOLDER / "saved" / "format_2.json.gz"
FORMER_FILE = FOLDER.parent / "engine" / "records" / "former" / "format_1.json.gz"
# Parts whose case was saved long ago: the days in it are part of the output.
OLD = ("exports", "saved")
HANDED_OVER = date(2026, 2, 3)
FIRST_CASE = datetime(2026, 1, 5, 10, tzinfo=UTC)
# Of a longer text the beginning is kept, and a digest of the whole.
LONGEST, BEGINNING = 36_000, 2_000
SECONDS = r"milliseconds|seconds|p50|p95|\w+_ms|\w+_seconds"
MASKS = (
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?"), "TIME"),
    (re.compile(r"(?<![0-9a-f])(?=[a-f]*[0-9])[0-9a-f]{16,64}(?![0-9a-f])"), "HASH"),
    (re.compile(r"HASH-[0-9a-f]+-[0-9a-f]+"), "HASH"),
    (re.compile(rf'("(?:bytes|ended|{SECONDS})": ?)(\d[\d.e-]*|\[[^\]]*\]|{{[^}}]*}})'), r"\g<1>0"),
    (re.compile(r"(\b(?:milliseconds|p50|p95):? )[\d.,]+"), r"\g<1>0"),
    (re.compile(r"\b[\d.,]+(?= (?:m?s|bytes)\b)"), "0"),
    (re.compile(r"\d+ → \d+(?= \|\n)"), "0 → 0"),
    (re.compile(rf"(?<![\d.]){re.escape(__version__)}(?![\d.])"), "VERSION"),
    (re.compile(r"(?<=127\.0\.0\.1:)\d+"), "PORT"),
)


class Outputs:
    """A corpus in a new folder, and the outputs of the parts of the program on it."""

    def __init__(self, folder: Path, sample: Path) -> None:
        self._folder, self._sample = folder, sample
        self._sources = write_sources(folder)
        self._corpus = folder / "corpus"
        build_corpus([self._sources], self._corpus, name=NAME, embedding="none")
        self._built = {*self._corpus.rglob("*")}
        with _steady(folder / "first"):
            # What the first questions load is no part's to pay for.
            for question in (GERMAN_QUESTION, QUESTION, *SAMPLE_QUESTIONS.values()):
                run("answer", question, "--corpus", str(self._corpus))

    def of(self, part: str) -> dict[str, str]:
        """Return the outputs of a part by their names, masked."""
        # Journals that other parts wrote: a part makes the same outputs by itself as after all others.
        for path in {*self._corpus.rglob("*")} - self._built:
            path.unlink()
        folder = self._folder / part.replace(" ", "-")
        shutil.copytree(self._folder, folder, ignore=lambda _, names: {*names} - {*FILES})
        make = {"tools": self._tools, "exports": self._exports, "saved": self._saved}
        make |= {"readers": files_read, "vectors": self._vectors}
        with _steady(folder / "home"):
            if part in page.PARTS:
                made = page.page_outputs(part, self._library(folder, part))
            elif part.startswith("model "):
                made = model_outputs(lambda spec: self._commands(part, folder, llm=spec))
            else:
                made = make[part](folder) if part in make else self._commands(part, folder)
            return {name: self._masked(part, text) for name, text in made}

    def _masked(self, part: str, text: str) -> str:
        text = text.replace(str(self._folder), "FOLDER").replace(str(self._sample), "SAMPLE")
        text = text.replace(str(FOLDER), "GOLDEN")
        for pattern, mask in MASKS:
            text = pattern.sub(mask, text)
        if part not in OLD:
            today = date.today()
            text = re.sub(rf"{today:%Y}\W+{today:%m}\W+{today:%d}|{today:%-d %b %Y}", "TODAY", text)
            text = re.sub(r"(?<=TODAY)\W+\d\d:\d\d(?= UTC)", " TIME", text)
        if len(text) > LONGEST:
            digest = hashlib.sha256(text.encode()).hexdigest()
            text = f"{text[:BEGINNING]}… {len(text)} characters, SHA-256 {digest}"
        return text

    def _commands(self, part: str, folder: Path, **more: str) -> Iterator[tuple[str, str]]:
        names = {**more, "folder": str(folder), "corpus": str(self._corpus), "sources": str(self._sources)}
        names |= {
            "sample": str(self._sample),
            "claims": str(FOLDER / "claims"),
            "cited": str(FOLDER / "cited"),
        }
        names |= {
            name: str(folder / file) for name, file in (("queries", "queries.jsonl"), ("qrels", "qrels.tsv"))
        }
        names["small"] = "--preset balanced --rounds 1 --pool-size 10 --top-k 2"
        names["asked"] = f"--corpus {self._sample} --preset quick --as-of 2024-06-01"
        names["none"] = "--random 0 --border 0 --alone 0 --disagreed 0"
        names["model"] = f"openai:toy@{os.environ.get(URL_VARIABLE)}"
        names |= {"question": f'"{QUESTION}"', "german": f'"{GERMAN_QUESTION}"', "unknown": f'"{UNKNOWN}"'}
        if part.startswith("sample "):
            names["question"] = shlex.quote(SAMPLE_QUESTIONS[part.removeprefix("sample ")])
        if part == "law over time":
            write_laws(folder)
        known = {""}
        for line in COMMANDS[part]:
            code, out, err = run(*shlex.split(line.format(**names)))
            if found := re.search(r"Kept as case ([\w-]+)", err):
                names["other" if "case" in names else "case"] = found[1]
            if line.startswith("review queue"):
                names["queue"] = re.findall(r"golden-id-\d+", out)[0]
            # What a command reports while it works is for people.
            texts = {line: f"{code}: {err}" if code else out}
            for file in re.findall(r"written[.\w]+", line):
                if (folder / file).exists():
                    texts[f"{line}: {file}"] = text_in((folder / file).read_bytes())
            for name, text in texts.items():
                # What a command writes and what it prints is often the same.
                if "written" not in line or text not in known:
                    yield name, text
            known.update(texts.values())

    def _vectors(self, folder: Path) -> Iterator[tuple[str, str]]:
        with EmbeddingServer():
            yield from self._commands("vectors", folder)

    def _tools(self, folder: Path) -> Iterator[tuple[str, str]]:
        library = self._library(folder, "tools")
        settings = library.settings
        place = Services(library, Connections(settings), KeptCases(settings, library.home))
        asking = ServerCaller(
            place, Person(role=Role.OPERATOR), gr.Request(Request({"type": "http", "headers": []}))
        )
        tools = {tool.tool.name: tool for tool in all_tools()}
        names: dict[str, Any] = {}
        for name, given in TOOL_CALLS:
            tool = tools[name]
            sent = {
                key: names.get(value, value) if isinstance(value, str) else value
                for key, value in given.items()
            }
            try:
                found = tool.answer(asking, parse_request(tool.request, sent))
            except InputError as error:
                found = {"error": str(error)}
            if name == "investigate" and not names:
                names = {"CASE": found["case"], "PASSAGE": found["passages"][0]["id"]}
            yield f"{name} {orjson.dumps(given).decode()}", orjson.dumps(found).decode()
        for tool in all_tools():
            yield f"{tool.tool.name} for MCP", described(tool).model_dump_json(exclude_none=True)

    def _library(self, folder: Path, part: str) -> Library:
        """Open a copy of the corpus: what people say of a corpus is kept beside it."""
        settings = OperatorSettings(home=folder / "home")
        if part == "page law":
            corpora = [folder / name for name in write_laws(folder)]
            for corpus in corpora:
                build_corpus([folder / f"law-{corpus.name}"], corpus, embedding="none")
        else:
            source = self._sample if part == "page sample" else self._corpus
            corpora = [shutil.copytree(source, folder / "corpus")]
        return open_library(corpora, settings.home, settings)

    def _exports(self, folder: Path) -> Iterator[tuple[str, str]]:
        record, sealed = read_saved(unpacked(CASE_FILE, folder))
        assert sealed is not None
        corpus = open_corpus(self._corpus)
        for name, export in exports().items():
            for kind, case in (
                ("of a record", ExportableCase(record)),
                (
                    "of a case",
                    ExportableCase(
                        record, None, sealed.events, "Read.", corpus, today=HANDED_OVER, case=sealed
                    ),
                ),
            ):
                try:
                    yield f"{name} {kind}", text_in(export.write(case))
                except InputError as error:
                    yield f"{name} {kind}", str(error)

    def _saved(self, folder: Path) -> Iterator[tuple[str, str]]:
        with tarfile.open(CORPUS_FILE) as packed:
            packed.extractall(folder / "corpus", filter="data")
        for command in ("info", "verify"):
            yield f"corpus: {command}", run(command, "--corpus", str(folder / "corpus"), "--json")[1]
        for name, path in (("format 1", FORMER_FILE), ("format 2", CASE_FILE)):
            file = str(unpacked(path, folder))
            for line in ("export {} --as json", "tree {} --json", "cases import {} --matter Ferries --json"):
                _, out, err = run(*line.format(file).split())
                yield f"{name}: {line}", out or err
            case = orjson.loads(out)["imported"][0]
            for line in ("cases show {} --json", "cases verify {} --json"):
                yield f"{name}: {line}", run(*line.format(case).split())[1]
            for table, rows in stored(folder / "home"):
                yield f"{name}: table {table}", rows
            run("cases", "delete", case)


def run(*words: str) -> tuple[int, str, str]:
    """Run a command: its exit code and what it prints."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8", newline=""), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = main(words)
        except SystemExit as stopped:
            code = int(stopped.code or 0)
    out.seek(0)
    return code, out.read(), err.getvalue()


def stored(home: Path) -> Iterator[tuple[str, str]]:
    """The rows of each table of a store of cases."""
    with closing(sqlite3.connect(next(home.rglob("*.sqlite")))) as database:
        names = [
            row[0]
            for row in database.execute("select name from sqlite_master where type = 'table' order by 1")
        ]
        for name in names:
            columns = sorted(row[1] for row in database.execute(f"pragma table_info({name})"))
            rows = database.execute(f"select {', '.join(columns)} from {name}").fetchall()
            yield name, "\n".join(str([_inflated(value) for value in row]) for row in rows)


def _inflated(value: object) -> object:
    return zlib.decompress(value).decode() if isinstance(value, bytes) else value


def unpacked(path: Path, folder: Path) -> Path:
    """Write the content of a compressed file beside others in a folder."""
    found = folder / path.stem
    found.write_bytes(gzip.decompress(path.read_bytes()))
    return found


@contextmanager
def _steady(home: Path) -> Iterator[None]:
    """Give the same ids in every run, and let cases begin a minute apart, so that a list has one order."""
    numbers, minutes = itertools.count(1), itertools.count()

    class Clock(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return FIRST_CASE + timedelta(minutes=next(minutes))

    with (
        patch.dict(os.environ, REDSTRING_HOME=str(home), COLUMNS="120"),
        patch("secrets.token_urlsafe", lambda size=16: f"golden-id-{next(numbers):012}"),
        patch("engine.investigation.case.datetime", Clock),
    ):
        yield
