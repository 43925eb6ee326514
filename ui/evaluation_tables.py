"""Results of an evaluation as tables, and two settings side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from engine.evaluation import Evaluation, QuestionResult, summarise
from engine.evaluation.ablation import Ablation
from engine.evaluation.compare import Difference, Pair, PairedPassage, SettingsResult, paired
from engine.language.characters import shortened
from engine.records.phrases import completeness_words, pinpoint, plural, stop_words
from ui.investigate.passages import pieces_of
from ui.templating import rendered

# Two settings on one question as HTML: both rankings, and the passages that only one of them found.

EXCERPT = 220
LETTERS = ("A", "B")


def pair_html(pair: Pair, corpus: str) -> str:
    """Return the question, both columns, and one line on their overlap."""
    shared = f"both pools hold {plural(pair.shared, 'passage')} in common."
    gold = f" This question has {plural(pair.gold, 'gold passage')}." if pair.gold else ""
    first, second = LETTERS
    sides = [_side(pair.left, first, second, pair), _side(pair.right, second, first, pair)]
    return rendered("evaluation/pair.html", pair=pair, shared=f"{corpus}: {shared}{gold}", sides=sides)


def _side(side: SettingsResult, letter: str, other: str, pair: Pair) -> dict[str, Any]:
    cards = []
    for placed in side.ranking:
        passage, text = placed.found.passage, shortened(placed.found.text, EXCERPT)
        pieces = pieces_of(text, passage.language, pair.question)
        cards.append((placed, pinpoint(passage), _there(placed, other), pieces))
    return {
        "letter": letter,
        "settings": _settings(side),
        "facts": _facts(side, other, pair.gold),
        "ended": " · ".join(part for part in (stop_words(side.stop), completeness_words(side.stop)) if part),
        "cards": cards,
    }


def _settings(side: SettingsResult) -> str:
    threads = len(side.settings.strategies)
    if not side.settings.follow:
        return "nothing followed"
    return f"{plural(threads, 'thread')}, at most {plural(side.settings.rounds, 'round')}"


def _facts(side: SettingsResult, other: str, gold: int) -> list[tuple[str, str]]:
    facts = [
        ("pool", f"{side.pool_size:,}"),
        (f"not in {other}", f"{side.alone:,}"),
        ("rounds", str(side.rounds)),
        ("time", f"{side.milliseconds:,.0f} ms"),
    ]
    if gold:
        done = " ✓" if side.gold_in_pool == gold else ""
        facts.append(("gold found", f"{side.gold_in_pool} of {gold}{done}"))
        facts.append(("gold ranked", f"{side.gold_ranked} of {gold}"))
    return facts


def _there(placed: PairedPassage, other: str) -> str:
    """Return whether the other side found the passage, and how much higher or lower it ranks it."""
    if placed.other_rank is not None:
        moved = placed.other_rank - placed.found.rank
        if not moved:
            return f"same in {other}"
        return f"{abs(moved)} {'higher' if moved > 0 else 'lower'} than in {other}"
    return f"in {other}'s pool, not ranked" if placed.in_other_pool else f"not in {other}"


# Tables of an evaluation as HTML: scan against investigation, the figures of the pool, the ablation.

MEASURES = (
    ("recall@5", "share of correct passages in the top 5"),
    ("recall@10", "of the gold, the share in the first 10"),
    ("recall@20", "of the gold, the share in the first 20"),
    ("recall@100", "of the gold, the share in the first 100"),
    ("complete@5", "questions with all correct passages in the top 5"),
    ("complete@10", "questions with all their gold in the first 10"),
    ("ndcg@10", "gold near the top counts more"),
)
ABLATED = ("recall@5", "recall@10", "complete@10", "ndcg@10", "pool recall")


def result_html(results: Sequence[QuestionResult], total: int) -> str:
    """Return figures and table of a run; ``total`` is the number of questions planned."""
    found = summarise(results)
    measures = []
    for name, words in MEASURES:
        change = paired([r.investigation[name] for r in results], [r.scan[name] for r in results])
        shares = (_percent(found.scan[name]), _percent(found.investigation[name]))
        measures.append((name, words, *shares, _change(change)))
    return rendered("evaluation/results.html", tiles=_tiles(found, total), measures=measures)


def _tiles(found: Evaluation, total: int) -> Iterator[tuple[str, str]]:
    pool, said, times = found.pool, found.completeness, found.milliseconds
    asked = f"{found.queries:,}" if found.queries == total else f"{found.queries:,} of {total:,}"
    yield asked, "questions"
    yield _percent(pool["recall"]), "of the correct passages are collected"
    yield _percent(pool["complete"]), "of the questions have them all"
    yield f"{pool['mean_size']:.0f}", "passages collected per question, on average"
    yield (
        _percent(pool["precision"]),
        f"of collected passages are correct or one link away ({_percent(pool['gold'])} correct)",
    )
    if said:
        yield _percent(said["estimate"]), "average estimated completeness"
    yield f"{times['p50']:.0f} ms", f"a question; {times['p95']:.0f} ms at the 95th percentile"


def ablation_html(ablation: Ablation) -> str:
    """Return the contribution of each part, in percentage points, against the figures of the full
    settings."""
    return rendered(
        "evaluation/ablation.html",
        ablation=ablation,
        heads=(*ABLATED, "pool", "ms"),
        full=[_percent(ablation.full[name]) for name in ABLATED],
        rows=[(row, [_change(row.differences[name]) for name in ABLATED]) for row in ablation.rows],
    )


def _change(change: Difference) -> dict[str, str]:
    return {
        "kind": "same" if not change.significant else "better" if change.difference > 0 else "worse",
        "points": _points(change.difference) + (" ★" if change.significant else ""),
        "low": _points(change.low),
        "high": _points(change.high),
        "p": f"{change.p:.3f}",
    }


def _points(share: float) -> str:
    """Return a difference of shares in percentage points, with its sign: a true minus, no sign for zero."""
    written = f"{100 * share:+.1f}"
    return "0.0" if written in ("+0.0", "-0.0") else written.replace("-", "−")


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
