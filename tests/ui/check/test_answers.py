"""The one door of the Check view: every request answered, every error a line."""

from __future__ import annotations

import base64
import time
from datetime import date
from pathlib import Path
from typing import Any

import orjson
import pytest

from engine.answers.audit import Finding
from engine.answers.audit.claims import LONGEST_TEXT
from engine.corpus import open_corpus
from engine.errors import InputError
from engine.ingestion.build import build_corpus
from ui.asked import checked
from ui.check.answers import CheckDesk, answer
from ui.check.api import Auditing, audited
from ui.connections import Connections
from ui.shelf import Library, open_library

LAW = """---
id: harbour
title: Harbour Act
language: en
---

# Harbour Act

#### Article 1 Fees

(1) The master of a vessel shall pay the harbour fee within ten days of arrival.
"""
WRONG = "The master must pay the harbour fee of a vessel within 20 days of arrival."


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
        told = answer(desk, {"do": "poll", "visitor": "v", "job": job})
        if told.get("state") != "running":
            return told
        time.sleep(0.05)
    raise AssertionError("the check did not end")


def test_a_text_is_checked(desk: CheckDesk) -> None:
    offered = answer(desk, {"do": "offer", "visitor": "v"})
    assert offered["corpora"] == ["harbour"]
    assert offered["model"] == ""
    assert len(offered["findings"]) == len(Finding)
    started = answer(desk, {"do": "start", "visitor": "v", "corpus": "harbour", "text": WRONG})
    told = followed(desk, started["job"])
    assert told["state"] == "done"
    assert told["audit"]["counts"]["contradicted"] == 1
    assert set(told["files"]) == {"md", "html", "txt", "json", "log"}


def test_nobody_sees_the_check_of_another(desk: CheckDesk) -> None:
    job = answer(desk, {"do": "start", "visitor": "v", "corpus": "harbour", "text": WRONG})["job"]
    assert "not known" in answer(desk, {"do": "poll", "visitor": "w", "job": job})["error"]
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
def test_what_is_wrong_is_told(desk: CheckDesk, request_: dict[str, Any], words: str) -> None:
    assert words in answer(desk, request_)["error"]


def test_a_heading_alone_fails_with_words(desk: CheckDesk) -> None:
    job = answer(desk, {"do": "start", "visitor": "v", "corpus": "harbour", "text": "# Memo"})["job"]
    told = followed(desk, job)
    assert told["state"] == "failed"
    assert "no claim" in told["message"]


def test_a_file_becomes_text(desk: CheckDesk) -> None:
    data = base64.b64encode("Die Gebühr.".encode()).decode()
    for name in ("memo.txt", "../../memo.txt"):
        told = answer(desk, {"do": "read", "file": {"name": name, "data": data}})
        assert told == {"text": "Die Gebühr.", "note": ""}
    long = base64.b64encode(b"x" * (LONGEST_TEXT + 1)).decode()
    told = answer(desk, {"do": "read", "file": {"name": "long.txt", "data": long}})
    assert len(told["text"]) == LONGEST_TEXT
    assert told["note"] == "long.txt: only the first 60,000 of its 60,001 characters are taken here"


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
        checked(Auditing, {"text": WRONG} | given)


def test_the_endpoint_gives_the_same(library: Library, tmp_path: Path) -> None:
    told = audited(library, Auditing(text=WRONG, day=date(2024, 6, 1)))
    assert told["claims"][0]["finding"] == "contradicted"
    assert told["day"] == "2024-06-01"


def test_nothing_is_hidden_in_what_is_shown_and_the_files_have_it_as_it_is(tmp_path: Path) -> None:
    law = LAW.replace("harbour fee", "harbour \u202eeef\u202c").replace("Harbour Act", "Harbour\u200bAct")
    (tmp_path / "harbour.md").write_text(law, encoding="utf-8")
    build_corpus([tmp_path / "harbour.md"], tmp_path / "corpus", name="harbour", embedding="none")
    desk = CheckDesk(Library([tmp_path / "corpus"]), Connections())
    text = WRONG.replace("vessel", "ves\u200bsel")
    started = answer(desk, {"do": "start", "visitor": "v", "corpus": "harbour", "text": text})
    assert [text[place] for place in started["hidden"]] == ["\u200b"]
    told = followed(desk, started["job"])
    for claims in (told["claims"], told["final"]):
        shown = orjson.dumps(claims).decode()
        assert "\u202e" not in shown
        assert "\u200b" not in shown
        assert "⟦U+202E⟧" in "".join(text for text, _ in claims[0]["sources"][0]["quote"])
    assert "\u202e" in told["audit"]["claims"][0]["sources"][0]["quote"]
    assert all("\u202e" not in file for file in told["files"].values())
