"""The approval rates on the page: a table for each property by which the judged items differ."""

from __future__ import annotations

from typing import Any

import lxml.html

from engine.review.model import Item, ItemKind, Verdict
from engine.review.queues import QueuedItem
from engine.review.store import ReviewStore
from tests.ui.review.conftest import ANNA, Caller, Keep
from ui.review.access import ReviewDesk

# Strategy, round and verdict of each passage; all are in one language.
JUDGED = (
    ("scan", 0, Verdict.RELEVANT), ("scan", 1, Verdict.PARTLY), ("scan", 1, Verdict.IRRELEVANT),
    ("case_law", 1, Verdict.IRRELEVANT),
)  # fmt: skip


def shown(page: str) -> dict[str, dict[str, list[str]]]:
    """The tables of a page by their title: of each value the share, the interval and the count."""
    found: dict[str, dict[str, list[str]]] = {}
    whole: Any = lxml.html.fromstring(page)
    for body in whole.xpath("//table[@class='rev-rates']/tbody"):
        head, *rows = body.iter("tr")
        cells = [[cell.text_content() for cell in row.xpath("th | td[@class='rev-num']")] for row in rows]
        found[head.text_content().strip()] = {name: figures for name, *figures in cells}
    return found


def test_each_value_has_its_share_interval_and_count(
    desk: ReviewDesk, keep: Keep, store: ReviewStore
) -> None:
    case = keep()
    items = [
        Item(case, ItemKind.PASSAGE, f"passage:{n}", f"p{n}", strategy=name, round=number, language="en")
        for n, (name, number, _) in enumerate(JUDGED)
    ]
    matter = desk.kept.store().matter("General", desk.kept.owner_of(ANNA) or "")
    queue = store.make_queue(matter, "", [*map(QueuedItem, items)], who="Ann").id
    for item, (_, _, verdict) in zip(items, JUDGED, strict=True):
        store.judge(item, verdict, reviewer="Ann", queue=queue)
    # Wilson's intervals of 95%, by hand.
    assert shown(Caller(desk).good("figures", queue=queue)["html"]["figures"]) == {
        "Strategy": {"Scan": ["67%", "21% to 94%", "3"], "Case law": ["0%", "0% to 79%", "1"]},
        "Round": {"scan": ["100%", "21% to 100%", "1"], "round 1": ["33%", "6% to 79%", "3"]},
    }
