"""A wrong reference is rejected where it is read, shows as rejected, and is taken back there."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

from tests.ui.corpus.conftest import VISITOR, Caller
from ui.corpus.access import CorpusDesk


def number_of(desk: CorpusDesk, name: str = "act") -> int:
    return next(at for at, one in enumerate(desk.books.corpus("Mine", VISITOR).documents()) if one.id == name)


def first_reference(caller: Caller, number: int) -> list[int]:
    html = caller.good("piece", document=number, at=0)["html"]
    found = re.search(r'<a class="ref resolved" [^>]*data-refs="([\d,]+)"', html)
    assert found is not None
    return [int(one) for one in found[1].split(",")]


def link_in(html: str) -> Any:
    found = re.search(r'data-link="([^"]+)"', html)
    assert found is not None
    return json.loads(unescape(found[1]))


def test_a_reference_is_rejected_and_comes_back(mine: Caller, desk: CorpusDesk) -> None:
    number = number_of(desk)
    refs = first_reference(mine, number)
    before = mine.good("targets", refs=refs)["html"]
    assert 'data-act="reject"' in before
    link = link_in(before)
    mine.good("reject-link", link=link)
    assert 'class="ref rejected"' in mine.good("piece", document=number, at=0)["html"]
    told = mine.good("targets", refs=refs)
    assert "Rejected" in told["html"]
    assert told["spot"] is None
    assert link_in(told["html"]) == link
    mine.good("restore-link", link=link)
    assert mine.good("targets", refs=refs)["html"] == before
    assert "rejected" not in mine.good("piece", document=number, at=0)["html"]


def test_what_is_no_link_is_told(mine: Caller) -> None:
    for link, words in (
        (None, "link"),
        (["a", "b", "unheard"], "names no link"),
        (["<script>", "b", "cites"], "is not a passage"),
        (["x" * 10_000, "b", "cites"], "link"),
        (["a", "b"], "link"),
    ):
        told = mine("reject-link", link=link)["error"]
        assert words in told
        assert len(told) < 200
    assert (
        "there is no verdict"
        in mine("restore-link", link=["act/art-1/para-1", "act/art-2", "cites"])["error"]
    )
