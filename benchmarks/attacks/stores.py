"""The store of kept cases is damaged, and everything that reads it is asked.

Files are damaged as disks do it (flipped bits, zeros, cuts, lost and swapped pages), and values one by one,
in any column of any table: other bytes, another type, another structure. Held: no command and no request of
the page ends with an exception that is not one of ours, each error is one line, and ``cases verify`` reports
every change of what is sealed.
"""

from __future__ import annotations

import io
import os
import random
import shutil
import sqlite3
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from unittest.mock import patch

import numpy as np

from benchmarks.attacks.outcome import Attempt, Outcome, counted
from benchmarks.attacks.small_corpora import TITLES, write_acts
from engine.access.users import Person, Role
from engine.cli import main as command_line
from engine.errors import RedstringError
from engine.exports.registry import exports
from engine.ingestion.build import build_corpus
from engine.investigation.ranking.additive import AdditiveModel, Experience
from engine.operator_settings import CASES_NAME, OperatorSettings
from engine.records.store.matter_weights import MatterWeights
from engine.records.store.store import CaseStore
from ui.cases.answers import answer
from ui.cases.desk import CasesDesk
from ui.cases.kept import KeptCases
from ui.cases.opening import opened_again
from ui.review.answers import answer as answer_review
from ui.review.desk import ReviewDesk
from ui.shelf import Library, open_library

PAGE = 4096
MATTER, REVIEWER = "Harbour", "Ann"
OPERATOR = Person("operator" * 4, Role.OPERATOR)
# Tables of which each value is sealed, or can be made again from what is sealed.
SEALED = ("cases", "events", "states", "rounds", "queries", "hits", "passages", "hops", "costs")
# When a case was last looked at is neither.
UNSEALED = {("cases", "opened")}


@dataclass(frozen=True, slots=True)
class Kept:
    """A sound store in a home folder, the corpus of its cases, their ids, and the id of a queue."""

    home: Path
    corpus: Path
    ids: tuple[str, str]
    queue: str

    @property
    def file(self) -> Path:
        """The file of the store."""
        return self.home / CASES_NAME


def make_store(root: Path) -> Kept:
    """Keep two cases with all that a case can have: steps, verdicts, criteria, a queue, learned weights."""
    home, corpus = root / "home", root / "acts"
    build_corpus([write_acts(root / "sources", {0: 0, 1: 1})], corpus, embedding="none")
    with at_home(home):
        ask = ["investigate", "--corpus", str(corpus), "--preset", "quick", "--matter", MATTER]
        for question in (f"Which powers does the {TITLES[0]} give?", f"What is subject to the {TITLES[1]}?"):
            run_command([*ask, question])
        url = f"sqlite:///{home / CASES_NAME}"
        with closing(CaseStore(url)) as store, closing(MatterWeights(url)) as weights:
            matter = store.matter(MATTER)
            first, second = store.ids(matter)
            record = store.record(first)
            for node in record["pool"]["nodes"][:2]:
                pinned = {**record["pool"], "pinned": [node["id"]]}
                store.step(
                    first, "pin", who="Ann", data={"passage": node["id"]}, record={**record, "pool": pinned}
                )
            store.undo(first, who="Ann")
            store.describe(first, who="Ann", name="Powers", notes="What was noted.")
            store.judge(first, "useful", who="Ann", right=True)
            store.judge(second, "useless", who="Ann", right=False)
            store.unjudge(second, who="Ann")
            store.share(second, who="Ann")
            store.looked_at(second)
            weights.keep(matter, record["corpus"], _experience(), {"verdicts": 1}, who="Ann")
            weights.adopt(matter, "learned", who="Ann")
        run_command(["review", "criteria", "--matter", MATTER, "--text", "It says who may."])
        made = run_command(
            ["review", "queue", "--matter", MATTER, "--corpus", str(corpus), "--assign", "Ann", "Ben"]
        )
        queue = made.out.split()[2]
        run_command(["review", "judge", queue, "0", "relevant", "--by", REVIEWER])
        run_command(["review", "next", queue, "--by", REVIEWER])
    return Kept(home, corpus, (first, second), queue)


def _experience() -> Experience:
    rows, none = np.zeros(0, np.int32), np.zeros(0, np.float32)
    questions, model = np.zeros((0, 0), np.float32), AdditiveModel({}, 1.0)
    return Experience("learned", 1.0, 1.0, 1.0, (), questions, rows, rows, none, none, model)


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of a command."""

    code: int
    out: str
    err: str


def run_command(arguments: Sequence[str]) -> Ran:
    """Run one command in this process."""
    out, err = io.StringIO(), io.StringIO()
    # Some commands write bytes.
    out.buffer = io.BytesIO()  # type: ignore[misc]
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = command_line.main(list(arguments))
        except SystemExit as ended:
            raise ValueError(f"{arguments}: {err.getvalue()}") from ended
    return Ran(code, out.getvalue(), err.getvalue())


@contextmanager
def parser_made_once() -> Iterator[None]:
    """Making the parser takes most of the time of a short command."""
    made = command_line.parser()
    with patch.object(command_line, "parser", lambda *_: made):
        yield


@contextmanager
def at_home(home: Path) -> Iterator[None]:
    """Keep cases in a home folder meanwhile."""
    before = os.environ.get("REDSTRING_HOME")
    os.environ["REDSTRING_HOME"] = str(home)
    try:
        yield
    finally:
        if before is None:
            del os.environ["REDSTRING_HOME"]
        else:
            os.environ["REDSTRING_HOME"] = before


def reading(kept: Kept) -> list[tuple[str, ...]]:
    """Commands that read a store."""
    first, second = kept.ids
    return [
        *(("cases", "verify"), ("cases", "verify", first), ("cases", "verify", second)),
        *(("cases", "list", "--words", "powers"), ("cases", "list", "--json"), ("cases", "matters")),
        *(("cases", "low-coverage", "--below", "1.1"), ("cases", "by-verdict", "--json")),
        *(("cases", "over-time"), ("cases", "show", first), ("cases", "show", second, "--json")),
        *(("cases", "events", first), ("cases", "events", second, "--json"), ("tree", first)),
        *(("review", "list"), ("review", "criteria", "--matter", MATTER), ("review", "verdicts", "--all")),
        *(("forget", "--person", "ann", "--dry-run"), ("forget", "--older-than", "0", "--dry-run")),
    ]


def reading_much(kept: Kept, out: Path) -> list[tuple[str, ...]]:
    """Commands that read a store and take longer."""
    first, second = kept.ids
    corpus, file = ("--corpus", str(kept.corpus)), ("--out", str(out))
    return [
        *(("cases", "compare", first, second), ("cases", "replay", first, *corpus)),
        ("cases", "export", "--matter", MATTER, "--verdicts", *file),
        *(("export", first, "--as", name, *corpus, *file) for name in exports()),
        *(("regress", *corpus, "--matter", MATTER), ("report", *corpus, "--limit", "1", "--experts")),
        *(("weights", "list", *corpus, "--matter", MATTER), ("review", "estimate", kept.queue)),
        ("review", "export", "--matter", MATTER, "--format", "csv", *file),
    ]


def changing(kept: Kept) -> list[tuple[str, ...]]:
    """Commands that change a store."""
    first, second = kept.ids
    by = ("--by", REVIEWER)
    return [
        *(("review", "next", kept.queue, *by), ("review", "judge", kept.queue, "0", "relevant", *by)),
        *(("review", "undo", kept.queue, *by), ("review", "assign", kept.queue, "Cem")),
        *(("cases", "undo", second, "--verdict"), ("cases", "undo", first), ("cases", "judge", first, "no")),
        *(("cases", "name", second, "--name", "Another"), ("cases", "share", first)),
        ("cases", "delete", second),
    ]


def page_requests(kept: Kept) -> list[tuple[str, Mapping[str, object]]]:
    """Requests of the page: of its view of cases, and of its view of reviews."""
    first, second = kept.ids
    turn: Mapping[str, object] = {"queue": kept.queue, "slots": ["a"], "reviewer": REVIEWER, "tab": "t"}
    return [
        *(("cases", {"do": "history", "choices": True}), ("cases", {"do": "records"})),
        *(("cases", {"do": do, "id": first}) for do in ("sheet", "verify")),
        *(
            ("cases", {"do": "sheet", "id": second}),
            ("cases", {"do": "compare", "id": first, "other": second}),
        ),
        *(("reviews", {"do": do, "cases": first}) for do in ("home", "queues", "marks")),
        *(("reviews", {"do": "figures", "queue": kept.queue}), ("reviews", {"do": "enter", **turn})),
    ]


Damage = Callable[[Path, random.Random], str]


def _flipped(path: Path, drawn: random.Random) -> str:
    content = bytearray(path.read_bytes())
    places = [drawn.randrange(len(content)) for _ in range(drawn.choice((1, 1, 2, 8, 64)))]
    for place in places:
        content[place] ^= 1 << drawn.randrange(8)
    path.write_bytes(content)
    return f"bits at {places[:3]}"


def _zeroed(path: Path, drawn: random.Random) -> str:
    content = bytearray(path.read_bytes())
    start, size = drawn.randrange(len(content)), drawn.choice((1, 16, 512, PAGE, len(content)))
    content[start : start + size] = bytes(len(content[start : start + size]))
    path.write_bytes(content)
    return f"{size} zeros at {start}"


def _cut(path: Path, drawn: random.Random) -> str:
    size = path.stat().st_size
    left = drawn.choice((0, 1, 100, size - 1, size // PAGE // 2 * PAGE, drawn.randrange(size)))
    os.truncate(path, left)
    return f"cut to {left} bytes"


def _lost_page(path: Path, drawn: random.Random) -> str:
    content = bytearray(path.read_bytes())
    page = drawn.randrange(len(content) // PAGE)
    content[page * PAGE : (page + 1) * PAGE] = drawn.randbytes(PAGE)
    path.write_bytes(content)
    return f"page {page} at random"


def _swapped_pages(path: Path, drawn: random.Random) -> str:
    content = bytearray(path.read_bytes())
    one, other = (drawn.randrange(len(content) // PAGE) * PAGE for _ in range(2))
    kept = content[one : one + PAGE]
    content[one : one + PAGE] = content[other : other + PAGE]
    content[other : other + PAGE] = kept
    path.write_bytes(content)
    return f"pages {one // PAGE} and {other // PAGE} swapped"


# What a value becomes: no text, no number, no JSON, or JSON of another structure.
VALUES: tuple[object, ...] = (
    *(None, b"\xff\xfe\x00\x81", b"", "", "{", "[]", "{}", "null", "[1]", '{"a": 1}', '"text"', "true", "0"),
    *("\x00", "text", "9999-99-99T99:99:99", -1, 0, 2**62, 1.5, float("inf"), "\n", "x" * 5000),
    *(
        '{"event": "x"}',
        '{"event": []}',
        '{"left_behind": 1}',
        '{"sampling": {"assigned": 1}}',
        '{"invited": 1}',
    ),
    *('{"kind": "text"}', '[{"kind": 1}]', '{"a": {"b": ' + "[" * 2000 + "]" * 2000 + "}}"),
)


def _value(path: Path, drawn: random.Random) -> str:
    with closing(sqlite3.connect(path)) as connection:
        tables = [
            name for (name,) in connection.execute("select name from sqlite_schema where type = 'table'")
        ]
        table = drawn.choice(tables)
        column = drawn.choice([row[1] for row in connection.execute(f"pragma table_info({table})")])
        return set_value(connection, table, column, drawn.choice(VALUES), drawn)


def _column(connection: sqlite3.Connection, drawn: random.Random) -> tuple[str, str]:
    """A column of a table, each as likely as any other."""
    query = (
        "select own.name, columns.name from sqlite_schema as own, pragma_table_info(own.name) as columns "
        "where own.type = 'table'"
    )
    table, column = drawn.choice(connection.execute(query).fetchall())
    return str(table), str(column)


def set_value(
    connection: sqlite3.Connection, table: str, column: str, value: object, drawn: random.Random
) -> str:
    """Put a value into a row of a table, past what the table allows; returns what was done."""
    connection.execute("pragma writable_schema = on")
    connection.execute(
        "update sqlite_schema set sql = replace(sql, ' NOT NULL', '') where name = ?", (table,)
    )
    connection.commit()
    connection.execute("pragma writable_schema = reset")
    connection.execute("pragma ignore_check_constraints = on")
    keys = [row[1] for row in connection.execute(f"pragma table_info({table})") if row[5]] or ["rowid"]
    rows = connection.execute(f"select {', '.join(keys)} from {table}").fetchall()
    row = drawn.choice(rows) if rows else ()
    where = " and ".join(f"{key} = ?" for key in keys)
    try:
        connection.execute(f"update {table} set {column} = ? where {where}", (value, *row))
        connection.commit()
    except (sqlite3.IntegrityError, sqlite3.ProgrammingError) as error:
        return f"{table}.{column} stays as it is: {error}"
    return f"{table}.{column} = {str(value)[:30]!r} in row {row}"


def _missing(path: Path, drawn: random.Random) -> str:
    with closing(sqlite3.connect(path)) as connection:
        query = "select type, name from sqlite_schema where name not like 'sqlite_%'"
        kind, name = drawn.choice(connection.execute(query).fetchall())
        connection.execute(f"drop {kind} {name}")
        connection.commit()
    return f"{kind} {name} dropped"


def _missing_column(path: Path, drawn: random.Random) -> str:
    with closing(sqlite3.connect(path)) as connection:
        tables = [
            name for (name,) in connection.execute("select name from sqlite_schema where type = 'table'")
        ]
        table = drawn.choice(tables)
        column = drawn.choice([row[1] for row in connection.execute(f"pragma table_info({table})")])
        try:
            connection.execute(f"alter table {table} rename column {column} to other")
        except sqlite3.OperationalError as error:
            return f"{table}.{column} stays as it is: {error}"
        connection.commit()
    return f"{table}.{column} renamed"


DAMAGES: dict[str, Damage] = {
    "flipped bits": _flipped,
    "zeros": _zeroed,
    "a cut": _cut,
    "a lost page": _lost_page,
    "swapped pages": _swapped_pages,
    "a value": _value,
    "another value": _value,
    "one more value": _value,
    "something missing": _missing,
    "a column missing": _missing_column,
}


def run(tries: int = 300, seed: int = 0) -> tuple[Outcome, ...]:
    """Damage so many copies of a store, each in the next way."""
    with tempfile.TemporaryDirectory() as name, parser_made_once():
        kept = make_store(Path(name) / "sound")
        asked = Asked(kept, open_library([kept.corpus]), sealed_values(kept.file))
        found = [
            (kind, attempt(asked, Path(name) / "tried", kind, random.Random(f"{seed} {number}")))
            for number, kind in zip(range(tries), cycle(DAMAGES), strict=False)
        ]
    return tuple(counted(f"store: {kind}", [one for own, one in found if own == kind]) for kind in DAMAGES)


@dataclass(frozen=True, slots=True)
class Asked:
    """A sound store, the library of its corpus, and its sealed values."""

    kept: Kept
    library: Library
    sealed: object


def attempt(asked: Asked, tried: Path, kind: str, drawn: random.Random, heavy: int = 4) -> Attempt:
    """Damage a copy and ask it everything; of what takes long so many commands that are drawn."""
    kept = asked.kept
    shutil.rmtree(tried, ignore_errors=True)
    tried.mkdir(mode=0o700)
    shutil.copyfile(kept.file, tried / CASES_NAME)
    what = DAMAGES[kind](tried / CASES_NAME, drawn)
    changed = sealed_values(tried / CASES_NAME) != asked.sealed
    wrong, noticed = _of_page(asked, tried), False
    much = reading_much(kept, tried / "out.zip")
    with at_home(tried):
        for command in (*reading(kept), *drawn.sample(much, min(heavy, len(much))), *changing(kept)):
            name = " ".join(command[:3])
            try:
                done = run_command(command)
            # The attack is to bring about what nobody thought of.
            except Exception as error:
                wrong.append(f"{name}: {_where(error)}")
                continue
            noticed = noticed or (command[:2] == ("cases", "verify") and done.code != 0)
            if done.code and (done.err.count("\n") != 1 or not done.err.startswith("redstring: ")):
                wrong.append(f"{name}: said {done.err!r}")
    if changed and not noticed:
        wrong.append("verify found nothing")
    return Attempt(what, not wrong, "; ".join(wrong))


def _of_page(asked: Asked, tried: Path) -> list[str]:
    """What requests of the page end with that is no error of ours."""
    cases, wrong = KeptCases(OperatorSettings(), tried), []
    desk, reviews = CasesDesk(cases, asked.library), ReviewDesk(cases, asked.library)
    for view, request in page_requests(asked.kept):
        try:
            if view == "cases":
                answer(desk, request, lambda token: OPERATOR)
            else:
                answer_review(reviews, request, lambda token: OPERATOR)
        except Exception as error:
            wrong.append(f"page: {request['do']}: {_where(error)}")
    try:
        opened_again(asked.library, cases, OPERATOR, asked.kept.ids[0])
    except RedstringError:
        pass
    except Exception as error:
        wrong.append(f"page: open: {_where(error)}")
    with suppress(RedstringError):
        cases.store().close()
        cases.reviews().close()
        cases.weights().close()
    return wrong


def _where(error: Exception) -> str:
    last = traceback.extract_tb(error.__traceback__)
    own = [one for one in last if "/engine/" in one.filename or "/ui/" in one.filename] or last
    return f"{type(error).__name__}: {str(error)[:80]} ({Path(own[-1].filename).name}:{own[-1].lineno})"


def sealed_values(path: Path) -> object:
    """All that is sealed in a store, None for what cannot be read."""
    try:
        with closing(sqlite3.connect(f"file:{path}?immutable=1", uri=True)) as connection:
            connection.text_factory = bytes
            found = {}
            for table in SEALED:
                columns = [row[1].decode() for row in connection.execute(f"pragma table_info({table})")]
                kept = [one for one in columns if (table, one) not in UNSEALED]
                found[table] = sorted(map(repr, connection.execute(f"select {', '.join(kept)} from {table}")))
            return found
    except (sqlite3.Error, UnicodeDecodeError, OverflowError):
        return None
