"""Fields of verdicts from elsewhere, one wrong at a time."""

from __future__ import annotations

import pytest

from engine.errors import SourceError
from engine.review.drafts import LONGEST_ID, LONGEST_NAME, LONGEST_TEXT, Draft, draft
from engine.review.model import ItemKind, SourceType, Verdict

WHERE = "verdicts.csv, line 3"


def test_what_is_left_out_is_empty() -> None:
    found = draft({"passage_id": "p", "verdict": " Relevant ", "reviewer": None, "else": 3}, WHERE)
    assert found == Draft(ItemKind.PASSAGE, Verdict.RELEVANT, passage_id="p")
    assert found.source is SourceType.HUMAN


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        (
            {"verdict": "good"},
            "unknown verdict 'good' of a passage; known: 'relevant', 'partly', 'not relevant'",
        ),
        ({"verdict": "right"}, "unknown verdict 'right' of a passage; known: 'relevant'"),
        ({"verdict": "later"}, "unknown verdict 'later'"),
        (
            {"kind": "hop", "verdict": "relevant"},
            "unknown verdict 'relevant' of a hop; known: 'right', 'wrong kind', 'wrong target', 'useless'",
        ),
        ({"verdict": 2}, "verdict: Input should be a valid string"),
        ({"kind": "document"}, "kind: Input should be 'passage', 'hop' or 'sentence'"),
        ({"passage_id": ""}, "names no item: neither a key nor a passage_id"),
        ({"passage_id": 7}, "passage_id: Input should be a valid string"),
        ({"at": "yesterday"}, "at: not an ISO 8601 time: 'yesterday'"),
        ({"at": "0001-01-01T00:00:00+23:59"}, "at: not an ISO 8601 time"),
        ({"source": "oracle"}, "source: Input should be 'human' or 'code'"),
        ({"key": "k" * (LONGEST_ID + 1)}, "key: String should have at most 1000 characters"),
        ({"reviewer": "k" * (LONGEST_NAME + 1)}, "reviewer: String should have at most 200 characters"),
        ({"note": "k" * (LONGEST_TEXT + 1)}, "note: String should have at most 20000 characters"),
    ],
)
def test_what_cannot_be_read_is_named(fields: dict[str, object], reason: str) -> None:
    with pytest.raises(SourceError) as caught:
        draft({"passage_id": "p", "verdict": "relevant", **fields}, WHERE)
    assert str(caught.value).startswith(f"{WHERE}: {reason}")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2026-11-26T09:00:00+01:00", "2026-11-26T08:00:00+00:00"),
        ("2026-11-26T08:00:00.5Z", "2026-11-26T08:00:00.500000+00:00"),
        ("2026-11-26T08:00:00", "2026-11-26T08:00:00+00:00"),
        ("2026-11-26", "2026-11-26T00:00:00+00:00"),
        ("", ""),
    ],
)
def test_moments_are_utc(written: str, read: str) -> None:
    assert draft({"key": "k", "verdict": "partly", "at": written}, WHERE).at == read
