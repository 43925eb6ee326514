"""Read a visitor's file in a confined process: ``python -m ui.server.reader``.

It reads one order from standard input and writes lines of JSON: an object for each item, then a text, which
is empty or describes in one line what is wrong with the file. Each kind of file imports only what it needs,
because the visitor waits.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson

from engine.errors import RedstringError


def main() -> int:
    """Carry out one order; returns 0 unless the program itself is at fault."""
    tell, order = own_output(), orjson.loads(sys.stdin.buffer.readline())
    name, wrong = ", ".join(order["files"]), ""
    try:
        for item in READERS[order["kind"]](*map(Path, order["files"]), **order["given"]):
            tell(item)
    except RedstringError as error:
        wrong = str(error)
    except MemoryError:
        wrong = f"{name}: needs more memory than there is for one file"
    except RecursionError:
        wrong = f"{name}: nested too deeply"
    tell(wrong)
    return 0


def own_output() -> Callable[[Any], None]:
    """Return a function that writes a value as a line of JSON to the output of the process.

    Output that libraries print goes to standard error, so that it cannot mix with these lines.
    """
    stream = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def tell(value: Any) -> None:
        stream.write(orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS) + b"\n")
        stream.flush()

    return tell


def _text(path: Path, longest: int) -> Iterable[dict[str, Any]]:
    from engine.ingestion.reading import read_text

    text = read_text(path)
    return [{"text": text[:longest], "length": len(text)}]


def _questions(queries: Path, qrels: Path, most: int) -> Iterable[dict[str, Any]]:
    from engine.evaluation.questions import read_questions, spread_evenly

    return map(asdict, spread_evenly(read_questions(queries, qrels), most))


def _verdicts(path: Path, format: str, most: int) -> Iterable[dict[str, Any]]:
    from engine.review.exchange.registry import format_of

    return map(asdict, format_of(format).read(path, most))


READERS: Mapping[str, Callable[..., Iterable[dict[str, Any]]]] = {
    "text": _text,
    "questions": _questions,
    "verdicts": _verdicts,
}

if __name__ == "__main__":
    # Exit at once: the cleanup of libraries takes a while, and there is nothing to clean up.
    os._exit(main())
