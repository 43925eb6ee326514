"""Ask one question with two settings, print what differs, and hand the second case over as files."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import redstring


def main() -> None:
    """Compare the scan alone with an investigation, then write a memo, a table and the record."""
    corpus = redstring.open_sample()
    question = "When does the objection deadline end after an amended assessment?"

    scan = redstring.investigate(corpus, question, "balanced", follow=False)
    case = redstring.investigate(corpus, question, "balanced")

    difference = redstring.compare(scan, case)
    for move in difference.came:
        print(f"new at rank {move.after}: {move.label}")
    for move in difference.went:
        print(f"no longer ranked (was {move.before}): {move.label}")
    for cause in difference.causes:
        print(f"because: {cause.words}")

    # Pin the first passage, then follow its citations in one more round.
    first = case.ranking[0].passage.id
    case.pin(first)
    for _event in case.follow(first, ["citations"]):
        pass

    with TemporaryDirectory() as folder:
        for form in ("md", "csv", "json"):
            content = redstring.export(case, form, Path(folder, f"case.{form}"))
            print(f"case.{form}: {len(content):,} bytes")


if __name__ == "__main__":
    main()
