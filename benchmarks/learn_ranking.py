"""Learn the weights of the ranking from the gold sets, and say what they give on questions not learned from.

    python -m benchmarks.learn_ranking DATA_DIR CORPORA_DIR [--every SET=K ...] [--write]

Questions are ranked by weights that know nothing of them, in two ways: each half, by a hash of the words, by
what was learned from the other half; and each collection, with all sets that are asked of it or drawn from
the same source, by what was learned from the others. ``--write`` then learns from all of them and writes
the weights into the engine. Collections of long and of short documents are learned apart; within each, every
set has the same weight. All rankings are held to the scan as in the engine (``ranking/holding.py``); p is
that of recall@10 against the scan, by randomisation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import orjson
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks import new_parser
from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus, Rows
from engine.evaluation import read_questions
from engine.evaluation.compare import paired
from engine.evaluation.metrics import complete_at, ndcg_at, recall_at
from engine.investigation import run_case
from engine.investigation.graph.walks import Associations, get_associations
from engine.investigation.ranking.additive import FILE, AdditiveModel, Family, Shape, family_of
from engine.investigation.ranking.features import Features, PoolDescription
from engine.investigation.ranking.order import first_seeds, order_near_scan, second_seeds
from engine.retrieval.relevance import Relevance
from engine.retrieval.scan import Scan
from engine.review.learning import make_knots, ramps
from engine.settings import preset

# A listwise loss over monotone shapes: a softmax weighs each gold passage of a question against all other
# passages (the list likelihood of Xia et al., ICML 2008, for one rank at a time). A feature's contribution
# may not fall with its value, except for a few free features, so that every addend of a score can be
# explained.

# Features of the kind of passage, not of its fit to the question: they may count for or against.
FREE = frozenset(("heading", "document", "latest", "authority"))
RIDGE = 1e-4
ITERATIONS = 400


@dataclass(frozen=True, slots=True)
class Example:
    """One question: features of its pool, shape (features, n), and which passages are gold, shape (n,).

    ``group`` names its set; ``group_weights`` distributes weight over the sets.
    """

    group: str
    values: NDArray[np.float32]
    gold: NDArray[np.bool_]


def learn(
    names: Sequence[str], examples: Sequence[Example], group_weights: Mapping[str, float]
) -> AdditiveModel:
    """Fit a model that ranks gold first. Examples without gold in their pool are ignored.

    Raises ValueError if no example has gold.
    """
    usable = [one for one in examples if one.gold.any() and not one.gold.all()]
    if not usable:
        raise ValueError("no question has gold in its pool")
    sizes = np.array([len(one.gold) for one in usable])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    values = np.concatenate([one.values for one in usable], axis=1)
    knots = [make_knots(row) for row in values]
    table = ramps(values, knots)
    spread = table.std(axis=0) + 1e-3
    table /= spread
    gold = np.concatenate([one.gold for one in usable]).astype(np.float32)
    counts: dict[str, int] = {}
    for one in usable:
        counts[one.group] = counts.get(one.group, 0) + 1
    weight = np.array([group_weights[one.group] / counts[one.group] for one in usable], np.float32)
    weight /= weight.sum()
    number = np.repeat(np.arange(len(usable)), sizes)
    each = (weight / np.add.reduceat(gold, starts))[number] * gold

    def loss(parameters: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        scores = table @ parameters.astype(np.float32)
        scores -= np.maximum.reduceat(scores, starts)[number]
        power = np.exp(scores)
        others = np.add.reduceat(power * (1 - gold), starts)[number]
        below = power + others + 1e-12
        total = -float((each * (scores - np.log(below))).sum()) + RIDGE * float(parameters @ parameters)
        slope = -each * (1 - power / below)
        slope += (1 - gold) * power * np.add.reduceat(each / below, starts)[number]
        return total, (table.T @ slope).astype(np.float64) + 2 * RIDGE * parameters

    owners = [name for name, own in zip(names, knots, strict=True) for _ in range(len(own) - 1)]
    bounds = [(None, None) if owner in FREE else (0.0, None) for owner in owners]
    found = minimize(
        loss, np.zeros(len(owners)), jac=True, method="L-BFGS-B", bounds=bounds,
        options={"maxiter": ITERATIONS},
    )  # fmt: skip
    learned = (found.x / spread).astype(np.float32)
    shapes, begin = {}, 0
    for name, own in zip(names, knots, strict=True):
        ramped = learned[begin : begin + len(own) - 1]
        begin += len(own) - 1
        if np.abs(ramped).max(initial=0.0) > 1e-6:
            shapes[name] = Shape(own, ramped)
    scores = table @ found.x.astype(np.float32)
    best = np.maximum.reduceat(scores, starts)
    return AdditiveModel(shapes, max(float(np.median(best)), 1e-6))


def model_to_json(model: AdditiveModel) -> dict[str, object]:
    """Return a model as plain values, which ``model_from`` reads."""
    return {
        "scale": round(model.scale, 4),
        "shapes": {
            name: [[round(float(x), 4) for x in shape.knots], [round(float(x), 4) for x in shape.weights]]
            for name, shape in model.shapes.items()
        },
    }


# Learning on gold sets.

Order = NDArray[np.intp]

SETS = {
    "obliqa_xref": "obliqa_adgm",
    "obliqa_mp": "obliqa_adgm",
    "obliqa_adgm": "obliqa_adgm",
    "hipporag_2wiki": "hipporag_2wiki",
    "2wiki_dev164": "2wiki_dev164",
    "musique_dev200": "musique_dev200",
    "hipporag_musique_train100": "hipporag_musique_train100",
    "hotpotqa_dev200": "hotpotqa_dev200",
    "hipporag_hotpotqa_train100": "hipporag_hotpotqa_train100",
    "cn_stard": "cn_stard",
    "id_kuhperdata": "id_kuhperdata",
}
# Without vectors, and with gold that is hard to find: learned from only where nothing else is there. With
# them xref loses two points of recall@10.
OUTSIDE = ("cn_stard", "id_kuhperdata")
# Sets of one source share passages and ways of asking, whatever the folder.
SOURCES = ("obliqa", "2wiki", "musique", "hotpotqa")


@dataclass(slots=True)
class Asked:
    """One question: its pool described, which passages are gold, and how many golds there are."""

    group: str
    family: Family
    half: bool
    described: PoolDescription
    scanned: Rows
    sources: list[str]
    gold: dict[str, float]
    features: Features | None = None

    def example(self) -> Example:
        """The question as the learner takes it."""
        assert self.features is not None
        return Example(self.group, self.features.values, np.array([one in self.gold for one in self.sources]))


def ask(corpus: Corpus, name: str, data: Path, every: int) -> list[Asked]:
    """Investigate every k-th question of a set with ``balanced`` and describe its pool."""
    settings = preset("balanced")
    asked = []
    folder = data / name
    questions = read_questions(folder / "queries.jsonl.gz", folder / "qrels.tsv")[::every]
    graph = get_associations(corpus)
    for question in questions:
        case = run_case(corpus, question.text, settings)
        if case.scanned is None:
            continue
        rows = np.sort(case.pool.rows())
        asked.append(_described(corpus, case.scanned, graph, rows, name, question.text, question.gold))
    return asked


def _described(
    corpus: Corpus,
    scanned: Scan,
    graph: Associations,
    rows: Rows,
    name: str,
    text: str,
    gold: Any,
) -> Asked:
    relevance = scanned.relevance
    described = PoolDescription(corpus, relevance, graph, rows)
    # The scan's tables over the whole corpus are not needed any more.
    described.relevance = cast(Relevance, SimpleNamespace(plan=relevance.plan, vectors=relevance.vectors))
    sources = [passage.source_id for passage in corpus.passages(rows)]
    half = blake2b(text.encode(), digest_size=1).digest()[0] % 2 == 0
    return Asked(name, family_of(corpus), half, described, scanned.rows, sources, dict(gold))


def learned_twice(asked: Sequence[Asked]) -> tuple[AdditiveModel, AdditiveModel]:
    """Both models, from these questions alone."""
    weights = dict.fromkeys((one.group for one in asked), 1.0)
    names: tuple[str, ...] = ()
    for one in asked:
        one.features = one.described.with_links(first_seeds(one.described), None)
        names = one.features.names
    first = learn(names, [one.example() for one in asked], weights)
    onward(asked, first)
    return first, learn(names, [one.example() for one in asked], weights)


def onward(asked: Sequence[Asked], first: AdditiveModel) -> None:
    """Give each question the features of its second pass."""
    for one in asked:
        features = one.described.with_links(first_seeds(one.described), None)
        scores = first.addends(features.names, features.values).sum(axis=0) * first.scale
        one.features = one.described.with_links(second_seeds(scores), None)


def collection_of(one: Asked) -> str:
    """The collection that a question is asked of, by the source of its set."""
    return next((source for source in SOURCES if source in one.group), one.group)


def unseen(asked: Sequence[Asked], part: Callable[[Asked], object]) -> list[Order]:
    """The ranking of each question by weights learned from the questions of its family in other parts."""
    ranked: dict[int, Order] = {}
    for family, own in sorted({(one.family, part(one)) for one in asked}, key=str):
        kin = [one for one in asked if one.family is family]
        rest = [one for one in kin if part(one) != own]
        inside = [one for one in rest if one.group not in OUTSIDE] or rest
        first, second = learned_twice(inside)
        left = [one for one in kin if part(one) == own]
        onward(left, first)
        for one in left:
            assert one.features is not None
            scores = second.addends(one.features.names, one.features.values).sum(axis=0)
            free = np.zeros(len(scores), np.bool_)
            ranked[id(one)] = order_near_scan(one.described, scores, one.scanned, free)
    return [ranked[id(one)] for one in asked]


def figures(one: Asked, order: Order) -> dict[str, float]:
    """Metrics of one ranking of a pool, by places best first."""
    ranking = list(dict.fromkeys(one.sources[place] for place in order.tolist()))
    found = {f"recall@{k}": recall_at(ranking, one.gold, k) for k in (5, 10, 20)}
    found |= {f"complete@{k}": complete_at(ranking, one.gold, k) for k in (5, 10)}
    pool = len(set(ranking) & one.gold.keys()) == len(one.gold)
    return found | {"ndcg@10": ndcg_at(ranking, one.gold, 10), "pool": float(pool), "size": len(order)}


def table(asked: Sequence[Asked], ranked: Sequence[Order], scanned: Sequence[Order], title: str) -> None:
    """Print the means by set, and how sure the difference to the scan is."""
    rows: dict[str, list[tuple[dict[str, float], dict[str, float]]]] = {}
    for one, order, scan in zip(asked, ranked, scanned, strict=True):
        rows.setdefault(one.group, []).append((figures(one, order), figures(one, scan)))
    for group, found in rows.items():
        means = {name: float(np.mean([row[name] for row, _ in found])) for name in found[0][0]}
        p = paired([row["recall@10"] for row, _ in found], [scan["recall@10"] for _, scan in found]).p
        told = " ".join(f"{name} {value:.3f}" for name, value in means.items())
        print(f"{title:10} {group:28} {len(found):5} {told} p {p:.3f}", flush=True)


def main() -> None:
    """Ask, learn by halves, print, and learn from all."""
    parser = new_parser(__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--every", action="append", default=[], metavar="SET=K", help="every K-th question")
    parser.add_argument("--write", action="store_true", help="learn from all and write the weights")
    options = parser.parse_args()
    every = {name: int(step) for name, _, step in (one.partition("=") for one in options.every)}
    asked: list[Asked] = []
    for folder in dict.fromkeys(SETS.values()):
        names = [name for name, corpus in SETS.items() if corpus == folder and every.get(name, 1)]
        corpus = open_corpus(options.corpora / folder) if names else None
        for name in names if corpus is not None else ():
            asked += ask(cast(Corpus, corpus), name, options.data, every.get(name, 1))
            print(f"asked {name}", flush=True)
    scanned = [np.lexsort((one.described.rows, -one.described.own)) for one in asked]
    table(asked, scanned, scanned, "scan")
    table(asked, unseen(asked, lambda one: one.half), scanned, "other half")
    table(asked, unseen(asked, collection_of), scanned, "left out")
    if options.write:
        record = {}
        for family in Family:
            kin = [one for one in asked if one.family is family and one.group not in OUTSIDE]
            first, second = learned_twice(kin)
            record[family.value] = {"first": model_to_json(first), "second": model_to_json(second)}
        FILE.write_bytes(orjson.dumps(record, option=orjson.OPT_INDENT_2))
        print(f"written: {FILE.name}")


if __name__ == "__main__":
    main()
