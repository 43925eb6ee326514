"""Every class of attacks on the product, and what came of it.

    python -m benchmarks.attacks [--only CLASS ...] [--share 1.0] [--seed 0] [--markdown FILE]

A class is a module of this package with ``run(tries, seed)``. ``--share`` takes a part of the tries that
each is given by default. Prints a Markdown table (class, tries, held, failed) and each failure in a line; the
exit code is 1 where anything failed. The classes, with the tries that each is given:

    damage    every file of a corpus flipped, cut, swapped, missing
    kills     kills at random moments of ingestion, adding, removing, deciding

All other attacks are tests: requests and jobs (``tests/ui/server``, ``tests/ui/access``),
addresses and servers (``tests/engine/network``), a confined process that was taken over
(``tests/engine/isolation``), damaged uploads (``tests/fuzz``).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

from benchmarks import new_parser
from benchmarks.attacks.small_corpora import Outcome, table

# How often each class is tried by default.
TRIES: Mapping[str, int] = {
    "damage": 1000,
    "kills": 1000,
}


def main() -> int:
    """Attack and print."""
    parser = new_parser(__doc__)
    parser.add_argument("--only", action="append", choices=sorted(TRIES), default=[], metavar="CLASS")
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    outcomes: list[Outcome] = []
    for name in options.only or TRIES:
        started = time.monotonic()
        attack = import_module(f"benchmarks.attacks.{name}").run
        found: tuple[Outcome, ...] = attack(max(1, round(options.share * TRIES[name])), options.seed)
        outcomes += found
        tries, held = sum(one.tries for one in found), sum(one.held for one in found)
        print(f"{name}: {held:,} of {tries:,} held, {time.monotonic() - started:.0f} s", flush=True)
    told = table(outcomes)
    print(f"\n{told}")
    if options.markdown is not None:
        options.markdown.write_text(told + "\n", encoding="utf-8")
    return 1 if any(outcome.failures for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
