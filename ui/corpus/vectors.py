"""Vectors of visitors' corpora, made in the background, one corpus at a time."""

from __future__ import annotations

import shutil
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Timer

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.corpus.embedded.generation import NO_MODEL, Manifest, read_manifest
from engine.corpus.embedded.publication import WANTED_NAME
from engine.errors import CancelledError, CorpusError, InputError, RedstringError, for_visitors
from engine.operator_settings import OperatorSettings
from ui.corpus.ingestion import Ingestion, run_order
from ui.corpus.orders import Order
from ui.models.choices import may_be_used, usual
from ui.serve import Workspaces
from ui.server.jobs import UNEXPLAINED, Ended, Folders, Job, Jobs, Owner, Rules, State

# The vectors that a corpus should have, in a file that outlives the server.


class WantedVectors(BaseModel):
    """The spec of the model, whether a person has stopped the work, the problem that halted it, and the share
    of passages that were read, 0 to 1."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str
    stopped: bool = False
    problem: str = ""
    share: float = Field(default=0.0, ge=0, le=1)

    @property
    def rests(self) -> bool:
        """Return whether the work waits for a person."""
        return self.stopped or bool(self.problem)


# Files that could not be written (the disk is full): the next server will not know them.
_UNWRITTEN: dict[Path, WantedVectors | None] = {}


def load_wanted(folder: Path) -> WantedVectors | None:
    """Read the file of a corpus; None without one, or if it cannot be read."""
    if folder in _UNWRITTEN:
        return _UNWRITTEN[folder]
    try:
        return WantedVectors.model_validate_json((folder / WANTED_NAME).read_bytes())
    except (OSError, ValidationError):
        return None


def store_wanted(folder: Path, wanted: WantedVectors | None) -> None:
    """Write the file of a corpus, or delete it (None). Nothing is written for a removed corpus."""
    waiting = folder / f"{WANTED_NAME}.new"
    try:
        if wanted is None:
            (folder / WANTED_NAME).unlink(missing_ok=True)
        else:
            waiting.touch(mode=0o600)
            waiting.write_text(wanted.model_dump_json(), encoding="utf-8")
            waiting.replace(folder / WANTED_NAME)
        _UNWRITTEN.pop(folder, None)
    except OSError:
        with suppress(OSError):
            waiting.unlink(missing_ok=True)
        if folder.exists():
            _UNWRITTEN[folder] = wanted
        else:
            _UNWRITTEN.pop(folder, None)


def all_wanted(home: Path) -> list[Path]:
    """Return the corpora made on the page whose vectors are still to be made, unless stopped."""
    folders = [path.parent for path in home.glob(f"visitors/*/*/{WANTED_NAME}")]
    folders += [path.parent for path in home.glob(f"corpora/*/{WANTED_NAME}")]
    going = []
    for folder in sorted(folders):
        wanted = load_wanted(folder)
        if wanted is not None and not wanted.rests and not folder.name.startswith("."):
            going.append(folder)
    return going


# Vectors of the corpora made on the page: after all other work, one corpus at a time. A corpus is searched
# by words and references as soon as it is written. The file next to it lets the next server continue after
# this one ends or is killed.

# Time for one corpus while others wait, min. Its vectors so far are kept for the next turn.
TURN = 10
# Delay after the start of the server, s.
BEGINS_AFTER = 15.0
# Interval of checks of a corpus that is being changed, and timeout for the end of a job, s.
PAUSE, ENDS = 0.1, 10.0
READING_STEP = "embed"
NOUN = "embedding"


class Vectors:
    """Makes vectors in the background. A corpus is locked in ``changing`` while its vectors are stored."""

    def __init__(self, settings: OperatorSettings, changing: Folders, workspaces: Workspaces) -> None:
        self._settings, self._changing, self._workspaces = settings, changing, workspaces
        turn = 60.0 * min(TURN, settings.job_minutes)
        rules = Rules(NOUN, 1, settings.waiting, turn, of_visitor=max(1, (1 + settings.waiting) // 2))
        self.jobs: Jobs[Ingestion] = Jobs(rules)

    def written(self, folder: Path, owner: Owner) -> None:
        """Order the missing vectors of a written corpus, if they are requested or usual."""
        manifest, wanted = read_manifest(folder), load_wanted(folder)
        if wanted is not None and wanted.stopped:
            return
        model = manifest.embedding if wanted is None else wanted.model
        if model == NO_MODEL:
            offer = usual(manifest.languages, self._settings)
            model = NO_MODEL if offer is None else offer.spec
        if model != NO_MODEL:
            self._want(folder, manifest, model, owner)

    def want(self, folder: Path, model: str, owner: Owner) -> None:
        """Order the vectors of a model, by its spec. Raises InputError if too many are waiting."""
        self._want(folder, read_manifest(folder), model, owner)
        wanted = load_wanted(folder)
        if wanted is not None and wanted.problem and self.job(folder) is None:
            raise InputError(wanted.problem)

    def stop(self, folder: Path) -> None:
        """Stop the work on a corpus; its vectors so far are kept."""
        wanted, job = load_wanted(folder), self.job(folder)
        if wanted is not None:
            share = wanted.share if job is None else share_read(job) or wanted.share
            store_wanted(folder, wanted.model_copy(update={"stopped": True, "share": share}))
        self._end(job)

    def forget(self, folder: Path) -> None:
        """End the work on a corpus that is to be deleted."""
        store_wanted(folder, None)
        self._end(self.job(folder))

    def job(self, folder: Path) -> Job[Ingestion] | None:
        """The job on a corpus, waiting or running."""
        return self.jobs.going(folder.parent.name, folder)

    def before(self, job: Job[Ingestion]) -> int:
        """Return the number of jobs before a job in the queue."""
        return self.jobs.before(job)

    def go_on(self, home: Path, after: float = BEGINS_AFTER) -> None:
        """Continue, after a delay, the work that the previous server has not finished."""
        if all_wanted(home):
            timer = Timer(after, self._go_on, (home,))
            timer.daemon = True
            timer.start()

    def _go_on(self, home: Path) -> None:
        for folder in all_wanted(home):
            wanted = load_wanted(folder)
            if wanted is not None and self.job(folder) is None:
                try:
                    self._want(folder, read_manifest(folder), wanted.model, Owner(""))
                except CorpusError as error:
                    store_wanted(folder, wanted.model_copy(update={"problem": for_visitors(error)}))

    def _want(self, folder: Path, manifest: Manifest, model: str, owner: Owner) -> None:
        share = (load_wanted(folder) or WantedVectors(model=model)).share
        wanted = WantedVectors(model=model, share=share)
        store_wanted(folder, wanted)
        going = self.job(folder)
        if going is not None and going.payload.order.embedding == model:
            # The job checks whether the corpus has changed before it ends.
            return
        self._end(going)
        # Parsers of untrusted documents can write to the folder of this file: only offered models are
        # accepted.
        if not may_be_used(model, folder, self._settings):
            store_wanted(
                folder, wanted.model_copy(update={"problem": "its model is not offered here any more"})
            )
            return
        order = Order(kind="embed", folder=folder, name=manifest.name, embedding=model)
        payload = Ingestion(order, Path(), (model, manifest.sparse))
        # The folder identifies the owner: a new server does not know the tokens.
        mine = Owner(folder.parent.name, owner.address)
        try:
            self.jobs.start(mine, payload, self._work, folder=folder, name=manifest.name)
        except InputError as error:
            store_wanted(folder, wanted.model_copy(update={"problem": str(error)}))

    def _work(self, job: Job[Ingestion]) -> Ended:
        folder = job.payload.order.folder
        share, problem = share_read(job), UNEXPLAINED.format(NOUN)
        try:
            job.payload.workspace = self._workspaces.new()
            with ExitStack() as taken:
                run_order(job, self._settings, noun=NOUN, ready=lambda: self._take(job, taken))
                problem = ""
                store_wanted(folder, None)
            return Ended()
        except CancelledError:
            problem = ""
            if not job.overdue:
                raise
            if share_read(job) <= share:
                problem = f"in {self.jobs.rules.seconds / 60:g} minutes nothing came of it"
                raise InputError(problem) from None
            return Ended(State.WAITING)
        except RedstringError as error:
            problem = for_visitors(error).replace(folder.name, job.name)
            raise
        finally:
            shutil.rmtree(job.payload.workspace, ignore_errors=True)
            wanted = load_wanted(folder)
            if wanted is not None and not wanted.stopped:
                store_wanted(folder, wanted.model_copy(update={"problem": problem, "share": share_read(job)}))

    def _take(self, job: Job[Ingestion], taken: ExitStack) -> None:
        """Lock the corpus until the job has ended, after a change that is under way."""
        folder = job.payload.order.folder
        while True:
            if job.stop.is_set():
                raise CancelledError(job.overdue or "cancelled")
            try:
                taken.enter_context(self._changing.taken(folder, job.name))
            except InputError:
                time.sleep(PAUSE)
            else:
                job.unhurried = True
                return

    def _end(self, job: Job[Ingestion] | None) -> None:
        if job is None:
            return
        self.jobs.cancel(job.id, job.owner.visitor)
        until = time.monotonic() + ENDS
        while not job.over and time.monotonic() < until:
            time.sleep(PAUSE / 4)


def share_read(job: Job[Ingestion]) -> float:
    """Return the share of passages that the model has read, 0 to 1."""
    if job.unhurried:
        return 1.0
    return job.done / job.total if job.step == READING_STEP and job.total > 1 else 0.0
