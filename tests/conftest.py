"""What all tests share: no language model of this machine, three workers, the sample corpus."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock
from hypothesis import settings

from engine.operator_settings import OF_THE_TESTS, PREFIX
from tests.scheduling import MODELS, ByNeed

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
# Most of what lives was imported and lives to the end: looked through less often than by default, it takes a
# twentieth less of the processor.
gc.set_threshold(20_000, 20, 50)

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "sample_data" / "meridia"
SAMPLE_NAME = "Republic of Meridia"
WORKERS = 3
FIRST = (
    *("browser/", "engine/ingestion/", "ui/corpus/", "ui/jobs/", "benchmarks/attacks/", "safety/", "ui/"),
    *("engine/corpus/postgresql/", "test_requirements", "test_wheel", "benchmarks/", "comparison/", "fuzz/"),
    *("engine/retrieval/", "engine/language/"),
    *("engine/answers/", "engine/investigation/", "engine/test_", "engine/access/", "engine/network/"),
)

# Tests of processes that are waited for, stopped and killed, and those that measure memory or time; none of a
# defence, which has to hold at once.
TRIED_AGAIN = (
    *("engine/ingestion/cluster/", "engine/ingestion/test_vectors.py"),
    *("ui/corpus/test_vectors.py", "ui/workers/test_pool.py", "engine/review/test_at_once.py"),
    *("engine/investigation/test_growth.py", "engine/corpus/embedded/test_room.py"),
    *("engine/language/test_growth.py", "engine/language/references/test_corpora.py", "ui/test_allocator.py"),
)

# The same examples in every run, and no verdict on how busy the machine is.
settings.register_profile("steady", deadline=None, derandomize=True, max_examples=40)
settings.register_profile("thorough", deadline=None, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """The whole suite runs in three processes (a browser is waited for half of the time), else in one."""
    whole = config.args_source is not pytest.Config.ArgsSource.ARGS
    return WORKERS if whole and not config.option.keyword and not config.option.collectonly else 0


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ByNeed:
    """What needs a browser, or a model, stays together: each is started in as few processes as can be."""
    return ByNeed(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The browser's tests, which take two processes; in the third ingestions, whose forks cost what a process
    has grown to; then what takes minutes a file.

    Files of a second are left for the end, so that no process waits long for the other's last file.
    """

    def place(item: pytest.Item) -> int:
        path = item.path.relative_to(ROOT / "tests").as_posix()
        if path.startswith(MODELS):
            return FIRST.index("engine/retrieval/")
        return next((n for n, folder in enumerate(FIRST) if path.startswith(folder)), len(FIRST))

    items.sort(key=place)
    for item in items:
        # A browser, or a process that is stopped or killed, may miss a moment on a busy machine, and a figure
        # may hold what another thread took; what is broken fails again.
        timed = item.path.relative_to(ROOT / "tests").as_posix().startswith(TRIED_AGAIN)
        if timed or item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.flaky(reruns=1))


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
