"""Corpora with enough headings to tell subjects apart, each built once."""

from __future__ import annotations

from random import Random

import pytest

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus

SUBJECTS = {
    "Fishing licences": "fishing licence vessel nets catch season quota trawl cod herring angler fleet",
    "Harbour pilots": "pilot tanker breakwater pilotage tonnage mooring tug fairway draught anchorage",
    "Customs duties": "customs duty import cargo officer container tariff seal bond warehouse manifest",
    "Crew contracts": "seafarer wages leave employment master repatriation crew articles discharge rest",
}
TITLES = ("Application for {}", "Register of {}", "Fees for {}", "Inspection of {}", "Withdrawal of {}")


def subject_act(number: int) -> str:
    """An act with one chapter a subject and five articles a chapter, and the usual frame around them."""
    random = Random(number)
    lines = ["---", f"id: act-{number}", f"title: Maritime Act {number}", "language: en", "---", "# Act"]
    lines += ["## General provisions", "#### Article 1 Definitions", "", "(1) Words have their meaning.", ""]
    article = 1
    for subject, listed in SUBJECTS.items():
        words = listed.split()
        lines.append(f"## {subject}")
        for title in TITLES:
            article += 1
            text = " ".join(
                f"The {random.choice(words)} of the {random.choice(words)} is kept." for _ in range(4)
            )
            lines += [f"#### Article {article} {title.format(subject.lower())}", "", f"(1) {text}", ""]
    return "\n".join([*lines, "## Final provisions", "#### Article 99 Entry into force", "", "(1) Now.", ""])


@pytest.fixture(scope="session")
def maritime(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    root = tmp_path_factory.mktemp("maritime")
    (root / "sources").mkdir()
    for number in (1, 2, 3):
        (root / "sources" / f"act-{number}.md").write_text(subject_act(number), encoding="utf-8")
    build_corpus([root / "sources"], root / "corpus", embedding="none")
    return open_corpus(root / "corpus")
