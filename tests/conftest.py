"""What all tests share: no language model of this machine, two processes, the sample corpus."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock
from hypothesis import find, settings
from hypothesis.strategies import text

from engine.operator_settings import OF_THE_TESTS, PREFIX
from tests.scheduling import (
    BUDGET,
    MARGIN,
    WITH_PROCESSES,
    GroupScheduling,
    Stopwatch,
    is_all_slow,
    is_slow,
    path_of,
    position,
)

if TYPE_CHECKING:
    from xdist.remote import Producer

# No test knows what is set on this machine, asks a language model named here, or fills its cache.
for _name in [*os.environ]:
    if _name.startswith((PREFIX, "OPENAI_", "GRADIO_SERVER_")) and _name not in OF_THE_TESTS:
        del os.environ[_name]
os.environ["REDSTRING_LLM_CACHE"] = "off"
# Workers with two threads each slow one another down. Read when torch, faiss and BLAS are first imported.
os.environ["OMP_NUM_THREADS"] = "1"
# Compiled code is kept also where the machine says otherwise: each of hundreds of processes would compile
# all that it imports.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "sample_data" / "meridia"
SAMPLE_NAME = "Republic of Meridia"
WORKERS = 2
OVER_BUDGET = "over budget"

# The same examples in every run, and no verdict on how busy the machine is.
settings.register_profile("steady", deadline=None, derandomize=True, max_examples=15)
settings.register_profile("thorough", deadline=None, derandomize=True, max_examples=200)
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "steady")
settings.load_profile(PROFILE)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Run the whole suite in two processes, a part of it in one."""
    whole = config.args_source is not pytest.Config.ArgsSource.ARGS
    return WORKERS if whole and not config.option.keyword and not config.option.collectonly else 0


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> GroupScheduling:
    """Keep the tests together that start the same costly thing."""
    return GroupScheduling(config, log)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not import files for the daily run of the whole suite of which it runs no test."""
    is_daily = config.option.markexpr == "not slow"
    whole = config.args_source is not pytest.Config.ArgsSource.ARGS
    return True if is_daily and whole and is_all_slow(collection_path) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the slow tests and order the files."""
    for item in items:
        if is_slow(item):
            item.add_marker(pytest.mark.slow)
    items.sort(key=position)


def pytest_collection_finish() -> None:
    """Build hypothesis's tables of letters, and keep the collector from what was imported: each takes most of
    a second of some test."""
    find(text(), lambda _: True)
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Read sources in this process, unless the test is one of those that test the reading processes."""
    if work := sys.modules.get("engine.ingestion.work"):
        from engine.ingestion.cluster import pools  # After the environment is set.
        from tests import in_process

        in_children = path_of(item).startswith(WITH_PROCESSES)
        work.make_pools = pools.make_pools if in_children else in_process.make_pools  # type: ignore[attr-defined]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Measure the processor time of a test, and fail it far above its budget."""
    watch = Stopwatch()
    with watch.running():
        result = yield
    is_free = PROFILE != "steady" or item.get_closest_marker("slow") or item.get_closest_marker("journey")
    if watch.seconds > BUDGET and not is_free:
        item.user_properties.append((OVER_BUDGET, watch.seconds))
    if watch.seconds > MARGIN * BUDGET and not is_free:
        pytest.fail(
            f"took {watch.seconds:.1f} s of the processor (budget {BUDGET:.0f} s): make it cheaper or slow"
        )
    return result


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List the tests that took more than their budget."""
    reports = [*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")]
    over = [(dict(report.user_properties).get(OVER_BUDGET), report.nodeid) for report in reports]
    for seconds, name in sorted(((s, n) for s, n in over if s is not None), reverse=True):
        terminalreporter.write_line(f"over its budget of {BUDGET:.0f} s: {seconds:.1f} s {name}")


@pytest.fixture(scope="session")
def sample_folder(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The sample corpus without vectors, built once for all workers. To be read; who writes takes a copy."""
    from engine.ingestion.build import build_corpus  # After the environment is set.

    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "sample" / "meridia"
    folder.parent.mkdir(exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        if not folder.exists():
            build_corpus([SAMPLE], folder, name=SAMPLE_NAME, embedding="none")
    return folder
