"""The one door of the Check view: every request answered, every error a line."""

from __future__ import annotations

import base64
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import gradio as gr
import orjson
import pytest

from engine.access.users import Person, Role
from engine.answers.audit import Auditor, Finding
from engine.answers.audit.claims import LONGEST_TEXT
from engine.answers.audit.record import LOW_GRADE, key_of
from engine.corpus import open_corpus
from engine.corpus.judgements import load_confirmations
from engine.errors import CancelledError, InputError
from engine.ingestion.build import build_corpus
from engine.model import Grade
from engine.verbs.answers import AuditText, audit_text
from engine.verbs.verb import parse_request
from tests.hostile_files import texts
from tests.memory import peak_memory
from tests.tables import table
from tests.ui.callers import called
from ui.calls import answer
from ui.cases.storage import KeptCases
from ui.check import CALLS, CheckDesk
from ui.models.connections import Connections
from ui.shelf import Library, open_library
from ui.tools.caller import ServerCaller, Services

LAW: str = table(__file__, "LAW")
WRONG = "The master of a vessel must pay the harbour fee within 20 days of arrival."


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    folder = tmp_path_factory.mktemp("check")
    (folder / "harbour.md").write_text(LAW, encoding="utf-8")
    build_corpus([folder / "harbour.md"], folder / "corpus", name="harbour", embedding="none")
    assert len(open_corpus(folder / "corpus")) == 1
    return open_library([folder / "corpus"])


@pytest.fixture
def desk(library: Library) -> CheckDesk:
    return CheckDesk(library, Connections())


def followed(desk: CheckDesk, job: str) -> dict[str, Any]:
    for _ in range(400):
        told = answer(desk, CALLS, {"do": "poll", "visitor": "v", "job": job})
        if told.get("state") != "running":
            return told
        time.sleep(0.05)
    raise AssertionError("the check did not end")


def test_a_text_is_checked(desk: CheckDesk) -> None:
    offered = answer(desk, CALLS, {"do": "offer", "visitor": "v"})
    assert offered["corpora"] == ["harbour"]
    assert offered["model"] == ""
    assert {one["key"] for one in offered["findings"]} == {*map(key_of, Finding), LOW_GRADE}
    started = answer(desk, CALLS, {"do": "start", "visitor": "v", "corpus": "harbour", "text": WRONG})
    told = followed(desk, started["job"])
    assert told["state"] == "done"
    assert told["audit"]["counts"]["contradicted"] == 1
    assert set(told["files"]) == {"md", "html", "txt", "json", "log"}


def test_a_check_is_not_visible_to_other_users(desk: CheckDesk) -> None:
    job = answer(desk, CALLS, {"do": "start", "visitor": "v", "corpus": "harbour", "text": WRONG})["job"]
    assert "not known" in answer(desk, CALLS, {"do": "poll", "visitor": "w", "job": job})["error"]
    followed(desk, job)


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ({"do": "start", "visitor": "v", "corpus": "harbour", "text": " "}, "no text"),
        ({"do": "start", "corpus": "harbour", "text": WRONG}, "who is asking"),
        ({"do": "start", "visitor": "v", "corpus": "harbour", "text": WRONG, "grade": 3}, "grade"),
        ({"do": "start", "visitor": "v", "corpus": "harbour", "text": WRONG, "day": "soon"}, "day"),
        ({"do": "read", "visitor": "v"}, "no file"),
        ({"do": "read", "visitor": "v", "file": {"name": "a.txt", "data": "?"}}, "arrive whole"),
        (
            {"do": "start", "visitor": "v", "text": "x" * 60_001},
            "text: longer than the 60,000",
        ),
        ({"do": "fly"}, "unknown request"),
        ({"do": "fly" * 100}, "do: longer than the 80 characters"),
        ({"do": "offer", "more": 1}, "more"),
    ],
)
def test_a_wrong_value_is_reported(desk: CheckDesk, request_: dict[str, Any], words: str) -> None:
    assert words in answer(desk, CALLS, request_)["error"]


def test_a_file_becomes_text(desk: CheckDesk) -> None:
    data = base64.b64encode("Die Gebühr.".encode()).decode()
    for name in ("memo.txt", "../../memo.txt"):
        told = answer(desk, CALLS, {"do": "read", "file": {"name": name, "data": data}})
        assert told == {"text": "Die Gebühr.", "note": ""}
    long = base64.b64encode(b"x" * (LONGEST_TEXT + 1)).decode()
    told = answer(desk, CALLS, {"do": "read", "file": {"name": "long.txt", "data": long}})
    assert len(told["text"]) == LONGEST_TEXT
    assert told["note"] == "long.txt: only the first 60,000 of its 60,001 characters are taken here"


def test_a_small_file_costs_the_server_no_gigabytes(desk: CheckDesk) -> None:
    """A page whose stream is deflated twice: a few kilobytes that stand for three gigabytes."""
    file = {"name": "memo.pdf", "data": base64.b64encode(texts()["deflated twice.pdf"]).decode()}
    peak_memory()
    before = peak_memory()
    told = answer(desk, CALLS, {"do": "read", "visitor": "v", "file": file})
    assert told["error"].startswith("memo.pdf: ")
    assert peak_memory() - before < 100_000_000


def test_a_reading_that_is_not_there_is_cancelled_without_a_word(desk: CheckDesk) -> None:
    assert answer(desk, CALLS, {"do": "cancel", "visitor": "v"}) == {}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"text": "x" * 60_001}, "text: longer than the 60,000"),
        ({"corpus": "x" * 201}, "corpus: longer"),
        ({"grade": 2}, "grade"),
        ({"day": "soon"}, "day"),
        ({"more": 1}, "more: not known here"),
    ],
)
def test_the_endpoint_names_what_is_wrong(given: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        parse_request(AuditText, {"text": WRONG} | given)


def test_the_endpoint_gives_the_same(library: Library, tmp_path: Path) -> None:
    told = called(audit_text, library, Person(), text=WRONG, day=date(2024, 6, 1))
    assert told["claims"][0]["finding"] == "contradicted"
    assert told["day"] == "2024-06-01"


def test_a_program_that_hangs_up_ends_its_check_at_the_next_claim(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = 32
    text = "\n".join(WRONG.replace("20", str(20 + number)) for number in range(claims))

    def meters(after: int) -> tuple[ServerCaller, list[int]]:
        """A call whose caller hangs up behind so many claims, and how often it was looked at."""
        looked: list[int] = []

        @contextmanager
        def waiting(asking: ServerCaller, cancel: Callable[[], None]) -> Iterator[None]:
            def look(auditor: Auditor) -> None:
                looked.append(1)
                if len(looked) > after:
                    cancel()
                stopped(auditor)

            with monkeypatch.context() as patched:
                patched.setattr(Auditor, "_stopped", look)
                yield

        stopped = vars(Auditor)["_stopped"]
        monkeypatch.setattr(ServerCaller, "waiting", waiting)
        place = Services(library, Connections(), KeptCases(library.settings, None))
        return ServerCaller(place, Person(), gr.Request()), looked

    for after in range(claims):
        asking, looked = meters(after)
        with pytest.raises(CancelledError):
            audit_text.call(asking, AuditText(text=text))
        assert len(looked) == after + 1
    asking, looked = meters(claims + 1)
    monkeypatch.setattr("engine.verbs.answers.LONGEST_CHECK", -1.0)
    with pytest.raises(CancelledError):
        audit_text.call(asking, AuditText(text=text))


def test_nothing_is_hidden_in_what_is_shown_and_the_files_have_it_as_it_is(tmp_path: Path) -> None:
    law = LAW.replace("harbour fee", "harbour \u202eeef\u202c").replace("Harbour Act", "Harbour\u200bAct")
    (tmp_path / "harbour.md").write_text(law, encoding="utf-8")
    build_corpus([tmp_path / "harbour.md"], tmp_path / "corpus", name="harbour", embedding="none")
    desk = CheckDesk(Library([tmp_path / "corpus"]), Connections())
    text = WRONG.replace("vessel", "ves\u200bsel")
    started = answer(desk, CALLS, {"do": "start", "visitor": "v", "corpus": "harbour", "text": text})
    assert [text[place] for place in started["hidden"]] == ["\u200b"]
    told = followed(desk, started["job"])
    for claims in (told["claims"], told["final"]):
        shown = orjson.dumps(claims).decode()
        assert "\u202e" not in shown
        assert "\u200b" not in shown
        assert "⟦U+202E⟧" in "".join(text for text, _ in claims[0]["sources"][0]["quote"])
    assert "\u202e" in told["audit"]["claims"][0]["sources"][0]["quote"]
    # JSON is for programs, which count its characters.
    assert all("\u202e" not in file for name, file in told["files"].items() if name != "json")


REVIEWER = Person("r" * 32, Role.REVIEWER, name="Ada")


@pytest.fixture
def copied(library: Library, tmp_path: Path) -> Library:
    folder = shutil.copytree(library.find(None).folder, tmp_path / "harbour")
    return open_library([folder])


def as_(desk: CheckDesk, person: Person, **request: Any) -> dict[str, Any]:
    return answer(desk, CALLS, request, lambda token: person)


def ended(desk: CheckDesk, person: Person, text: str = WRONG) -> tuple[str, dict[str, Any]]:
    job = as_(desk, person, do="start", corpus="harbour", text=text)["job"]
    for _ in range(400):
        told = as_(desk, person, do="poll", job=job)
        if told["state"] not in ("running", "waiting"):
            return job, told
        time.sleep(0.05)
    raise AssertionError("the check did not end")


def test_a_verdict_is_confirmed_overruled_and_taken_back(copied: Library) -> None:
    desk = CheckDesk(copied, Connections())
    job, told = ended(desk, REVIEWER)
    assert told["reviewing"]
    assert told["signed"]
    told = as_(desk, REVIEWER, do="review", job=job, act="confirm", claim="1", name="Somebody <b>else</b>")
    assert told["log"][0]["said"].startswith("Confirmed by Ada, ")
    assert "Confirmed by Ada" in told["files"]["md"]
    assert "Appendix: verification log" in told["files"]["txt"]
    assert "folder" not in told
    told = as_(desk, REVIEWER, do="review", job=job, act="undo", claim="1")
    assert told["log"][0]["said"] == ""
    as_(desk, REVIEWER, do="review", job=job, act="overrule", claim="1", instead="related", note="<i>hm</i>")
    _, again = ended(desk, REVIEWER, f"Hello.\n\n{WRONG}")
    assert again["log"][0]["review"] == "overruled"
    assert "&lt;i&gt;hm" in again["files"]["html"]


def test_a_visitor_neither_says_anything_of_a_verdict_nor_learns_what_was_said(copied: Library) -> None:
    desk = CheckDesk(copied, Connections())
    job, _ = ended(desk, REVIEWER)
    as_(desk, REVIEWER, do="review", job=job, act="confirm", claim="1")
    vera = Person("v" * 32, Role.VISITOR, name="vera")
    own, told = ended(desk, vera)
    assert not told["reviewing"]
    assert told["log"][0]["said"] == ""
    assert "Ada" not in str(told["files"])
    for act in ("confirm", "overrule", "undo"):
        refused = as_(desk, vera, do="review", job=own, act=act, claim="1", instead="related")
        assert "confirmed by its reviewers" in refused["error"]
    assert "not known" in as_(desk, vera, do="review", job=job, act="confirm", claim="1")["error"]
    claimed = as_(desk, vera, do="review", job=own, act="confirm", claim="1", name="Ada")
    assert "confirmed by its reviewers" in claimed["error"]
    assert len(load_confirmations(copied.find(None).folder)) == 1
    told_over_http = called(audit_text, copied, Person(), text=WRONG)
    assert told_over_http["verification_log"]["entries"][0]["review"] is None
    mine = called(audit_text, copied, Person(role=Role.REVIEWER), text=WRONG)
    assert mine["verification_log"]["entries"][0]["review"]["reviewer"] == "Ada"


def test_a_grade_over_http_is_a_letter() -> None:
    assert parse_request(AuditText, {"text": WRONG, "grade": "b"}).grade is Grade.B
    assert parse_request(AuditText, {"text": WRONG, "grade": ""}).grade is None
    wrongs: tuple[Any, ...] = (0.8, "0.8", "none", "AB", "x" * 10_000, [], True)
    for wrong in wrongs:
        with pytest.raises(InputError, match="grade: Input should be 'A', 'B', 'C', 'D' or 'E'"):
            parse_request(AuditText, {"text": WRONG, "grade": wrong})
