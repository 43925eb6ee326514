"""Two records side by side: what differs, only that, and because of what."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import orjson
import pytest

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from engine.investigation import Case
from engine.records.comparing import Comparison, compare, comparison_lines, comparison_to_json, without_times
from engine.records.conversion import investigation_to_json
from engine.settings import InvestigationSettings, preset
from tests.engine.harbour import OLD_ARTICLE_12, QUESTION, write_harbour
from tests.engine.investigation.story import SETTINGS, finished, record_of

Record = dict[str, Any]
# What tells one hop from another.
WAYS = ("source", "target", "strategy", "relation", "direction")


def asked(corpus: Corpus, settings: InvestigationSettings, question: str = QUESTION) -> Record:
    return record_of(finished(corpus, question, settings, None))


@pytest.fixture(scope="module")
def record(bare: Corpus) -> Record:
    return record_of(finished(bare, QUESTION, SETTINGS, None))


def told(found: Comparison, numbers: tuple[int, ...]) -> list[tuple[str, str]]:
    return [(found.causes[number].kind, found.causes[number].about) for number in numbers]


def test_times_alone_do_not_differ(record: Record) -> None:
    later = deepcopy(record)
    later["started"], later["milliseconds"] = "2030-01-01T00:00:00+00:00", 1.0
    later["rounds"][0]["milliseconds"] = 1.0
    found = compare(record, later)
    assert found.same
    assert list(comparison_lines(found)) == ["The same to the last digit."]
    plain = comparison_to_json(found)
    assert plain.pop("same") is True
    assert plain.pop("pool") == {"came": [], "went": []}
    assert not any(plain.values())


def test_a_record_that_was_not_kept_yet_is_compared_as_one_that_was(meridia: Corpus) -> None:
    case = Case(meridia, "May a manager appoint an agent?", preset("quick"))
    list(case.run())
    fresh = investigation_to_json(case.investigation())
    assert compare(orjson.loads(orjson.dumps(fresh)), fresh) == compare(fresh, fresh)


def test_the_last_digit_of_a_score_is_seen(record: Record) -> None:
    other = deepcopy(record)
    last = other["passages"][-1]
    last["score"] += 1e-6
    found = compare(record, other)
    assert not found.same
    assert (found.came, found.went, found.moved, found.settings) == ((), (), (), ())
    assert [(one.id, one.before, one.after) for one in found.rescored] == [
        (last["id"], record["passages"][-1]["score"], last["score"])
    ]
    assert next(comparison_lines(found)) == "The ranking is the same; figures or trails differ."
    # Nothing else differs: it is not put down to anything that was given.
    assert told(found, found.rescored[0].causes) == [("engine", "")]


def test_a_passage_that_went_and_those_that_moved(record: Record) -> None:
    other = deepcopy(record)
    gone = other["passages"].pop(0)
    for passage in other["passages"]:
        passage["rank"] -= 1
    there = compare(record, other)
    back = compare(other, record)
    assert [move.id for move in there.went] == [move.id for move in back.came] == [gone["id"]]
    assert (there.went[0].before, there.went[0].after) == (1, None)
    assert there.went[0].why.startswith("in both pools, with a different rank: ")
    assert [(move.before, move.after) for move in there.moved] == [
        (passage["rank"] + 1, passage["rank"]) for passage in other["passages"]
    ]
    assert (there.came, there.pool_came, there.pool_went, there.links) == ((), (), (), ())
    assert comparison_to_json(there)["went"][0]["id"] == gone["id"]


def test_the_thread_that_is_off_is_why_what_it_brought_is_gone(bare: Corpus) -> None:
    record = asked(bare, preset("detective"))
    less = preset("detective").changed(strategies=("citations",))
    found = compare(record, asked(bare, less), corpora=(bare, bare))
    assert [one.name for one in found.settings] == ["strategies"]
    assert found.went
    assert all(told(found, move.causes) == [("setting", "strategies")] for move in found.went)
    lost = [one for one in found.links if one.change == "gone"]
    assert lost
    assert all(told(found, one.causes) == [("setting", "strategies")] for one in lost)
    pools = [{node["id"] for node in one["pool"]["nodes"]} for one in (record, asked(bare, less))]
    assert {one.id for one in found.pool_went} == pools[0] - pools[1]
    assert {one.id for one in found.pool_came} == pools[1] - pools[0]


def test_fewer_are_shown_because_fewer_were_asked_for(bare: Corpus) -> None:
    most, few = preset("balanced"), preset("balanced").changed(top_k=3)
    found = compare(asked(bare, most), asked(bare, few), corpora=(bare, bare))
    assert [one.name for one in found.settings] == ["top_k"]
    assert found.went
    assert {about for move in found.went for _, about in told(found, move.causes)} == {"top_k"}
    assert (found.came, found.moved, found.links) == ((), (), ())


def test_on_another_corpus_documents_came_and_went(bare: Corpus, meridia: Corpus) -> None:
    record = asked(bare, preset("quick"))
    other = asked(meridia, preset("quick"))
    found = compare(record, other, corpora=(bare, meridia))
    assert [one.name for one in found.settings] == ["corpus"]
    assert found.went
    assert found.came
    assert {kind for move in (*found.went, *found.came) for kind, _ in told(found, move.causes)} == {
        "document"
    }
    alone = compare(record, other)
    assert {kind for move in alone.went for kind, _ in told(alone, move.causes)} == {"setting"}


def test_two_days_show_two_versions(bare: Corpus) -> None:
    old, new = (preset("quick").changed(as_of=f"{year}-06-01") for year in (2015, 2024))
    found = compare(asked(bare, old), asked(bare, new), corpora=(bare, bare))
    assert [one.name for one in found.settings] == ["as_of"]
    assert OLD_ARTICLE_12 in [move.id for move in found.went]
    assert {about for move in (*found.went, *found.came) for _, about in told(found, move.causes)} == {
        "as_of"
    }


def test_a_step_is_why_a_passage_is_out(bare: Corpus) -> None:
    case = finished(bare, QUESTION, SETTINGS, None)
    record = record_of(case)
    first = record["passages"][0]
    case.dismiss(first["id"])
    found = compare(record, record_of(case), corpora=(bare, bare))
    # Others were shown joined with it, or had less room beside it.
    assert first["id"] in [move.id for move in found.went]
    for causes in differences(found):
        assert told(found, causes) == [("step", first["id"])]
    assert "was dismissed" in found.went[0].why
    list(case.follow(first["id"], ["metadata"]))
    further = compare(record, record_of(case), corpora=(bare, bare))
    assert {cause.about for cause in further.causes} == {
        first["id"],
        f"round {case.rounds[-1].number}",
    }


EDITS = {
    "words": ("Dues are paid in advance for each day", "Dues are paid in arrears for every night"),
    "link": ("Against it an objection under Article 11 is open.", "There is no remedy against it."),
    "new link": ("The Minister appoints", "Subject to Article 10, the Minister appoints"),
    "dates": ("{valid_from=2019-01-01}", "{valid_from=2019-01-01 valid_to=2021-12-31}"),
    "deleted": (
        "### Article 10 Fines\n\nWhoever moors without a berth allocated under Article 3 is fined up to two "
        "thousand crowns.\n",
        "",
    ),
}
ARTICLES = {
    "words": ("dues-act/art-2",),
    "link": ("harbour-act/art-5",),
    "new link": ("harbour-act/art-4",),
    "dates": ("harbour-act/art-12@2019-01-01",),
    "deleted": ("harbour-act/art-10",),
}


def edited(folder: Path, edits: dict[str, str]) -> Corpus:
    """The harbour's law with some passages of its sources put otherwise."""
    sources = write_harbour(folder / "sources", ontology=False)
    for path in sources.rglob("*.md"):
        text = path.read_text(encoding="utf-8")
        for old, new in edits.items():
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")
    build_corpus([sources], folder / "corpus", embedding="none", name="bare")
    return open_corpus(folder / "corpus")


def differences(found: Comparison) -> Iterator[tuple[int, ...]]:
    """The causes of each difference that has some."""
    for group in (
        *(found.came, found.went, found.moved, found.other_words, found.altered, found.rescored),
        *(found.pool_came, found.pool_went, found.links),
    ):
        yield from (one.causes for one in group)


def unnamed(before: Record, after: Record, found: Comparison) -> set[str]:
    """Passages, hops and other values that differ and that the comparison does not name."""
    left: set[str] = set()
    old, new = ({one["id"]: one for one in each["passages"]} for each in (before, after))
    groups = found.came, found.went, found.moved, found.other_words, found.altered, found.rescored
    named = {one.id for group in groups for one in group}
    left |= {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)} - named
    pools = [{node["id"] for node in each["pool"]["nodes"]} for each in (before, after)]
    left |= (pools[0] ^ pools[1]) - {one.id for one in (*found.pool_came, *found.pool_went)}
    left |= _differing_hops(before, after) - {
        str(tuple(getattr(one, way) for way in WAYS)) for one in found.links
    }
    told = {figure.name.split(".")[0] for figure in found.figures} | {one.name for one in found.settings}
    elsewhere = {"passages", "pool", "settings", "started", "milliseconds", "usage"}
    left |= {
        key
        for key in before
        if key not in elsewhere and without_times({key: before[key]}) != without_times({key: after.get(key)})
    } - told
    return left


def _differing_hops(before: Record, after: Record) -> set[str]:
    both = []
    for record in (before, after):
        hops: dict[str, list[Record]] = {}
        for hop in record["pool"]["edges"]:
            hops.setdefault(str(tuple(hop[way] for way in WAYS)), []).append(hop)
        both.append(hops)
    return {ends for ends in both[0].keys() | both[1].keys() if both[0].get(ends) != both[1].get(ends)}


def is_of(about: str, articles: tuple[str, ...]) -> bool:
    """Whether what a cause is about is one of some articles, or a part of one; a link by one of its ends."""
    return any(part.startswith(article) for part in about.split(" ") for article in articles)


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("at_hand", ["both corpora", "the new one", "none"])
def test_one_edited_article_is_what_all_comes_from(
    bare: Corpus, tmp_path: Path, edit: str, at_hand: str
) -> None:
    settings = preset("detective").changed(as_of="2023-01-01") if edit == "dates" else preset("detective")
    other = edited(tmp_path, dict([EDITS[edit]]))
    before, after = asked(bare, settings), asked(other, settings)
    corpora = {"both corpora": (bare, other), "the new one": (None, other), "none": (None, None)}[at_hand]
    found = compare(before, after, corpora=corpora, states=("one", "other"))
    assert not found.same
    assert not found.settings
    assert unnamed(before, after, found) == set()
    for causes in differences(found):
        assert causes
    if at_hand == "both corpora":
        assert {cause.kind for cause in found.causes} <= {"words", "link", "passage", "dates"}
        assert all(is_of(cause.about, ARTICLES[edit]) for cause in found.causes), found.causes
    links = [cause for cause in found.causes if cause.kind == "link"]
    assert all(is_of(cause.about, ARTICLES[edit]) for cause in links), links
    texts = {passage["id"]: passage["text"] for passage in before["passages"]}
    reworded = [one.id for one in found.other_words]
    assert all(texts[name] != one["text"] for one in after["passages"] if (name := one["id"]) in reworded)


def test_what_went_with_a_link_says_which(bare: Corpus, tmp_path: Path) -> None:
    settings = preset("balanced").changed(strategies=("citations",))
    other = edited(tmp_path, dict([EDITS["link"]]))
    found = compare(asked(bare, settings), asked(other, settings), corpora=(bare, other))
    lost = [one for one in found.links if one.change == "gone" and one.strategy == "citations"]
    assert {(one.source, one.target) for one in lost} >= {
        ("harbour-act/art-5/para-2", "harbour-act/art-11/para-1")
    }
    assert all(told(found, one.causes)[0][0] == "link" for one in lost)
    assert all("is no longer there" in found.causes[one.causes[0]].words for one in lost)


def test_what_a_record_says_of_chance_is_named(record: Record) -> None:
    for change, words in (
        ({"model": "openai:m@u", "usage": {"sub-questions": {}}}, "a language model was asked"),
        ({"stop": {**record["stop"], "reason": "time"}}, "its budget of time"),
        ({"stop": {**record["stop"], "reason": "person"}}, "a user stopped it"),
    ):
        found = compare({**record, **change}, record)
        assert [why for why in found.inexact if words in why], words
    assert compare(record, record).inexact == ()


@pytest.mark.parametrize("rounds", [0, 2])
def test_a_case_that_carried_on_is_no_case_of_its_own(bare: Corpus, rounds: int) -> None:
    first = finished(bare, QUESTION, SETTINGS.changed(rounds=rounds))
    case = Case(bare, QUESTION, SETTINGS, pool=first.pool)
    list(case.run())
    (why,) = compare(record_of(case), record_of(case)).inexact
    assert "continued from the pool of a saved case" in why


def test_a_record_of_an_older_format_is_compared_in_what_both_have(record: Record) -> None:
    old = deepcopy(record)
    old["format"] = 1
    for report in old["rounds"]:
        for name in ("kinds", "gaps", "searches"):
            report.pop(name)
    for count in old["retrievers"]:
        count.pop("milliseconds", None)
    assert compare(old, record).same
    old["passages"][0]["score"] += 1
    found = compare(old, record)
    assert [one.id for one in found.rescored] == [record["passages"][0]["id"]]
