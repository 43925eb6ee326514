"""Results of an evaluation as tables, and two settings side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.evaluation import Evaluation, QuestionResult, summarise
from engine.evaluation.ablation import Ablation
from engine.evaluation.compare import Difference, Pair, PairedPassage, SettingsResult, paired
from engine.language.characters import escape, shortened
from engine.records.phrases import completeness_words, pinpoint, plural, stop_words
from ui.investigate.passages import marked

# Two settings on one question as HTML: both rankings, and the passages that only one of them found.

EXCERPT = 220
LETTERS = ("A", "B")


def pair_html(pair: Pair, corpus: str) -> str:
    """Return the question, both columns, and one line on their overlap."""
    sides = "".join(
        _column(side, letter, other, pair)
        for side, letter, other in zip((pair.left, pair.right), LETTERS, reversed(LETTERS), strict=True)
    )
    shared = f"both pools hold {plural(pair.shared, 'passage')} in common."
    gold = f" This question has {plural(pair.gold, 'gold passage')}." if pair.gold else ""
    return (
        f'<h2 class="eva-h" dir="auto">{escape(pair.question)}</h2>'
        f'<p class="eva-shared">{escape(f"{corpus}: {shared}{gold}")}</p><div class="eva-sides">{sides}</div>'
    )


def _column(side: SettingsResult, letter: str, other: str, pair: Pair) -> str:
    cards = "".join(_card(placed, other, pair.question) for placed in side.ranking)
    empty = '<p class="hint">Nothing was found.</p>'
    return (
        f'<section class="pane eva-side" aria-label="Settings {letter}">'
        f'<div class="bar-head"><h2>{letter}</h2><small>{escape(_settings(side))}</small></div>'
        f'<dl class="eva-facts">{_facts(side, other, pair.gold)}</dl>'
        f"<ol>{cards}</ol>{'' if side.ranking else empty}</section>"
    )


def _settings(side: SettingsResult) -> str:
    threads = len(side.settings.strategies)
    if not side.settings.follow:
        return "nothing followed"
    return f"{plural(threads, 'thread')}, at most {plural(side.settings.rounds, 'round')}"


def _facts(side: SettingsResult, other: str, gold: int) -> str:
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
    details = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in facts)
    ended = " · ".join(part for part in (stop_words(side.stop), completeness_words(side.stop)) if part)
    return f'{details}<div class="ended"><dd>{escape(ended)}</dd></div>'


def _card(placed: PairedPassage, other: str, question: str) -> str:
    passage, document = placed.found.passage, placed.found.document
    kind = "alone" if not placed.in_other_pool else "unranked" if placed.other_rank is None else ""
    text = shortened(placed.found.text, EXCERPT)
    gold = '<span class="badge gold">gold</span>' if placed.gold else ""
    return (
        f'<li class="{kind}"><div class="cite"><span class="n">{placed.found.rank}</span>'
        f'<b dir="auto">{escape(document.title or document.id)}</b>'
        f'<span class="where" dir="auto">{escape(pinpoint(passage))}</span>{gold}'
        f'<span class="there">{escape(_there(placed, other))}</span></div>'
        f'<p dir="auto" lang="{escape(passage.language)}">{marked(text, passage.language, question)}</p></li>'
    )


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
    return f'<div class="counts">{"".join(_tiles(found, total))}</div>{_metrics(results, found)}'


def _tiles(found: Evaluation, total: int) -> Iterator[str]:
    pool, said, times = found.pool, found.completeness, found.milliseconds
    asked = f"{found.queries:,}" if found.queries == total else f"{found.queries:,} of {total:,}"
    yield _tile(asked, "questions")
    yield _tile(_percent(pool["recall"]), "of the gold is in the pool")
    yield _tile(_percent(pool["complete"]), "of the pools are complete")
    yield _tile(f"{pool['mean_size']:.0f}", "passages in a pool, on average")
    yield _tile(
        _percent(pool["precision"]),
        f"of a pool is gold or one relation away from it ({_percent(pool['gold'])} gold)",
    )
    if said:
        yield _tile(_percent(said["estimate"]), "average estimated completeness")
    yield _tile(f"{times['p50']:.0f} ms", f"a question; {times['p95']:.0f} ms at the 95th percentile")


def _tile(value: str, words: str) -> str:
    return f"<div><b>{escape(value)}</b><span>{escape(words)}</span></div>"


def _metrics(results: Sequence[QuestionResult], found: Evaluation) -> str:
    rows = []
    for name, words in MEASURES:
        change = paired([r.investigation[name] for r in results], [r.scan[name] for r in results])
        rows.append(
            f'<tr><th scope="row">{name}<small>{words}</small></th><td>{_percent(found.scan[name])}</td>'
            f"<td><b>{_percent(found.investigation[name])}</b></td>{_change(change)}</tr>"
        )
    return (
        '<div class="eva-table eva-metrics"><table><thead><tr><th scope="col">Measure</th>'
        '<th scope="col">Scan</th><th scope="col">Investigation</th><th scope="col">Difference</th>'
        f'<th scope="col">95 % interval</th></tr></thead><tbody>{"".join(rows)}</tbody></table>'
        '<p class="hint">Intervals: paired bootstrap over the questions. ★: the interval leaves out 0, and '
        "p is below .05 by Fisher's randomisation test.</p></div>"
    )


def _change(change: Difference) -> str:
    kind = "same" if not change.significant else "better" if change.difference > 0 else "worse"
    star = " ★" if change.significant else ""
    return (
        f'<td class="{kind}" title="p {change.p:.3f}">{_points(change.difference)}{star}</td>'
        f"<td>{_points(change.low)} to {_points(change.high)}</td>"
    )


def ablation_html(ablation: Ablation) -> str:
    """Return the contribution of each part, in percentage points, against the figures of the full
    settings."""
    heads = "".join(f'<th scope="col">{name}</th>' for name in (*ABLATED, "pool", "ms"))
    full = "".join(f"<td>{_percent(ablation.full[name])}</td>" for name in ABLATED)
    rows = [f'<tr><th scope="row">full settings</th>{full}<td></td><td></td></tr>']
    for row in ablation.rows:
        cells = "".join(_cell(row.differences[name]) for name in ABLATED)
        rows.append(
            f'<tr class="{row.variant.role.replace(" ", "-")}"><th scope="row">'
            f"{escape(row.variant.label)}</th>{cells}<td>{row.mean_size:.0f}</td>"
            f"<td>{row.milliseconds:.0f}</td></tr>"
        )
    return (
        f'<div class="eva-table"><table><thead><tr><th scope="col">{ablation.questions} questions</th>'
        f'{heads}</tr></thead><tbody>{"".join(rows)}</tbody></table><p class="hint">In points of 100. '
        "Without a part: what it adds, the full settings less that run. A round: the run with it less the "
        "one before. Only a part, or with one that is off: that run less the full settings. ★: more than "
        "chance.</p></div>"
    )


def _cell(value: Difference) -> str:
    kind = "same" if not value.significant else "better" if value.difference > 0 else "worse"
    interval = f"{_points(value.low)} to {_points(value.high)}, p {value.p:.3f}"
    star = " ★" if value.significant else ""
    return f'<td class="{kind}" title="{interval}">{_points(value.difference)}{star}</td>'


def _points(share: float) -> str:
    """Return a difference of shares in percentage points, with its sign: a true minus, no sign for zero."""
    written = f"{100 * share:+.1f}"
    return "0.0" if written in ("+0.0", "-0.0") else written.replace("-", "−")


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
