"""The page as a program: builds and serves it until a termination signal."""

from __future__ import annotations

import argparse
import atexit
import contextlib
import ctypes
import fcntl
import gc
import logging
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from engine.access.audit_log import audit_log
from engine.corpus import Place, place_of
from engine.errors import InputError, RedstringError, SettingsError
from engine.files import make_private_folder
from engine.operator_settings import ANYWHERE, OperatorSettings, operator_settings
from engine.records.retention import sweep_periodically
from ui.server.logs import QuietStream, WithoutContent

if TYPE_CHECKING:
    import gradio as gr

    from engine.llm import LanguageModel
    from ui.page import Page
    from ui.server.pool import Workers
    from ui.shelf import Library


# Let all threads reuse memory that other threads have freed.

# From malloc.h of the GNU C library, see mallopt(3).
M_ARENA_MAX = -8
# With the default of eight arenas per core, a server grew by 50 MB in 15 minutes with two visitors, although
# its objects did not.
ARENAS = 2


def give_back() -> bool:
    """Return freed memory to the system, in some milliseconds; False if the C library cannot do that.

    Otherwise the C library keeps it for this process.
    """
    try:
        return bool(ctypes.CDLL(None).malloc_trim(0))
    except (OSError, TypeError, AttributeError):
        return False


def share_arenas() -> bool:
    """Make all threads of this process allocate from a few arenas. Call it before starting threads.

    Returns False if the C library has no such setting.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, TypeError, AttributeError):
        # Not the GNU C library: Alpine, macOS and Windows have no such arenas.
        return False
    return bool(mallopt(M_ARENA_MAX, ARENAS))


# Folders of one server, removed with it: for temporary files, and for its jobs.
#
# Each is closed to other users, and locked while its server lives. An unlocked folder was left by a killed
# server; the next server removes it.

FOLDER = "work"
PREFIX, BEGINNING = "redstring-server-", "redstring-beginning-"


class ServerFolder:
    """A folder of this server in another one, from which the folders of dead servers are removed."""

    def __init__(self, above: Path) -> None:
        make_private_folder(above)
        remove_left(above)
        made = Path(tempfile.mkdtemp(prefix=BEGINNING, dir=above))
        self._lock = os.open(made, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        # Rename it only after locking, so that no other server takes it for one of a dead server.
        self.path = made.rename(above / f"{PREFIX}{made.name.removeprefix(BEGINNING)}")

    def close(self) -> None:
        """Remove it with its content."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


def remove_left(above: Path) -> None:
    """Remove folders of dead servers."""
    for left in above.glob(f"{PREFIX}*"):
        # It is locked by a running server, was removed by another one, or belongs to another user.
        with suppress(OSError):
            lock = os.open(left, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(left, ignore_errors=True)
            finally:
                os.close(lock)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Use a folder of this server for all temporary files within this context.

    These are uploads and files of libraries.
    """
    folder = ServerFolder(Path(tempfile.gettempdir()))
    before = tempfile.tempdir
    # Child processes inherit the variable; Gradio has one of its own.
    variables = {name: os.environ.get(name) for name in ("TMPDIR", "GRADIO_TEMP_DIR")}
    try:
        tempfile.tempdir = os.environ["TMPDIR"] = str(folder.path)
        os.environ["GRADIO_TEMP_DIR"] = str(folder.path / "uploads")
        yield folder.path
    finally:
        tempfile.tempdir = before
        for name, value in variables.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        folder.close()


class Workspaces:
    """The folders of one server's jobs, in its home, else in the system's temporary folder."""

    def __init__(self, home: Path | None) -> None:
        self._home = home
        self._own: ServerFolder | None = None
        atexit.register(self.close)
        if home is not None:
            remove_left(home / FOLDER)

    def new(self) -> Path:
        """Make an empty folder for one job; the caller removes it."""
        if self._own is None:
            above = Path(tempfile.gettempdir()) if self._home is None else self._home / FOLDER
            self._own = ServerFolder(above)
        return Path(tempfile.mkdtemp(prefix="job-", dir=self._own.path))

    def close(self) -> None:
        """Remove all folders."""
        if self._own is not None:
            self._own.close()
            self._own = None


# The page as a program: builds and serves it until a termination signal.
#
# ``redstring serve [--corpus DIR ...] [--llm SPEC] [--host H] [--port N] [--workers N]``, or ``python
# app.py`` with the same flags. Without a corpus it shows the sample corpus from the server's folder
# (``REDSTRING_HOME``, by default ``.redstring`` in a clone, and the user's data folder otherwise). Without
# ``--llm`` or ``REDSTRING_LLM`` the page has no language model of its own. ``redstring settings`` lists all
# settings.

# Gradio reads this on import: without it the server would report its start to an outside host.
os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
# torch, faiss and BLAS read this on import. The cores are for parallel cases; threads of one case that wait
# for each other need almost twice its processor time.
os.environ.setdefault("OMP_NUM_THREADS", "1")


FAILED, UNUSABLE = 1, 2


def build(places: Sequence[Place], settings: OperatorSettings) -> tuple[Page, Library]:
    """Build the page over some corpora, or over the sample corpus without any; returns both."""
    # Report an invalid spec now, not to the first visitor; this sends nothing.
    operators_model(settings.llm)
    from ui.sample import sample_folder
    from ui.shelf import open_library

    home = settings.home_folder
    library = open_library(list(places) or [sample_folder(home)], home, settings)
    # Importing Gradio takes seconds: report problems of a corpus before that.
    from ui.models.connections import Connections, OperatorsModel
    from ui.page import build_page

    connections = Connections(settings, OperatorsModel(settings, operators_model))
    return build_page(library, connections=connections), library


def build_demo() -> gr.Blocks:
    """Build the page over the sample corpus for another program to serve.

    Cases run in that program's process, because it cannot be started a second time. Raises SettingsError if
    the settings require a login, which only our own server checks.
    """
    settings = operator_settings(host=ANYWHERE, workers=0)
    if settings.access != "off":
        raise SettingsError(
            "REDSTRING_ACCESS: start it with python app.py or redstring serve, which keep the door"
        )
    page, library = build([], settings)
    from ui.server.warming import warm_up

    warm_up(library, page.example.values)
    return page


def operators_model(spec: str) -> LanguageModel | None:
    """Return the operator's language model; its key comes from the environment."""
    from engine.llm.client import connect
    from engine.llm.cost import default_cache

    return connect(spec, environment_key=True, cache=default_cache())


def run(prog: str, arguments: Sequence[str] | None = None) -> int:
    """Serve the page in a process of its own. ``prog`` is the command's name; returns the exit code."""
    # Imported objects are permanent; collecting them repeatedly takes a tenth of the start.
    gc.set_threshold(50_000, 20, 50)
    return main(arguments, prog)


def main(arguments: Sequence[str] | None = None, prog: str = "python app.py") -> int:
    """Serve the page until it is stopped; returns the exit code."""
    parser = argparse.ArgumentParser(prog=prog, description="Redstring, in the browser.")
    parser.add_argument(
        "--corpus", action="append", default=[], metavar="DIR",
        help="folder of a corpus, or its address postgresql://HOST/DATABASE?corpus=NAME; may be given "
        "several times (default: the sample corpus)",
    )  # fmt: skip
    parser.add_argument(
        "--llm", metavar="SPEC",
        help="language model of this server, openai:MODEL@URL?context=8192; its key is read from "
        "REDSTRING_LLM_KEY. Used by whoever sits at this machine, and by every visitor where "
        "REDSTRING_LLM_SHARED=on (default: REDSTRING_LLM, else none: everything works without)",
    )  # fmt: skip
    parser.add_argument("--host", help="address to serve on (default: GRADIO_SERVER_NAME, else 127.0.0.1)")
    parser.add_argument(
        "--workers", metavar="N",
        help="processes that work on cases; 0: the page's own does (default: REDSTRING_WORKERS, else as many "
        "as cores where the page is served to others, and 0 where it is served to this machine alone)",
    )  # fmt: skip
    parser.add_argument("--port", type=int, help="its port (default: GRADIO_SERVER_PORT, else 7860)")
    options = parser.parse_args(arguments)
    handler = logging.StreamHandler()
    handler.setFormatter(WithoutContent())
    logging.basicConfig(handlers=[handler])
    logging.getLogger("ui").setLevel(logging.INFO)
    share_arenas()
    # Other users of this computer must not read uploads and their results.
    os.umask(0o077)
    # Handle a termination signal like a normal exit, so that all cleanup runs.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        given = {name: getattr(options, name) for name in ("llm", "host", "port", "workers")}
        settings = operator_settings(**{name: value for name, value in given.items() if value is not None})
        with temporary_folder() as folder, contextlib.redirect_stderr(QuietStream(sys.stderr)):
            page, library = build([place_of(words) for words in options.corpus], settings)
            from ui.server.warming import warm_up

            with audit_log(settings), sweep_periodically(settings):
                try:
                    warm = partial(warm_up, library, page.example.values)
                    return serve_page(page, settings, folder, warm, library.workers)
                finally:
                    library.workers.stop()
    except RedstringError as error:
        print(f"redstring: {error}", file=sys.stderr)
        return UNUSABLE if isinstance(error, InputError) else FAILED


def serve_page(
    page: gr.Blocks,
    settings: OperatorSettings,
    folder: Path,
    when_open: Callable[[], object],
    workers: Workers | None = None,
) -> int:
    """Serve a page until a termination signal.

    ``folder`` is for temporary files, ``when_open`` is called once the page answers, and ``/metrics`` reports
    on ``workers``.

    Raises InputError for an invalid name in the settings, ServingError if the address is in use.
    """
    from ui.server.app import entry, guarded, listening, server

    door = entry(settings)
    app = guarded(page, settings, door, folder / "uploads", workers)
    with listening(settings.host, settings.port) as line:
        print(f"Redstring: http://{settings.host}:{line.getsockname()[1]}", flush=True)
        serving = server(app, door.proxies, when_open)
        with contextlib.suppress(KeyboardInterrupt):
            serving.run([line])
    return 0 if serving.started else FAILED
