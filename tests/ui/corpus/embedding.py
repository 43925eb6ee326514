"""Corpora of visitors whose vectors are made, waited for."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from tests.ui.corpus.conftest import ACT, VISITOR, Caller, ended, sent
from tests.ui.corpus.toy_model import LONGEST, Toy
from ui.corpus.access import CorpusDesk
from ui.server.jobs import Owner

# Requests in which some of a corpus is read: how long a vector is, then a law's texts and its headings.
READS = 6
# Of a corpus that is read in several times as many requests.
LAWS = 10


def law(number: int, articles: int = 8) -> str:
    lines = "\n\n".join(
        f"#### Article {n}\n\nVessel {number} obeys rule {n} of the port." for n in range(articles)
    )
    return f"---\nid: law-{number}\ntitle: Law {number}\nlanguage: en\n---\n\n# Law {number}\n\n{lines}\n"


def uploaded(desk: CorpusDesk, uploads: Path, name: str = "New", **files: str) -> Caller:
    new = Caller(desk, VISITOR, "")
    job = new.good("create", name=name, files=sent(uploads, **(files or {"act": ACT})))["job"]
    assert ended(new, job)["state"] == "done"
    return Caller(desk, VISITOR, name)


def written(
    desk: CorpusDesk, sources: Path, name: str = "New", visitor: str = VISITOR, **files: str
) -> Caller:
    """The same without the process that reads it."""
    folder, here = desk.books.place_for(name, visitor), sources / f"{visitor}-{name}"
    here.mkdir(parents=True)
    for title, text in (files or {"act": ACT}).items():
        (here / f"{title}.md").write_text(text, encoding="utf-8")
    build_corpus([here], folder, name=name, embedding="none")
    desk.vectors.written(folder.absolute(), Owner(visitor))
    return Caller(desk, visitor, name)


def many(count: int = LAWS) -> dict[str, str]:
    return {f"law{number}": law(number) for number in range(count)}


def until(caller: Caller, true: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    deadline = time.monotonic() + 2 * LONGEST
    while not true(told := caller.good("vectors")):
        assert time.monotonic() < deadline, told
        time.sleep(0.05)
    return told


def folder_of(caller: Caller) -> Path:
    return caller.desk.books.find(caller.corpus, caller.visitor).folder.absolute()


def reading(told: dict[str, Any]) -> bool:
    return bool(told["state"] == "going" and 0 < (told["share"] or 0) < 1)


def is_done(told: dict[str, Any]) -> bool:
    return bool(told["state"] == "done")


def in_the_middle(desk: CorpusDesk, sources: Path, toy: Toy) -> Caller:
    """A corpus of which some has been read, and no more is."""
    mine = written(desk, sources, **many())
    toy.let(READS)
    until(mine, reading)
    return mine


def whole(desk: CorpusDesk, caller: Caller) -> Corpus:
    """The corpus, every passage of which has its vector."""
    corpus = desk.books.corpus(caller.corpus, caller.visitor)
    assert corpus.vectors(np.arange(len(corpus), dtype=np.int32)).any(axis=1).all()
    return corpus
