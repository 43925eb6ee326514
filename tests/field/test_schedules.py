"""Kind G: the parts of schedules and annexes, which count as the provisions before them do."""

from __future__ import annotations

from datetime import date

import pytest

from engine.retrieval.planning.named import provisions_named
from tests.field.conftest import Build
from tests.tables import table

ACT: str = table(__file__, "ACT")
CONTRACT = """<h1>Services Agreement</h1><h2>1. Services</h2><p>See paragraph 2 of Schedule 1.</p>
<h2>2. Fees</h2><p>The Customer pays.</p><h2>Schedule 1: Specification</h2><h3>1. Scope</h3>
<p>See clause 2 and paragraph 2.</p><h3>2. Levels</h3><p>See clause 1 and paragraph 1 of this Schedule.</p>
<h2>Schedule 2: Data</h2><h3>1. Purpose</h3><p>See paragraph 1 of Schedule 1.</p>"""
PARTS: str = table(__file__, "PARTS")
GERMAN: str = table(__file__, "GERMAN")
FRENCH: str = table(__file__, "FRENCH")
INDONESIAN: str = table(__file__, "INDONESIAN")
CHINESE: str = table(__file__, "CHINESE")
ARABIC = """# نظام الموانئ

## المادة 1
تسري الفقرة 2 من الملحق 1.

## الملحق 1 الرسوم

1. تدفع السفينة.

2. يدفع القارب وفقا للفقرة 1 والمادة 1.
"""
# The file, and what each passage leads to; None is what leads nowhere.
TABLE = [
    (
        "act.md",
        ACT,
        {
            "part-1/2": ["schedule-3/2", "part-1/1", "schedule-3/1", "schedule-3/2"],
            "part-1/3": ["part-1/1"],
            "schedule-3/2": ["schedule-3/1", "part-1/2", "schedule-3/1", None],
        },
    ),
    (
        "contract.html",
        CONTRACT,
        {
            "1": ["schedule-1/2"],
            "schedule-1/1": ["2", "schedule-1/2"],
            "schedule-1/2": ["1", "schedule-1/1"],
            "schedule-2/1": ["schedule-1/1"],
        },
    ),
    (
        "parts.txt",
        PARTS,
        {
            "section-1": ["schedule-1/part-2/para-2", "schedule-2/part-b/para-1"],
            "schedule-1/part-1/para-1": ["schedule-1/part-2/para-2"],
            "schedule-1/part-2/para-2": ["schedule-1/part-1/para-1", "section-1"],
            "schedule-2/part-a/para-2": ["schedule-2/part-a/para-1"],
            "schedule-2/part-b/para-2": ["schedule-2/part-b/para-1"],
        },
    ),
    (
        "hafen.txt",
        GERMAN,
        {
            "sec-1": ["annex-1/para-2", "annex-2/para-1", "sec-2"],
            "sec-2": [None],
            "annex-1/para-2": ["annex-1/para-1", "sec-2"],
        },
    ),
    (
        "ports.md",
        FRENCH,
        {
            "art-1": ["annex-i/2", "annex-ii/art-2", "art-2"],
            "art-2": ["annex-i/1"],
            "annex-i/2": ["annex-i/1", "art-2"],
            "annex-ii/art-2": ["annex-ii/art-1"],
        },
    ),
    (
        "pelabuhan.md",
        INDONESIAN,
        {"art-1": ["annex-i/2", "annex-ii/1"], "annex-i/2": ["annex-i/1", "art-1"]},
    ),
    (
        "gangkou.txt",
        CHINESE,
        {"art-1": ["annex-1/art-2", "art-2", "annex-2/art-1"], "annex-1/art-2": ["annex-1/art-1"]},
    ),
    ("mawani.md", ARABIC, {"art-1": ["annex-1/para-2"], "annex-1/para-2": ["annex-1/para-1", "art-1"]}),
]


def test_parts(build: Build, subtests: pytest.Subtests) -> None:
    found: dict[str, dict[str, list[str | None]]] = {}
    for one in build({name: text for name, text, _ in TABLE}).all_references():
        act, _, source = one.source_id.partition("/")
        target = one.target_id and one.target_id.removeprefix(f"{act}/")
        found.setdefault(act, {}).setdefault(source, []).append(target)
    for name, _, expected in TABLE:
        with subtests.test(name):
            assert found[name.partition(".")[0]] == expected


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        ("What does clause 2 of Schedule 3 of the Harbour Act 2004 say?", "Wages are"),
        ("What does clause 1 of Schedule 3 to the Harbour Act 2004 say?", "The pilot"),
        ("What does section 1 of the Harbour Act 2004 say?", "This Act"),
    ],
)
def test_a_question_names_the_schedule_and_the_act(build: Build, question: str, begins: str) -> None:
    corpus = build({"act.md": ACT})
    (named,) = provisions_named(corpus, question, "en", date(2026, 1, 1))
    (passage,) = corpus.passages(corpus.rows(named.passage_ids))
    assert passage.text.startswith(begins)
