"""A process that changes a corpus is killed at a random moment; what is left has to be the corpus as it was
before or as it would have been after, with every decision that was acknowledged, and fit for the next change.

One process has imported everything and measured how long each change takes; each attempt is a fork of it.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from benchmarks.attacks.small_corpora import Attempt, Outcome, counted, fingerprint, write_acts
from engine.corpus import open_corpus
from engine.corpus.embedded.generation import MANIFEST_NAME
from engine.corpus.embedded.publication import DECISIONS_NAME, LOCK_NAME
from engine.corpus.embedded.writing import apply_decisions
from engine.corpus.judgements import Place, add_decision, load_decisions, locate_reference
from engine.corpus.verifying import verify
from engine.errors import RedstringError
from engine.ingestion.build import add_to_corpus, build_corpus, remove_from_corpus

# What a change is called: what it makes of the state of a corpus.
CHANGES = ("ingest", "ingest again", "add", "remove", "decide")
DONE, REFUSED, CRASHED = 0, 3, 4
# A writer that was killed holds its lock until the system has ended its children too.
SECONDS_FOR_THE_LOCK = 10.0


@dataclass(frozen=True, slots=True)
class State:
    """Which sources the corpus was ingested from, whether the further act was added, and whether the decision
    is in force. ``base`` is empty where there is no corpus."""

    base: str = ""
    extra: bool = False
    decided: bool = False


@dataclass(slots=True)
class Site:
    """Where it happens: the sources, the corpus, and what it answers in each state."""

    root: Path
    place: Place | None = None
    states: dict[str, State] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """The corpus."""
        return self.root / "corpus"

    def change(self, name: str, base: str) -> None:
        """Make a change. Raises RedstringError."""
        if name.startswith("ingest"):
            build_corpus([self.root / base], self.folder, embedding="none")
        elif name == "add":
            add_to_corpus([self.root / "extra"], self.folder)
        elif name == "remove":
            remove_from_corpus(["act-3"], self.folder)
        else:
            assert self.place is not None
            withdrawn = bool(self.decisions()) and not load_decisions(self.folder)[-1].withdrawn
            add_decision(self.folder, self.place, None if withdrawn else "act-0", withdrawn=withdrawn)
            apply_decisions(self.folder)

    def decisions(self) -> int:
        """How many have been written down."""
        return len(load_decisions(self.folder))

    def found(self) -> State | None:
        """The state that the corpus is in; None for none that it should ever be in. Raises RedstringError."""
        if not (self.folder / MANIFEST_NAME).exists():
            return State()
        return self.states.get(fingerprint(open_corpus(self.folder)))


def run(tries: int = 1000, seed: int = 0) -> tuple[Outcome, ...]:
    """Kill ``tries`` changes of a corpus."""
    with tempfile.TemporaryDirectory() as name:
        site = _prepared(Path(name))
        attempts = list(_attempts(site, tries, random.Random(seed)))
    kinds = sorted({attempt.name.partition(",")[0] for attempt in attempts})
    chosen = {kind: [one for one in attempts if one.name.partition(",")[0] == kind] for kind in kinds}
    return tuple(counted(f"killed: {kind}", chosen[kind]) for kind in kinds)


def _prepared(root: Path) -> Site:
    """Sources, and what every state of the corpus answers, each made without being disturbed."""
    site = Site(root)
    write_acts(root / "one", {0: 0, 1: 0})
    write_acts(root / "two", {0: 1, 1: 0, 2: 0})
    write_acts(root / "extra", {3: 0})
    site.change("ingest", "one")
    corpus = open_corpus(site.folder)
    (row, *_) = corpus.by_document(["act-1"])[0].tolist()
    (number, *_) = corpus.references_from(np.array([row], np.int32)).numbers.tolist()
    (reference,), (passage,) = corpus.references([number]), corpus.passages(np.array([row], np.int32))
    site.place = locate_reference(passage.id, passage.text, reference.span)
    for base in ("one", "two"):
        for decided in (False, True):
            _timed(site, "ingest", base)
            if decided:
                _timed(site, "decide", base)
            for extra in (False, True):
                if extra:
                    _timed(site, "add", base)
                site.states[fingerprint(open_corpus(site.folder))] = State(base, extra, decided)
            _timed(site, "remove", base)
            assert site.found() == State(base, False, decided)
            if decided:
                _timed(site, "decide", base)
    site.seconds["ingest again"] = site.seconds["ingest"]
    shutil.rmtree(site.folder)
    assert len(site.states) == 8
    return site


def _timed(site: Site, name: str, base: str) -> None:
    start = time.perf_counter()
    site.change(name, base)
    site.seconds[name] = max(site.seconds.get(name, 0.0), time.perf_counter() - start)


def _attempts(site: Site, tries: int, drawn: random.Random) -> Iterator[Attempt]:
    made, state = 0, State()
    while made < tries:
        name = drawn.choice([change for change in CHANGES if _makes_sense(change, state)])
        if name == "ingest again":
            shutil.rmtree(site.folder, ignore_errors=True)
            state = State()
        base = drawn.choice(("one", "two"))
        noted = site.decisions()
        killed, code = _killed(
            lambda name=name, base=base: site.change(name, base),  # type: ignore[misc]
            drawn.uniform(0.0, site.seconds[name]),
            whole_group=drawn.random() < 0.5,
        )
        found, note = _judged(site, name, base, state, noted)
        if not note and not killed and code != DONE:
            note = f"the change did not succeed (exit code {code})"
        if killed or note:
            made += 1
            yield Attempt(f"{name}, {base}", not note, note)
        state = found
    yield Attempt("afterwards", *_mended(site))


def _makes_sense(change: str, state: State) -> bool:
    if not state.base:
        return change.startswith("ingest")
    return change != "remove" or state.extra


def _killed(work: Callable[[], None], seconds: float, *, whole_group: bool) -> tuple[bool, int]:
    """Whether a fork was killed at its work, and its exit code where it was not."""
    child = os.fork()
    if child == 0:
        _work(work)
    ended, status = 0, 0
    end = time.perf_counter() + seconds
    while not ended and time.perf_counter() < end:
        time.sleep(min(0.002, max(0.0, end - time.perf_counter())))
        ended, status = os.waitpid(child, os.WNOHANG)
    if not ended:
        _end(child, whole_group=whole_group)
        _, status = os.waitpid(child, 0)
    _end(child, whole_group=True)
    return os.WIFSIGNALED(status), os.waitstatus_to_exitcode(status)


def _end(child: int, *, whole_group: bool) -> None:
    try:
        (os.killpg if whole_group else os.kill)(child, signal.SIGKILL)
    except ProcessLookupError:
        return


def _work(work: Callable[[], None]) -> None:
    """The life of a fork: the change, and nothing of what its parent would do."""
    os.setsid()
    code = CRASHED
    try:
        _patiently(work)
        code = DONE
    except RedstringError:
        code = REFUSED
    finally:
        os._exit(code)


def _patiently(work: Callable[[], None]) -> None:
    end = time.monotonic() + SECONDS_FOR_THE_LOCK
    while True:
        try:
            return work()
        except RedstringError as error:
            if "another process is writing" not in str(error) or time.monotonic() > end:
                raise
            time.sleep(0.005)


def _judged(site: Site, name: str, base: str, before: State, noted: int) -> tuple[State, str]:
    """The state that is found, and what is wrong with it."""
    try:
        found = site.found()
        decisions = load_decisions(site.folder)
        problems = verify(site.folder).problems if found and found.base else ()
    except RedstringError as error:
        return before, f"refused: {error}"
    if found is None:
        return before, "it answers as in no state that it could be in"
    if problems:
        return found, problems[0]
    if len(decisions) - noted not in ((0, 1) if name == "decide" else (0,)):
        return found, f"{noted} decisions became {len(decisions)}"
    in_force = bool(decisions) and not decisions[-1].withdrawn
    after = {
        "ingest": State(base, False, in_force),
        "ingest again": State(base, False, in_force),
        "add": State(before.base, True, in_force),
        "remove": State(before.base, False, in_force),
        "decide": State(before.base, before.extra, in_force),
    }[name]
    wrong = found not in (before, after)
    return found, f"neither {before} nor {after}, but {found}" if wrong else ""


def _mended(site: Site) -> tuple[bool, str]:
    """Whether one undisturbed change leaves nothing of what the killed ones left."""
    _patiently(lambda: site.change("ingest", "one"))
    left = sorted(path.name for path in site.folder.iterdir())
    generations = [name for name in left if name.startswith("data-")]
    others = set(left) - {*generations, MANIFEST_NAME, LOCK_NAME, DECISIONS_NAME}
    waiting = [path.name for path in site.folder.rglob(".*.block.*")]
    fine = len(generations) == 1 and not others and not waiting
    return fine, f"left behind: {generations} {others} {waiting}"


if __name__ == "__main__":
    from benchmarks.attacks.small_corpora import table

    print(table(run()))
