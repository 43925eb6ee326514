"""Verdicts that go with a case: asked for, named or not, sealed, and back into another store."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from engine.errors import InputError
from engine.exports.cases import ExportableCase, Verdicts, export_of, load_for_export
from engine.records.case_file import find_changes, read_saved
from engine.records.store import EVERYBODY
from engine.records.store.chain import seal_verdicts
from engine.records.store.store import CaseStore
from engine.review.case_verdicts import anonymise, parse_assessments
from engine.review.model import Assessment, Item, ItemKind, SourceType, Verdict
from engine.review.store import ReviewStore
from tests.engine.review.judged import N, P, R, passage, said
from tests.engine.review.queued import MATTER, kept, queue_of, queued_items


@pytest.fixture
def case(store: CaseStore, reviews: ReviewStore, small: dict[str, Any]) -> str:
    """A case of which two people and a program have judged a passage of the pool and a hop."""
    case = kept(store, small)
    found = small["pool"]["nodes"][0]["id"]
    one = passage(f"passage:{found}", case_id=case, passage_id=found, text="Words عمر")
    hop = Item(case, ItemKind.HOP, "hop:1", found, source_id="elsewhere", relation="cites")
    reviews.judge(one, R, reviewer="Anna", note="as Anna said")
    reviews.judge(one, N, reviewer="Ben", reason='a "b"', seconds=2.5)
    reviews.judge(one, N, reviewer="rule 7", source=SourceType.CODE)
    reviews.judge(hop, Verdict.WRONG_KIND, reviewer="Anna", settles=True)
    return case


def handed(store: CaseStore, reviews: ReviewStore, case: str, wanted: Verdicts) -> ExportableCase:
    return load_for_export(store, case, EVERYBODY, lambda name: None, reviews, wanted)


def take_in(store: CaseStore, path: Path) -> None:
    record, case = read_saved(path)
    assert case is not None
    store.take_in(record, case, store.matter(MATTER), who="Cem")


def without_numbers(assessments: list[Assessment]) -> list[Assessment]:
    return [replace(one, number=0) for one in assessments]


def test_people_are_numbered_within_their_case() -> None:
    given = [said(passage(key, case_id="abcdefghijkl"), R, name) for key, name in (("a", "X"), ("b", "Y"))]
    given += [said(passage("b", case_id="abcdefghijkl"), R, "X")]
    given += [replace(said(passage("b"), R, "rule"), source=SourceType.CODE)]
    assert [one.reviewer for one in anonymise(given)] == [
        "reviewer 1 of case abcdefgh",
        "reviewer 2 of case abcdefgh",
        "reviewer 1 of case abcdefgh",
        "rule",
    ]


def test_a_saved_case_brings_its_verdicts_along(
    store: CaseStore, reviews: ReviewStore, case: str, tmp_path: Path
) -> None:
    before = reviews.assessments(is_current=True)
    path = tmp_path / "case.json"
    write = export_of("json").write
    bare = write(handed(store, reviews, case, Verdicts.NONE))
    assert b"Anna" not in bare
    assert b'"verdicts' not in bare
    hidden = write(handed(store, reviews, case, Verdicts.UNNAMED))
    # Names, not what was written: the words of notes are handed over as they are.
    assert (hidden.count(b'"Anna"'), hidden.count(b'"Ben"'), hidden.count(b"as Anna said")) == (0, 0, 1)
    path.write_bytes(write(handed(store, reviews, case, Verdicts.NAMED)))
    saved = read_saved(path)
    assert saved.case is not None
    assert find_changes(saved, "case") == []
    store.delete([case])
    assert reviews.assessments() == []
    store.take_in(saved.record, saved.case, store.matter(MATTER), who="Cem")
    assert without_numbers(reviews.assessments(is_current=True)) == without_numbers(before)
    assert store.verify(case) == []
    event = store.events(case)[-1].data
    assert (event["verdicts"], event["verdicts_seal"]) == (4, seal_verdicts(saved.case))
    read = parse_assessments(saved.case, saved.record)
    assert without_numbers(list(read)) == without_numbers(before)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"verdict": "partly"}, "the verdicts were changed"),
        ({"reviewer": "Eve"}, "the verdicts were changed"),
        ({"verdict": "later"}, r"'later' is no verdict on a passage"),
        ({"verdict": "right"}, r"'right' is no verdict on a passage"),
        ({"reviewer": "Ben"}, "a reviewer has two verdicts on an item"),
        ({"seconds": -1.0}, "seconds"),
        ({"note": "x" * 20_001}, "note"),
        ({"at": "yesterday"}, "at"),
        ({"more": 1}, "more"),
        ({"item": {"case_id": "other"}}, "one belongs to another case"),
        ({"item": {"round": "two"}}, "item.round"),
    ],
)
def test_what_was_changed_in_the_file_is_seen(
    store: CaseStore, reviews: ReviewStore, case: str, tmp_path: Path, changed: dict[str, Any], told: str
) -> None:
    path = tmp_path / "case.json"
    values = orjson.loads(export_of("json").write(handed(store, reviews, case, Verdicts.NAMED)))
    first = values["case"]["verdicts"][0]
    values["case"]["verdicts"][0] = {
        **first, **changed, "item": {**first["item"], **changed.get("item", {})}
    }  # fmt: skip
    path.write_bytes(orjson.dumps(values))
    store.delete([case])
    with pytest.raises(InputError, match=told):
        take_in(store, path)
    assert reviews.assessments(owner=EVERYBODY) == []
    assert store.ids() == []


def test_in_provenance_a_verdict_is_an_activity_of_its_reviewer(
    store: CaseStore, reviews: ReviewStore, case: str
) -> None:
    values = orjson.loads(export_of("prov").write(handed(store, reviews, case, Verdicts.NAMED)))
    first = values["activity"]["assessment:2"]
    assert (first["prov:label"], first["redstring:reason"]) == ("not relevant", 'a "b"')
    agents = {one["prov:activity"]: one["prov:agent"] for one in values["wasAssociatedWith"].values()}
    kinds = {name: one["prov:type"]["$"] for name, one in values["agent"].items() if "reviewer" in name}
    assert kinds[agents["assessment:1"]] == "prov:Person"
    assert kinds[agents["assessment:3"]] == "prov:SoftwareAgent"
    used = [one["prov:entity"] for one in values["used"].values() if one["prov:activity"] == "assessment:4"]
    assert len(used) == 1
    assert used[0] in values["entity"]
    assert b'"assessment:1"' not in export_of("prov").write(handed(store, reviews, case, Verdicts.NONE))


def test_judgements_are_told_once_nobody_is_waited_for(
    store: CaseStore, reviews: ReviewStore, case: str, small: dict[str, Any]
) -> None:
    write = export_of("qrels").write
    topic_line = write(handed(store, reviews, case, Verdicts.NONE)).split()
    assert topic_line[2:] == [small["pool"]["nodes"][0]["id"].encode(), b"0"]
    queue = queue_of(store, reviews, small, 1)
    (item,) = queued_items(reviews, queue)
    with pytest.raises(InputError, match="a queue still waits for verdicts on it"):
        write(handed(store, reviews, item.case_id, Verdicts.NONE))
    reviews.judge(item, P, reviewer="Anna", queue=queue.id)
    assert write(handed(store, reviews, item.case_id, Verdicts.NONE)).endswith(b" passage:p0 1\n")
    waiting = queue_of(store, reviews, small, 1, wanted=2)
    (other,) = queued_items(reviews, waiting)
    reviews.judge(other, R, reviewer="Anna", queue=waiting.id)
    assert not handed(store, reviews, other.case_id, Verdicts.NONE).judgements
    # Whoever asks for the verdicts gets what they come to.
    assert handed(store, reviews, other.case_id, Verdicts.UNNAMED).judgements == {other.passage_id: 2}


def test_a_pin_beside_reviews_is_relevant_as_they_say_it(small: dict[str, Any]) -> None:
    first, second, third, *_ = (node["id"] for node in small["pool"]["nodes"])
    pool = {**small["pool"], "pinned": [first, second], "dismissed": [third]}
    record = {**small, "pool": pool}
    lines = export_of("qrels").write(ExportableCase(record)).decode().splitlines()
    assert [line.split()[2:] for line in lines] == [[one, "1"] for one in sorted((first, second))] + [
        [third, "0"]
    ]
    graded = export_of("qrels").write(ExportableCase(record, judgements={second: 1, third: 2})).decode()
    assert {tuple(line.split()[2:]) for line in graded.splitlines()} == {
        (first, "2"), (second, "1"), (third, "2")
    }  # fmt: skip
