"""The board of a case as a drawing: rounds as columns, documents as lanes, passages as pills, links as lines.

Ranked passages and those of their first trails are pills with names; all others of a document and round are
one dot with their number. Lengths are in units of the drawing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine.language.characters import right_to_left
from engine.model import Hop
from engine.records.phrases import hop_quote, hop_words
from engine.records.record import CaseRecord, NodePart

# Limits; whatever does not fit is counted.
MOST_PILLS, MOST_LANES, MOST_ROUNDS, MOST_LINES = 36, 9, 6, 80
# Most ranked passages and passages of a round as pills, and most pills in a cell.
MOST_RANKED, MOST_OF_ROUND, MOST_OF_CELL = 20, 8, 6
WIDTH, LABELS, HEAD, ROW, PAD = 1000, 210, 34, 30, 14
PILL, LETTER, LONGEST_LABEL, LONGEST_TITLE = 24, 7.0, 24, 27


@dataclass(frozen=True, slots=True)
class Pill:
    """A passage with its name. ``rank`` is None if it only leads to a ranked one."""

    id: str
    label: str
    turned: bool
    full: str
    x: float
    y: float
    width: float
    strategy: str
    rank: int | None


@dataclass(frozen=True, slots=True)
class Dot:
    """Passages of a document and round without pills."""

    x: float
    y: float
    radius: float
    count: int
    strategy: str


@dataclass(frozen=True, slots=True)
class Lane:
    """A document, or all without their own lane; ``bottom`` is its lower end."""

    title: str
    turned: bool
    count: str
    y: float
    bottom: float


@dataclass(frozen=True, slots=True)
class Line:
    """A link between two pills, with its description."""

    path: str
    strategy: str
    words: str


@dataclass(frozen=True, slots=True)
class Board:
    """The drawing; ``strategies`` are those shown, ``heads`` the columns with their positions."""

    width: float
    height: float
    heads: tuple[tuple[float, str], ...]
    lanes: tuple[Lane, ...]
    pills: tuple[Pill, ...]
    dots: tuple[Dot, ...]
    lines: tuple[Line, ...]
    strategies: tuple[str, ...]
    named: int
    folded: int


def board_of(case: CaseRecord, name: Callable[[str], str], titles: Mapping[str, str]) -> Board | None:
    """Return the board of a case, None if its pool is empty.

    ``name`` gives the label of a pill, ``titles`` those of documents, both by passage id. Raises InputError
    if the record is damaged.
    """
    if not case.pool.nodes:
        return None
    nodes = {node.id: node for node in case.pool.nodes}
    hops = [edge.hop() for edge in case.pool.edges]
    firsts: dict[str, Hop] = {}
    for hop in hops:
        firsts.setdefault(hop.target_id, hop)
    chosen = _chosen(case, firsts, nodes)
    rounds = max(node.round for node in nodes.values())
    last = min(rounds, MOST_ROUNDS)
    heads = ["Scan", *(f"Round {number}" for number in range(1, last + 1))]
    heads[-1] += " and later" if rounds > last else ""
    places = [LABELS + (WIDTH - LABELS) * (number + 0.5) / (last + 1) for number in range(last + 1)]
    lanes, pills, dots = _place(case, chosen, nodes, places, name, titles)
    by_id = {pill.id: pill for pill in pills}
    linked = {(hop.source_id, hop.target_id): hop for hop in reversed(hops)}
    lines = [
        Line(_path(by_id[source], by_id[target]), hop.strategy, _describe(hop, name))
        for (source, target), hop in reversed(linked.items())
        if source in by_id and target in by_id and _is_drawn(hop, by_id, firsts)
    ]
    return Board(
        WIDTH,
        lanes[-1].bottom + 4,
        tuple(zip(places, heads, strict=True)),
        tuple(lanes),
        tuple(pills),
        tuple(dots),
        tuple(lines[:MOST_LINES]),
        tuple(dict.fromkeys(node.strategy for node in nodes.values())),
        len(pills),
        len(nodes) - len(pills),
    )


def _place(
    case: CaseRecord,
    chosen: Sequence[str],
    nodes: Mapping[str, NodePart],
    places: Sequence[float],
    name: Callable[[str], str],
    titles: Mapping[str, str],
) -> tuple[list[Lane], list[Pill], list[Dot]]:
    """Return the lanes from top to bottom, with their pills and dots."""
    lane_of = _lanes(chosen, nodes, titles)
    column = {one: min(node.round, len(places) - 1) for one, node in nodes.items()}
    ranks = {one.id: one.rank for one in reversed(case.passages)}
    lanes: list[Lane] = []
    pills: list[Pill] = []
    dots: list[Dot] = []
    y, named = float(HEAD), set(chosen)
    for title in dict.fromkeys(lane_of.values()):
        own = [one for one in nodes if lane_of[one] == title]
        rows = [0] * len(places)
        for one in (one for one in chosen if lane_of[one] == title):
            at = column[one]
            strategy = nodes[one].strategy
            pills.append(
                _pill(one, name(one), places[at], y + PAD + ROW * rows[at], strategy, ranks.get(one))
            )
            rows[at] += 1
        folded = [one for one in own if one not in named]
        for at, count in Counter(column[one] for one in folded).items():
            ways = Counter(nodes[one].strategy for one in folded if column[one] == at)
            place = y + PAD + ROW * rows[at]
            dots.append(Dot(places[at], place, min(4 + count**0.5, 11), count, ways.most_common(1)[0][0]))
            rows[at] += 1
        bottom = y + max(max(rows) * ROW + PAD, 44)
        lanes.append(Lane(_cut(title, LONGEST_TITLE), right_to_left(title), f"{len(own):,}", y, bottom))
        y = bottom
    return lanes, pills, dots


def _chosen(case: CaseRecord, firsts: Mapping[str, Hop], nodes: Mapping[str, NodePart]) -> list[str]:
    """Return the passages with a pill: the ranked ones, then the best of each round, each with its trail."""
    brought: dict[int, list[str]] = {}
    for node in sorted(nodes.values(), key=lambda node: -node.score):
        brought.setdefault(node.round, []).append(node.id)
    brought.pop(0, None)
    wanted = [passage.id for passage in case.passages][:MOST_RANKED]
    wanted += [one for number in sorted(brought) for one in brought[number][:MOST_OF_ROUND]]
    picked: dict[str, None] = {}
    crowd: Counter[tuple[str, int]] = Counter()
    for passage_id in wanted:
        chain = [one for one in _chain(passage_id, firsts, nodes) if one not in picked]
        cells = [(one.split("/")[0], nodes[one].round) for one in chain]
        if len(picked) + len(chain) > MOST_PILLS or any(crowd[cell] >= MOST_OF_CELL for cell in cells):
            continue
        picked.update(dict.fromkeys(chain))
        crowd.update(cells)
    return list(picked)


def _chain(passage_id: str, firsts: Mapping[str, Hop], nodes: Mapping[str, NodePart]) -> Iterator[str]:
    seen: set[str] = set()
    one: str | None = passage_id
    while one is not None and one in nodes and one not in seen:
        seen.add(one)
        yield one
        hop = firsts.get(one)
        one = None if hop is None else hop.source_id


def _lanes(chosen: Sequence[str], nodes: Mapping[str, NodePart], titles: Mapping[str, str]) -> dict[str, str]:
    """Return the lane of each passage: its document if among the most important, else the rest."""
    counted = Counter(titles[one] for one in nodes)
    wanted = list(dict.fromkeys(titles[one] for one in chosen))
    wanted += [title for title, _ in counted.most_common() if title not in wanted]
    own = set(wanted if len(wanted) <= MOST_LANES else wanted[: MOST_LANES - 1])
    rest = f"{len(wanted) - len(own)} more documents"
    order = {title: place for place, title in enumerate([*wanted, rest])}
    lane = {one: titles[one] if titles[one] in own else rest for one in nodes}
    return dict(sorted(lane.items(), key=lambda pair: order[pair[1]]))


def _pill(passage_id: str, full: str, x: float, y: float, strategy: str, rank: int | None) -> Pill:
    label = _cut(full, LONGEST_LABEL, from_end=True)
    width = max(52.0, len(label) * LETTER + 20)
    return Pill(passage_id, label, right_to_left(label), full, x, y + PILL / 2, width, strategy, rank)


def _is_drawn(hop: Hop, pills: Mapping[str, Pill], firsts: Mapping[str, Hop]) -> bool:
    """Return whether a link is drawn: within a column only the link that admitted the passage."""
    source = pills[hop.source_id or ""]
    return source.x != pills[hop.target_id].x or firsts[hop.target_id] == hop


def _path(source: Pill, target: Pill) -> str:
    """Return a curve from the right of one pill to the left of another, around those of its own column."""
    if source.x == target.x:
        x, out = source.x - source.width / 2, 34
        end = target.x - target.width / 2
        return f"M{x:.1f} {source.y:.1f}C{x - out:.1f} {source.y:.1f} {end - out:.1f} {target.y:.1f} " + (
            f"{end:.1f} {target.y:.1f}"
        )
    forward = 1 if target.x > source.x else -1
    start, end = source.x + forward * source.width / 2, target.x - forward * target.width / 2
    middle = (start + end) / 2
    return f"M{start:.1f} {source.y:.1f}C{middle:.1f} {source.y:.1f} {middle:.1f} {target.y:.1f} " + (
        f"{end:.1f} {target.y:.1f}"
    )


def _describe(hop: Hop, name: Callable[[str], str]) -> str:
    return " ".join(part for part in (name(hop.target_id), hop_words(hop, name), hop_quote(hop)) if part)


def _cut(text: str, most: int, *, from_end: bool = False) -> str:
    """Return a text shortened at its end or at its beginning."""
    if len(text) <= most:
        return text
    if not from_end:
        return f"{text[: most - 1].rstrip()}…"
    end = text[-most + 1 :]
    return f"…{end.partition(' ')[2] or end}"
