"""The approval rates that the page shows are those that pandas computes from the exported table alone."""

from __future__ import annotations

import base64
import io
import math
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import lxml.html
import pandas as pd  # type: ignore[import-untyped]

from engine.errors import InputError
from engine.review.kept import QueuedItem
from engine.review.model import VERDICTS, Item, ItemKind, Verdict
from engine.review.store import ReviewStore
from tests.ui.review.conftest import ANNA, Caller, Keep
from ui.palette import thread
from ui.review.desk import ReviewDesk

# What the page calls the columns of the table, and how it words their values.
COLUMNS: dict[str, tuple[str, Callable[[str], str]]] = {
    "strategy": ("Strategy", lambda value: thread(value).title),
    "relation": ("Relation", lambda value: value.replace("_", " ")),
    "distance": ("Hop distance", str),
    "round": ("Round", lambda value: f"round {value}" if value != "0" else "scan"),
    "language": ("Language", str),
    "document_type": ("Document type", lambda value: value.replace("_", " ")),
}
REVIEWERS = ("Ann", "Bén", "Cem", "=Dora")
SHARE = tuple[str, str, str]


def judged_at_random(desk: ReviewDesk, store: ReviewStore, case: str, count: int = 60) -> tuple[str, int]:
    """A queue that several have judged: with conflicts, settled ones, some changed, some taken back; returns
    its id and how many verdicts stand."""
    draw = random.Random(1)
    items = [_item(draw, case, number) for number in range(count // 2)]
    owner = desk.kept.owner_of(ANNA)
    matter = desk.kept.store().matter("General", owner or "")
    queued = [QueuedItem(item, wanted=len(REVIEWERS)) for item in items]
    queue = store.make_queue(matter, "Random", queued, who="Ann").id
    given = 0
    while given < count:
        item, reviewer = draw.choice(items), draw.choice(REVIEWERS)
        verdict = draw.choice(VERDICTS[item.kind])
        settles = draw.random() < 0.1 and verdict is not Verdict.LATER
        given += 1
        # What was settled is closed to others.
        with suppress(InputError):
            said = store.judge(item, verdict, reviewer=reviewer, queue=queue, note='a;\n"b"', settles=settles)
            if draw.random() < 0.1:
                store.withdraw(said.number, reviewer=reviewer, queue=queue)
    return queue, len(store.assessments(queue=queue, owner=owner or "", stands=True))


def _item(draw: random.Random, case: str, number: int) -> Item:
    item = Item(
        case, ItemKind.PASSAGE, f"passage:{number}", f"p{number}",
        strategy=draw.choice(["scan", "references", "areas", "random_walk"]),
        round=draw.randrange(4), distance=draw.randint(1, 12), language=draw.choice(["en", "de", "ar"]),
        document_type=draw.choice(["act", "court_order"]), text=f"Words {number}",
    )  # fmt: skip
    if number % 3:
        return item
    relation = draw.choice(["cites", "subject_to", "amends"])
    return replace(item, kind=ItemKind.HOP, key=f"hop:{number}", source_id="s", relation=relation)


def shown(page: str) -> dict[str, dict[str, dict[str, SHARE]]]:
    """The rates of a page of figures: by kind, dimension and value the share, the interval, the count."""
    found: dict[str, dict[str, dict[str, SHARE]]] = {}
    whole: Any = lxml.html.fromstring(page)
    for section in whole.xpath("//section[contains(@class, 'rev-kind')][h3]"):
        of_kind = found.setdefault(section.findtext("h2"), {})
        for body in section.xpath(".//table[@class='rev-rates']/tbody"):
            head, *rows = body.iter("tr")
            cells = [[cell.text_content() for cell in row.xpath("th | td[@class='rev-num']")] for row in rows]
            of_kind[head.text_content().strip()] = {name: (a, b, c) for name, a, b, c in cells}
    return found


def computed(table: bytes) -> dict[str, dict[str, dict[str, SHARE]]]:
    """The same from the table, by pandas: an item is approved where more than half of its verdicts do."""
    rows = pd.read_csv(io.BytesIO(table), dtype=str, keep_default_na=False, encoding="utf-8-sig")
    rows["approved"] = rows["approved"].astype(int)
    found: dict[str, dict[str, dict[str, SHARE]]] = {}
    for kind, of_kind in rows.groupby("kind"):
        dimensions = found.setdefault({"passage": "Passages", "hop": "Hops"}[str(kind)], {})
        items = of_kind.groupby(["case_id", "key", *COLUMNS])["approved"].mean().gt(0.5).reset_index()
        for column, (title, words) in COLUMNS.items():
            if items[column].nunique() > 1:
                groups = items.groupby(column)["approved"]
                dimensions[title] = {
                    words(str(value)): _share(int(own.sum()), len(own)) for value, own in groups
                }
    return found


def _share(approved: int, count: int) -> SHARE:
    """Share, Wilson's interval of 95 % and count as the page writes them."""
    z, share = 1.959963984540054, approved / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return f"{100 * share:.0f}%", f"{100 * low:.0f}% to {100 * high:.0f}%", f"{count:,}"


def test_the_page_shows_what_pandas_computes(desk: ReviewDesk, keep: Keep, store: ReviewStore) -> None:
    queue, standing = judged_at_random(desk, store, keep())
    # The owner has a name under which nothing is left: not one of those who are asked.
    owner = Caller(desk, ANNA, "Ann")
    while turns := owner.good("turns", queue=queue, slots=["a"])["turns"]:
        first = turns[0]
        owner.verdict(queue, first, "partly" if first["kind"] == "passage" else "useless")
        standing += 1
    told = owner.good("verdicts-out", queue=queue, format="csv")["file"]
    table = base64.b64decode(told["data"])
    assert len(pd.read_csv(io.BytesIO(table))) == standing
    page = owner.good("figures", queue=queue)["html"]["figures"]
    expected = computed(table)
    assert shown(page) == expected
    assert {title for of_kind in expected.values() for title in of_kind} == {
        title for title, _ in COLUMNS.values()
    }
