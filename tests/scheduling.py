"""Which tests run in one process: a file's, and those of several files that need the same costly thing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdist.scheduler import LoadFileScheduling

if TYPE_CHECKING:
    import pytest
    from xdist.remote import Producer

BROWSERS = 2
# A server is started once.
SERVER = (
    "engine/corpus/postgresql/",
    "engine/records/store/",
    "engine/review/test_store",
    "engine/review/test_queues",
    "engine/review/test_at_once",
)
# The libraries for models take seconds of each process that imports them.
MODELS = (
    "engine/retrieval/",
    "engine/language/embedders/",
    "engine/ingestion/test_embedding.py",
    "engine/ingestion/test_vectors.py",
    "engine/investigation/test_reranking.py",
    "benchmarks/test_built_sample.py",
)


class ByNeed(LoadFileScheduling):  # type: ignore[misc]  # It has no types.
    """By file; the browser's files in two lots, those that need models in one, those of a server in one."""

    def __init__(self, config: pytest.Config, log: Producer) -> None:
        super().__init__(config, log)
        self._lots: dict[str, str] = {}

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        place = file.removeprefix("tests/")
        if place.startswith("browser/"):
            return self._lots.setdefault(file, f"browser {len(self._lots) % BROWSERS}")
        if place.startswith(SERVER):
            return SERVER[0]
        return "models" if place.startswith(MODELS) else file
