"""Store answers until a stream fetches them.

Gradio keeps the return values of its functions until a stream fetches them, for 2,000 page loads and without
a size or time limit. Here only a marker goes through its queue. The answer is stored as JSON, within limits,
and replaces the marker in the stream.
"""

from __future__ import annotations

import re
import secrets
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

import orjson

# Lifetime of an answer, s; number of answers of a visitor; bytes of all; overhead of each answer, bytes.
LONGEST_SECONDS, MOST_OF_VISITOR, BYTES, OVERHEAD = 600.0, 500, 64_000_000, 600
GONE = "the answer was not fetched within ten minutes, or too many others waited: make the call again"
_MARK = re.compile(rb'"redstring-answer-[0-9a-f]{32}"')


@dataclass(frozen=True, slots=True)
class _Answer:
    visitor: str
    content: bytes
    since: float


class Answers:
    """Answers by marker, oldest first. Not thread-safe."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self._waiting: OrderedDict[bytes, _Answer] = OrderedDict()
        self._numbers, self._bytes = Counter[str](), Counter[str]()

    def __len__(self) -> int:
        return len(self._waiting)

    def store(self, visitor: str, data: object) -> str:
        """Store an answer for a visitor; returns its marker.

        If there is no room, drops the oldest answer of the visitor, or of the visitor with the most bytes.
        """
        content = orjson.dumps(data, default=str, option=orjson.OPT_NON_STR_KEYS)
        size = len(content) + OVERHEAD
        if self._numbers[visitor] >= MOST_OF_VISITOR:
            self._drop_oldest(visitor)
        while self._waiting and self._bytes.total() + size > BYTES:
            self._drop_oldest(self._bytes.most_common(1)[0][0])
        mark = f"redstring-answer-{secrets.token_hex(16)}"
        self._waiting[f'"{mark}"'.encode()] = _Answer(visitor, content, self.clock())
        self._numbers[visitor] += 1
        self._bytes[visitor] += size
        return mark

    def restore(self, message: bytes) -> bytes:
        """Replace the marker in a message of a stream by its answer; by an error if the answer was
        dropped."""
        found = _MARK.search(message)
        if found is None:
            return message
        answer = self._take(found[0])
        if answer is None:
            return _failed(message)
        return message[: found.start()] + answer.content + message[found.end() :]

    def sweep(self) -> None:
        """Drop the answers that have waited too long."""
        while self._waiting:
            mark, answer = next(iter(self._waiting.items()))
            if self.clock() - answer.since < LONGEST_SECONDS:
                return
            self._take(mark)

    def _drop_oldest(self, visitor: str) -> None:
        self._take(next(mark for mark, answer in self._waiting.items() if answer.visitor == visitor))

    def _take(self, mark: bytes) -> _Answer | None:
        answer = self._waiting.pop(mark, None)
        if answer is not None:
            self._numbers[answer.visitor] -= 1
            self._bytes[answer.visitor] -= len(answer.content) + OVERHEAD
            if not self._numbers[answer.visitor]:
                del self._numbers[answer.visitor], self._bytes[answer.visitor]
        return answer


def _failed(message: bytes) -> bytes:
    """Turn a message of a stream into an error message, in the format of its route."""
    if message.startswith(b"event:"):
        return b"event: error\ndata: " + orjson.dumps(GONE) + b"\n\n"
    output = orjson.loads(message.removeprefix(b"data:"))
    return b"data: " + orjson.dumps({**output, "success": False, "output": {"error": GONE}}) + b"\n\n"
