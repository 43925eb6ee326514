"""Investigate a question on the sample corpus and print how each passage was found."""

from __future__ import annotations

import redstring


def main() -> None:
    """Print the progress of the case, then its passages and its answer."""
    corpus = redstring.open_sample()
    question = (
        "Can a manager with limited authority grant an agent broader powers than those in the register?"
    )

    # Events arrive while the case runs: PlanMade, ScanFinished, RoundFinished, ..., Ranked.
    case = redstring.investigate(
        corpus, question, "balanced", on_event=lambda event: print(type(event).__name__)
    )
    print(f"{len(case.pool)} passages in the pool; stopped: {case.stop.reason if case.stop else 'not yet'}")

    # The ranked passages with their trails.
    print(redstring.describe(case))

    # The answer consists of sentences of the sources, each with the passage that it is cited from.
    answer = redstring.answer(case)
    for sentence in answer.sentences:
        sources = ", ".join(answer.citation(number).short for number in sentence.citations)
        print(f"- {sentence.text} [{sources}]")


if __name__ == "__main__":
    main()
