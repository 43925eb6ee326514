"""Measure on gold questions what following the references is worth."""

from __future__ import annotations

from pathlib import Path

import redstring

GOLD = Path(__file__).parent.parent / "sample_data" / "meridia"


def main() -> None:
    """Print recall and nDCG of the scan alone and of the investigation, with and without citations."""
    corpus = redstring.open_sample()
    for name, settings in (("balanced", {}), ("without rounds", {"rounds": 0})):
        figures = redstring.evaluate(
            corpus, GOLD / "queries.jsonl", GOLD / "qrels.tsv", "balanced", limit=4, **settings
        )
        print(name, figures.queries, "questions")
        for metric in ("recall@10", "ndcg@10"):
            print(f"  {metric}: {figures.scan[metric]:.3f} -> {figures.investigation[metric]:.3f}")


if __name__ == "__main__":
    main()
