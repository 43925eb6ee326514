"""Verdicts as files on the page: who gets which, and what is taken of a file that somebody sends."""

from __future__ import annotations

import base64
import io
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd  # type: ignore[import-untyped]
import pytest

import ui.review.figures
from engine.review.store import ReviewStore
from tests.ui.review.conftest import ANNA, BELA, OPAL, REVA, Caller, Keep, said
from ui.review.access import ReviewDesk
from ui.review.figures import MOST_BYTES

FORMATS = ("csv", "jsonl", "qrels")
HEAD = "case_id,key,verdict,reviewer,at\n"


@pytest.fixture(autouse=True)
def uploads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "uploads"
    folder.mkdir()
    monkeypatch.setattr(ui.review.figures, "get_upload_folder", lambda: str(folder))
    return folder


def sent(uploads: Path, content: str | bytes, name: str = "verdicts.csv") -> dict[str, str]:
    """A file that has arrived, as the page names it."""
    key = f"{len(list(uploads.iterdir())):024}/0"
    (uploads / key).parent.mkdir()
    (uploads / key).write_bytes(content if isinstance(content, bytes) else content.encode())
    return {"key": key, "name": name}


def file_of(told: dict[str, Any]) -> bytes:
    return base64.b64decode(told["file"]["data"])


def table_of(caller: Caller, **scope: str) -> list[tuple[str, str]]:
    """Reviewers and verdicts of the table that somebody gets."""
    told = caller.good("verdicts-out", format="csv", **scope)
    rows = pd.read_csv(io.BytesIO(file_of(told)), keep_default_na=False)
    return list(zip(rows["reviewer"], rows["verdict"], strict=True))


def matter_of(desk: ReviewDesk) -> str:
    owner = desk.kept.owner_of(ANNA)
    assert owner
    return desk.kept.store().matter("General", owner).id


@pytest.fixture
def judged(desk: ReviewDesk, keep: Keep) -> tuple[Caller, Caller, str]:
    """A queue of Anna's that Reva may review: each has judged one item of three, Reva that of Anna, too."""
    keep()
    ann, reva = Caller(desk), Caller(desk, REVA, "")
    queue = ann.made(open="on", reviewers=2)
    first = ann.first(queue)
    ann.verdict(queue, first, "relevant", note="=1+1")
    reva.verdict(queue, reva.first(queue), "not relevant")
    return ann, reva, queue


def test_a_blind_reviewer_gets_their_own_verdicts_alone(
    judged: tuple[Caller, Caller, str], desk: ReviewDesk
) -> None:
    ann, reva, queue = judged
    own, matter = [("Ann", "relevant")], matter_of(desk)
    for scope in ({"queue": queue}, {"matter": matter}):
        assert table_of(ann, **scope) == own
    assert "your own verdicts" in ann.good("figures", queue=queue)["html"]["figures"]
    assert table_of(reva, queue=queue) == [("Reva", "not relevant")]
    while (turns := ann.good("turns", queue=queue, slots=["a"]))["turns"]:
        ann.verdict(queue, turns["turns"][0], "partly")
    # Who has nothing left and owns the matter gets all; who only reviews it never does.
    for scope in ({"queue": queue}, {"matter": matter}):
        assert ("Reva", "not relevant") in table_of(ann, **scope)
        assert len(table_of(ann, **scope)) == 4
    while (turns := reva.good("turns", queue=queue, slots=["a"]))["turns"]:
        reva.verdict(queue, turns["turns"][0], "relevant")
    assert {name for name, _ in table_of(reva, queue=queue)} == {"Reva"}
    page = ann.good("figures", queue=queue)["html"]["figures"]
    assert "The file names all reviewers" in page
    # Another queue of the matter is before Ann now.
    ann.made(best=0, hops=2)
    assert {name for name, _ in table_of(ann, matter=matter)} == {"Ann"}


@pytest.mark.parametrize("name", FORMATS)
def test_what_goes_out_comes_in_once(
    judged: tuple[Caller, Caller, str], uploads: Path, store: ReviewStore, name: str
) -> None:
    ann, _, queue = judged
    told = ann.good("verdicts-out", queue=queue, format=name)["file"]
    assert told["name"].startswith(f"verdicts-{queue[:8]}-{name}.")
    before = said(store)
    answer = ann.good("verdicts-in", queue=queue, format=name, file=sent(uploads, file_of({"file": told})))
    assert answer["said"] == "0 verdicts kept; 1 were here before"
    assert said(store) == before
    assert "figures" in answer["html"]


def test_nothing_is_taken_from_or_handed_to_anybody_else(
    judged: tuple[Caller, Caller, str], desk: ReviewDesk, keep: Keep, uploads: Path, store: ReviewStore
) -> None:
    ann, reva, queue = judged
    bela, opal = Caller(desk, BELA, "Bela"), Caller(desk, OPAL, "")
    foreign, count = keep(BELA), len(said(store))
    row = f"{HEAD}{{}},passage:x,relevant,Bela,\n"
    for do in ("verdicts-out", "verdicts-in"):
        given = {"format": "csv"} | ({"file": sent(uploads, HEAD)} if do == "verdicts-in" else {})
        assert "there is no queue" in bela(do, queue=queue, **given)["error"]
        assert "no such matter" in bela(do, matter=matter_of(desk), **given)["error"]
        assert "no such matter" in opal(do, matter=matter_of(desk), **given)["error"]
        assert "no such matter" in ann(do, **given)["error"]
    told = reva("verdicts-in", queue=queue, format="csv", file=sent(uploads, HEAD))
    assert "by the owner of the matter" in told["error"]
    # A case of another is one that is not there.
    for case in (foreign, "no-such-case"):
        told = ann.good(
            "verdicts-in", matter=matter_of(desk), format="csv", file=sent(uploads, row.format(case))
        )
        assert told["said"] == "0 verdicts kept; 1 are on items that are not here: line 2, passage:x"
    assert len(said(store)) == count
    assert 'data-act="bring"' not in reva.good("figures", queue=queue)["html"]["figures"]


def test_names_of_others_are_theirs_where_people_log_in(
    desk: ReviewDesk, keep: Keep, uploads: Path, store: ReviewStore
) -> None:
    for person, typed, expected in (
        (REVA, "", ["Ben (from a file of Reva)", "Reva", "Reva"]),
        (ANNA, "Ann", ["Ann", "Ben", "Reva"]),
    ):
        case = keep(person)
        caller = Caller(desk, person, typed)
        queue = caller.made()
        key = caller.first(queue)["key"]
        rows = [
            f"{case},{key},relevant,{name},2026-01-0{day}\n"
            for day, name in enumerate(("Ben", "Reva", ""), 1)
        ]
        given = {"queue": queue, "format": "csv"}
        caller.good("verdicts-in", **given, file=sent(uploads, HEAD + "".join(rows)))
        own = store.assessments(queue=queue, owner=desk.kept.owner_of(person) or "")
        assert sorted(one.reviewer for one in own) == expected
        told = caller.good("verdicts-in", **given, file=sent(uploads, HEAD + "".join(rows)))
        assert told["said"] == "0 verdicts kept; 3 were here before"


def zipped(size: int) -> bytes:
    """An archive that is small until it is opened."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("verdicts.csv", b"0" * size)
    return made.getvalue()


@pytest.mark.parametrize(
    ("format_", "content", "expected"),
    [
        ("csv", zipped(50_000_000), "verdicts.csv: a compressed file; unpack it first"),
        ("csv", b"x" * (MOST_BYTES + 1), "verdicts.csv: larger than the 4 MB taken here"),
        ("csv", HEAD + "CASE,KEY,relevant,Ann,\n" * 20_001, "verdicts.csv: more than 20,000 verdicts"),
        ("qrels", "q 0 p 1\n" * 200_001, "verdicts.csv: more than 20,000 verdicts"),
        ("jsonl", "[" * 1_000_000, "verdicts.csv, line 1: not JSON"),
        ("csv", f"{HEAD}CASE,KEY,relevant,Ann,\nCASE,KEY,fine,Ann,\n", "verdicts.csv, line 3: unknown"),
        ("xls", HEAD, "unknown format 'xls'"),
    ],
)  # fmt: skip
def test_a_hostile_file_is_a_calm_line_and_nothing_is_kept(
    ann: Caller,
    keep: Keep,
    uploads: Path,
    store: ReviewStore,
    format_: str,
    content: str | bytes,
    expected: str,
) -> None:
    case = keep()
    queue = ann.made()
    key = ann.first(queue)["key"]
    data = content if isinstance(content, bytes) else content.encode()
    data = data.replace(b"CASE", case.encode()).replace(b"KEY", key.encode())
    told = ann("verdicts-in", queue=queue, format=format_, file=sent(uploads, data))["error"]
    assert expected in told
    assert str(uploads) not in told
    assert "/tmp" not in told
    assert said(store) == []


@pytest.mark.parametrize(
    "file",
    [
        {"key": "../../etc/passwd", "name": "x"},
        {"key": "0" * 24 + "/0", "name": "gone.csv"},
        {"key": "0" * 24 + "/0", "name": "x", "path": "/etc/passwd"},
    ],
)
def test_a_file_that_was_not_sent_is_none(ann: Caller, keep: Keep, file: object) -> None:
    keep()
    queue = ann.made()
    assert "error" in ann("verdicts-in", queue=queue, format="csv", file=file)
