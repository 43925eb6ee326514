"""BM25 of the embedded store against rank_bm25 on the same terms, in one run.

    python -m benchmarks.lexical --corpus DIR [--queries N]

Queries are the first words of evenly spaced passages. Prints milliseconds a query and the ratio.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from rank_bm25 import BM25Okapi

from engine.corpus import open_corpus
from engine.language.analyzer import analyzer

QUERY_WORDS = 12
BEST = 100


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--queries", type=int, default=50)
    options = parser.parse_args()
    corpus = open_corpus(options.corpus)
    language = next(iter(corpus.info().languages))
    passages = corpus.passages(np.arange(len(corpus), dtype=np.int32))
    terms = analyzer(language).batch([passage.text for passage in passages])
    reference = BM25Okapi(terms)
    chosen = np.linspace(0, len(corpus) - 1, options.queries).astype(int).tolist()
    queries = [" ".join(passages[row].text.split()[:QUERY_WORDS]) for row in chosen]
    analysed = analyzer(language).batch(queries)
    corpus.search_lexical(queries[:1], language, BEST)
    ours, theirs = [], []
    for query, words in zip(queries, analysed, strict=True):
        started = time.perf_counter()
        corpus.search_lexical([query], language, BEST)
        middle = time.perf_counter()
        np.argsort(-reference.get_scores(words))[:BEST]
        ours.append(1000 * (middle - started))
        theirs.append(1000 * (time.perf_counter() - middle))
    print(f"{len(corpus):,} passages, {len(queries)} queries of {QUERY_WORDS} words")
    print(f"this store {np.median(ours):.2f} ms, rank_bm25 {np.median(theirs):.2f} ms a query (medians)")
    print(f"ratio {np.median(np.array(theirs) / np.array(ours)):.0f}")


if __name__ == "__main__":
    main()
