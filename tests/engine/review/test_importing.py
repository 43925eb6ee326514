"""Verdicts of a file matched with items and taken in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from engine.errors import InputError, SourceError
from engine.evaluation.questions import topic_of
from engine.records.store import EVERYBODY
from engine.records.store.store import CaseStore
from engine.review.drafts import Draft
from engine.review.exchange import format_of, writer_of
from engine.review.importing import ImportResult, find_cases, import_summary, match_verdicts
from engine.review.model import Assessment, Item, ItemKind, SourceType, Verdict, current_assessments
from engine.review.store import ReviewStore
from tests.engine.review.judged import QUESTION, N, P, R, journals, passage
from tests.engine.review.queued import MATTER, items_of, kept, queue_of, queued_items

# Verdicts of a file kept with their cases, on both databases: as they were given, once, all or
# none.

FULL = ("csv", "jsonl")
EARLY, LATE = "2026-01-02T08:00:00.000+00:00", "2026-03-02T08:00:00.000+00:00"


def drafts_of(name: str, assessments: list[Assessment]) -> list[Draft]:
    """What a format reads of what it has written."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"all{format_of(name).suffix}"
        path.write_bytes(writer_of(name)(assessments))
        return format_of(name).read(path)


def draft(item: Item, verdict: Verdict = R, reviewer: str = "Ben", at: str = EARLY, **more: Any) -> Draft:
    return Draft(
        item.kind, verdict, item.case_id, key=item.key, reviewer=reviewer, at=at, where="v, line 2", **more
    )


def whole(reviews: ReviewStore) -> list[Assessment]:
    """What stands, but for the numbers of the journal."""
    return [replace(one, number=0) for one in reviews.assessments(owner=EVERYBODY, is_current=True)]


@pytest.mark.parametrize("name", FULL)
@given(drawn=journals())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_exported_says_the_same_in_an_empty_store(
    name: str, drawn: list[Assessment], store: CaseStore, reviews: ReviewStore, small: dict[str, Any]
) -> None:
    cases = {one: kept(store, small) for one in ("case-1", "case-2")}
    for number, one in enumerate(drawn):
        if not one.reviewer.strip():
            continue
        item = replace(one.item, case_id=cases[one.item.case_id])
        reviews.judge(
            item, one.verdict, reviewer=one.reviewer, reason=one.reason, note=one.note, source=one.source,
            settles=number % 3 == 0, seconds=None if number % 2 or one.source is SourceType.CODE else 2.5,
        )  # fmt: skip
    before = whole(reviews)
    drafts = drafts_of(name, reviews.assessments(owner=EVERYBODY, is_current=True))
    items = {(one.item.case_id, one.item.key): (one.item, one.question) for one in before}
    handed = [store.handed(one) for one in cases.values()]
    store.delete(cases.values())
    assert whole(reviews) == []
    for record, case in handed:
        store.take_in(record, case, store.matter(MATTER), who="Ann")
    found = match_verdicts(drafts, items.values())
    assert found.missing == []
    assert reviews.import_verdicts(found.found) == ImportResult(kept=len(before))
    assert sorted(whole(reviews), key=repr) == sorted(before, key=repr)
    assert reviews.import_verdicts(found.found) == ImportResult(known=len(before))
    assert sorted(whole(reviews), key=repr) == sorted(before, key=repr)
    store.delete(cases.values())


def test_it_counts_in_the_queue_and_what_is_asked_of_others(
    store: CaseStore, reviews: ReviewStore, small: dict[str, Any]
) -> None:
    queue = queue_of(store, reviews, small, wanted=2)
    first, second, _ = queued_items(reviews, queue)
    given = [(draft(first), first), (draft(first, N, "Cem"), first), (draft(second), second)]
    assert reviews.import_verdicts(given, queue=queue.id).kept == 3
    assert len(reviews.assessments(queue=queue.id, owner=EVERYBODY)) == 3
    # Two differ on the first: a third is asked. Ben has judged two of three.
    assert reviews.queue(queue.id).judged == 0
    assert reviews.progress(queue.id, "Ben").left == 1
    assert reviews.progress(queue.id, "Dora").left == 3
    turn = reviews.turn(queue.id, "Ben")
    assert turn is not None
    assert turn.item.key == "passage:p2"
    reviews.import_verdicts([(draft(first, N, "Dora"), first)], queue=queue.id)
    assert reviews.queue(queue.id).judged == 1


def test_what_was_changed_or_taken_back_since_is_not_brought_back(
    store: CaseStore, reviews: ReviewStore, small: dict[str, Any]
) -> None:
    case = kept(store, small)
    first, second, third = items_of(case, 3)
    given = [(draft(one), one) for one in (first, second, third)]
    reviews.import_verdicts(given)
    reviews.judge(first, N, reviewer="Ben")
    (own,) = [one for one in reviews.assessments(is_current=True) if one.item.key == second.key]
    reviews.withdraw(own.number, reviewer="Ben")
    assert reviews.import_verdicts(given) == ImportResult(known=3)
    stands = {(one.item.key, one.verdict) for one in reviews.assessments(is_current=True)}
    assert stands == {(first.key, N), (third.key, R)}
    # Without a time nobody knows when it was said: once is enough.
    timeless = [(replace(one, at=""), item) for one, item in given]
    assert reviews.import_verdicts(timeless) == ImportResult(known=3)


def test_what_was_said_last_counts_in_whatever_order_it_comes(
    store: CaseStore, reviews: ReviewStore, small: dict[str, Any]
) -> None:
    (item,) = items_of(kept(store, small), 1)
    late, early = draft(item, N, at=LATE), draft(item, P, at=EARLY)
    assert reviews.import_verdicts([(late, item), (early, item), (late, item)]) == ImportResult(
        kept=2, known=1
    )
    assert [one.verdict for one in reviews.assessments()] == [P, N]
    assert [one.verdict for one in current_assessments(reviews.assessments())] == [N]
    assert [one.verdict for one in reviews.assessments(is_current=True)] == [N]
    between = draft(item, R, at="2026-02-02T08:00:00+00:00")
    assert reviews.import_verdicts([(between, item)]) == ImportResult(older=1)
    assert len(reviews.assessments()) == 2


def test_who_and_when_and_of_which_words_is_as_the_file_says(
    store: CaseStore, reviews: ReviewStore, small: dict[str, Any]
) -> None:
    first, second = items_of(kept(store, small), 2)
    said = draft(
        first, source=SourceType.CODE, sha256="0" * 64, fingerprint="state", engine="0.1", note=" n "
    )
    bare = draft(second, reviewer="  ", at="")
    taken = reviews.import_verdicts([(said, first), (bare, second)], by="  Trec\n ")
    assert taken == ImportResult(kept=2, reworded=1)
    one, two = reviews.assessments(is_current=True)
    assert (one.source, one.at, one.sha256, one.fingerprint, one.engine, one.note, one.reviewer) == (
        SourceType.CODE, EARLY, "0" * 64, "state", "0.1", "n", "Ben",
    )  # fmt: skip
    assert (two.reviewer, two.source, len(two.sha256)) == ("Trec", SourceType.HUMAN, 64)
    assert two.engine == store.summary(second.case_id).engine
    assert two.at > LATE


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"reviewer": ""}, "no reviewer: name one"),
        ({"at": "2999-01-01T00:00:00+00:00"}, "in the future"),
    ],
)
def test_one_bad_line_and_nothing_is_kept(
    store: CaseStore, reviews: ReviewStore, small: dict[str, Any], changed: dict[str, str], told: str
) -> None:
    (item,) = items_of(kept(store, small), 1)
    with pytest.raises(SourceError, match=rf"v, line 2: .*{told}"):
        reviews.import_verdicts([(draft(item), item), (replace(draft(item), **changed), item)])  # type: ignore[arg-type]
    assert reviews.assessments() == []


def test_nothing_is_kept_of_cases_of_others_or_without_their_queue(
    store: CaseStore, reviews: ReviewStore, small: dict[str, Any]
) -> None:
    (own,) = items_of(kept(store, small, owner="ann"), 1)
    (other,) = items_of(kept(store, small, owner="bela"), 1)
    with pytest.raises(InputError, match="there is no case"):
        reviews.import_verdicts([(draft(own), own), (draft(other), other)], owner="ann")
    with pytest.raises(InputError, match="there is no queue"):
        reviews.import_verdicts([(draft(own), own)], owner="ann", queue="gone")
    assert reviews.assessments(owner=EVERYBODY) == []
    assert reviews.import_verdicts([], owner="ann") == ImportResult()


def test_nobody_speaks_in_anothers_name(
    store: CaseStore, reviews: ReviewStore, small: dict[str, Any]
) -> None:
    first, second = items_of(kept(store, small), 2)
    reviews.judge(first, R, reviewer="Reva")
    (own,) = reviews.assessments()
    true = draft(first, R, "Reva", at=own.at)
    given = [(true, first), (draft(second, N, "Reva"), second), (draft(second, N, "Opal"), second)]
    assert reviews.import_verdicts(given, signed="Opal") == ImportResult(kept=2, known=1)
    names = [one.reviewer for one in reviews.assessments(is_current=True)]
    assert names == ["Reva", "Reva (from a file of Opal)", "Opal"]
    assert reviews.import_verdicts(given, signed="Opal") == ImportResult(known=3)
    # What Opal has exported then is brought once more by Opal: it is signed already.
    again = [(draft(second, N, "Reva (from a file of Opal)"), second)]
    assert reviews.import_verdicts(again, signed="Opal") == ImportResult(known=1)
    # Who is forgotten is so on both sides of it.
    assert reviews.forget_reviewer("Opal", dry_run=True) == 2
    assert reviews.forget_reviewer("Opal") == 2
    assert reviews.forget_reviewer("Reva") == 2
    left = {one.reviewer for one in reviews.assessments()}
    assert not any(name in one for one in left for name in ("Reva", "Opal"))
    assert len(left) == 3


def test_what_came_of_it_in_words() -> None:
    missing = [Draft(ItemKind.PASSAGE, R, passage_id=f"p{n}", where=f"/x/v.csv, line {n}") for n in range(5)]
    first, *others, last = import_summary(ImportResult(1200, 3, 2, 1), missing)
    assert first == "1,200 verdicts kept"
    assert [words[0] for words in others] == ["3", "2", "1"]
    assert last == "5 are on items that are not here: line 0, p0; line 1, p1; line 2, p2 …"


# Which item of which case a verdict of a file is of.

OTHER = "Who takes a pilot?"
COPIED = replace(passage("passage:b", case_id="one", passage_id="b"), copies=("passage:b2",))
ITEMS = [
    (passage("passage:a", case_id="one", passage_id="a"), QUESTION),
    (COPIED, QUESTION),
    (passage("passage:a", case_id="two", passage_id="a"), QUESTION),
    (passage("passage:a", case_id="three", passage_id="a"), OTHER),
    (Item("one", ItemKind.HOP, "hop:a>cites>b", "b", source_id="a", relation="cites"), QUESTION),
]


def of(verdict: Verdict = R, kind: ItemKind = ItemKind.PASSAGE, **fields: Any) -> Draft:
    return Draft(kind, verdict, where="v.csv, line 7", **fields)


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"case_id": "one", "key": "passage:a"}, ["one passage:a"]),
        ({"case_id": "two", "passage_id": "a"}, ["two passage:a"]),
        # A case that is not here is not the one that asks the same.
        ({"case_id": "four", "passage_id": "a", "question": QUESTION}, []),
        ({"case_id": "one", "passage_id": "c"}, []),
        ({"question_id": topic_of(QUESTION), "passage_id": "a"}, ["one passage:a", "two passage:a"]),
        ({"question": f" {QUESTION}\n", "passage_id": "a"}, ["one passage:a", "two passage:a"]),
        ({"question_id": "17", "question": OTHER, "passage_id": "a"}, ["three passage:a"]),
        ({"question_id": "three", "passage_id": "a"}, ["three passage:a"]),
        ({"question_id": "17", "passage_id": "a"}, []),
        # What has the same words is judged with it.
        ({"case_id": "one", "passage_id": "b2"}, ["one passage:b"]),
        ({"case_id": "one", "key": "passage:b2"}, ["one passage:b"]),
        # A key that another program has made, with the passage beside it.
        ({"case_id": "one", "key": "77", "passage_id": "b"}, ["one passage:b"]),
        # A hop is no passage, whatever its key says.
        ({"case_id": "one", "key": "hop:a>cites>b"}, []),
    ],
)
def test_an_item_has_many_names(fields: dict[str, Any], found: list[str]) -> None:
    got = match_verdicts([of(**fields)], ITEMS)
    assert [f"{item.case_id} {item.key}" for _, item in got.found] == found
    assert len(got.missing) == (not found)


def test_a_hop_is_named_by_its_key_or_its_ends() -> None:
    by_key = of(Verdict.RIGHT, ItemKind.HOP, case_id="one", key="hop:a>cites>b")
    by_ends = of(Verdict.RIGHT, ItemKind.HOP, case_id="one", source_id="a", relation="cites", passage_id="b")
    wrong = replace(by_ends, relation="amends")
    got = match_verdicts([by_key, by_ends, wrong], ITEMS)
    assert [one for one, _ in got.found] == [by_key, by_ends]
    assert got.missing == [wrong]


def test_a_file_need_not_name_the_only_case() -> None:
    assert len(match_verdicts([of(passage_id="a")], ITEMS[:2]).found) == 1
    with pytest.raises(SourceError, match=r"v\.csv, line 7: names neither a case nor a question"):
        match_verdicts([of(passage_id="a")], ITEMS)
    assert len(match_verdicts([of(passage_id="a")], []).missing) == 1


def test_only_cases_that_are_named_need_be_read() -> None:
    cases = {"one": QUESTION, "two": QUESTION, "three": OTHER}
    assert find_cases([of(case_id="two", passage_id="a")], cases) == ["two"]
    assert find_cases([of(question=OTHER, passage_id="a")], cases) == ["three"]
    assert find_cases([of(question_id=topic_of(QUESTION), passage_id="a")], cases) == ["one", "two"]
    assert find_cases([of(case_id="x", passage_id="a"), of(passage_id="a")], cases) == list(cases)
    assert find_cases([of(case_id="x", passage_id="a")], cases) == []
