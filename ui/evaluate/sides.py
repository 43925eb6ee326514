"""Two settings on one question as HTML: both rankings, and what only one of them found."""

from __future__ import annotations

from engine.evaluation.pair import Pair, Placed, Side
from engine.language.characters import escape
from engine.records.citation import pinpoint
from engine.records.wording import completeness_words, plural, stop_words
from ui.marks import marked

EXCERPT = 220
LETTERS = ("A", "B")


def pair_html(pair: Pair, corpus: str) -> str:
    """The question, both columns, and one line on what they share."""
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


def _column(side: Side, letter: str, other: str, pair: Pair) -> str:
    cards = "".join(_card(placed, other, pair.question) for placed in side.ranking)
    empty = '<p class="hint">Nothing was found.</p>'
    return (
        f'<section class="pane eva-side" aria-label="Settings {letter}">'
        f'<div class="bar-head"><h2>{letter}</h2><small>{escape(_settings(side))}</small></div>'
        f'<dl class="eva-facts">{_facts(side, other, pair.gold)}</dl>'
        f"<ol>{cards}</ol>{'' if side.ranking else empty}</section>"
    )


def _settings(side: Side) -> str:
    threads = len(side.settings.strategies)
    if not side.settings.follow:
        return "nothing followed"
    return f"{plural(threads, 'thread')}, at most {plural(side.settings.rounds, 'round')}"


def _facts(side: Side, other: str, gold: int) -> str:
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
    told = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in facts)
    ended = " · ".join(part for part in (stop_words(side.stop), completeness_words(side.stop)) if part)
    return f'{told}<div class="ended"><dd>{escape(ended)}</dd></div>'


def _card(placed: Placed, other: str, question: str) -> str:
    passage, document = placed.found.passage, placed.found.document
    kind = "alone" if not placed.in_other_pool else "unranked" if placed.other_rank is None else ""
    words = placed.found.text
    text = words if len(words) <= EXCERPT else words[:EXCERPT].rsplit(" ", 1)[0] + " …"
    gold = '<span class="badge gold">gold</span>' if placed.gold else ""
    return (
        f'<li class="{kind}"><div class="cite"><span class="n">{placed.found.rank}</span>'
        f'<b dir="auto">{escape(document.title or document.id)}</b>'
        f'<span class="where" dir="auto">{escape(pinpoint(passage))}</span>{gold}'
        f'<span class="there">{escape(_there(placed, other))}</span></div>'
        f'<p dir="auto" lang="{escape(passage.language)}">{marked(text, passage.language, question)}</p></li>'
    )


def _there(placed: Placed, other: str) -> str:
    """Where the other side has the passage."""
    if placed.other_rank is not None:
        moved = placed.other_rank - placed.found.rank
        if not moved:
            return f"same in {other}"
        return f"{abs(moved)} {'higher' if moved > 0 else 'lower'} than in {other}"
    return f"in {other}'s pool, not ranked" if placed.in_other_pool else f"not in {other}"
