"""From a ranking to what a person reads."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import orjson

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from engine.investigation.pool import Reading
from engine.investigation.presentation import SHORTEST_SAME, TRAILS_SHOWN, group_identical, present
from engine.model import Passage
from tests.engine.harbour import QUESTION
from tests.engine.investigation.story import SETTINGS, finished


def test_each_passage_comes_with_everything_that_explains_it(harbour: Corpus) -> None:
    case = finished(harbour, QUESTION, SETTINGS.changed(rounds=3))
    titles = {document.id: document.title for document in harbour.documents()}
    for ranked in case.ranking:
        assert ranked.document.id == ranked.passage.document_id
        assert ranked.document.title == titles[ranked.document.id]
        assert 1 <= len(ranked.trails) <= TRAILS_SHOWN
        assert ranked.breakdown
        by_scan = any(hop.strategy == "scan" for trail in ranked.trails for hop in trail[-1:])
        assert bool(ranked.hits) or not by_scan


def test_the_limit_of_passages_is_that_of_the_settings(harbour: Corpus) -> None:
    case = finished(harbour, QUESTION)
    assert case.order is not None
    assert case.scanned is not None
    shown = present(case.order, case.pool, harbour, Reading(harbour), case.scanned.hits, 2)
    assert [ranked.rank for ranked in shown] == [1, 2]
    assert [r.passage.id for r in shown] == [r.passage.id for r in case.ranking[:2]]


def test_at_most_so_many_passages_of_one_document_are_ranked(harbour: Corpus) -> None:
    case = finished(harbour, QUESTION)
    every = [ranked.document.id for ranked in case.ranking]
    assert max(Counter(every).values()) > 1
    last = case.ranking[-1].passage.id
    limited = finished(harbour, QUESTION, SETTINGS.changed(per_document=1))
    assert set(Counter(ranked.document.id for ranked in limited.ranking).values()) == {1}
    assert limited.ranking[0].passage == case.ranking[0].passage
    limited.pin(last)
    assert last in {ranked.passage.id for ranked in limited.ranking}, "a pinned passage always stays"


def test_passages_are_read_once(harbour: Corpus) -> None:
    reading = Reading(harbour)
    rows = harbour.rows(["dues-act/art-5", "dues-act/art-1", "dues-act/art-5"])
    first = reading.passages(rows)
    assert reading.ids(rows) == ["dues-act/art-5", "dues-act/art-1", "dues-act/art-5"]
    assert first[0] is first[2] is reading.passages(rows)[0]


def test_passages_with_the_same_words_know_each_other() -> None:
    long = "Dues in arrears bear interest of one per cent for each month."
    texts = {"a": long, "b": f"  {long.upper()}\n", "c": long + " Or more.", "d": "Deleted.", "e": "Deleted."}
    assert len(long) >= SHORTEST_SAME > len(texts["d"])
    passages = [Passage(name, "act", None, 0, text) for name, text in texts.items()]
    assert group_identical(passages) == {"a": ("a", "b"), "b": ("a", "b")}


def test_the_same_words_in_two_acts_are_two_passages_that_name_each_other(tmp_path: Path) -> None:
    lines = [
        {"id": name, "title": name, "text": text, "metadata": {"regulation": name, "language": "en"}}
        for name, text in (
            ("act", "A pilot who acts with gross negligence is liable for the damage."),
            ("code", "A pilot who acts with gross negligence is liable for the damage."),
            ("other", "A pilot keeps a log of every vessel that was brought into the harbour."),
        )
    ]
    (tmp_path / "corpus.jsonl").write_bytes(b"\n".join(orjson.dumps(line) for line in lines))
    build_corpus([tmp_path / "corpus.jsonl"], tmp_path / "corpus", embedding="none")
    case = finished(open_corpus(tmp_path / "corpus"), "Is the pilot liable for damage?")
    assert {ranked.passage.id: ranked.same_words for ranked in case.ranking} == {
        "act": ("code",),
        "code": ("act",),
        "other": (),
    }
