"""Many visitors at once, one of them hostile, against a page of its own.

    python -m benchmarks.visitors --corpus DIR --queries FILE --qrels FILE
                                  [--visitors 20] [--seconds 300] [--peaceful] [--workers 0 2] [--embed DIR]

Starts ``app.py`` over the corpus, open to whoever reaches it, so that nobody is its operator. Each visitor
has an address and a session of its own (127.0.0.N; Gradio's client keeps one too), asks a question of the
file, waits for the whole record, and asks the next at once. The hostile one sends what is too large, too
deep, too slow, malformed or too much, as fast as it is answered. Prints the errors of the others, the median
and the 95th percentile of their cases in seconds, what a case takes of the processor and all processes of the
page of memory (each page of it counted once, as Linux shares it out), and how the hostile one was answered.
With several numbers of workers one page after another is visited; the ratio is to the first. With ``--embed``
the page makes the vectors of a copy of another corpus, which has none, meanwhile: let that take longer.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import numpy as np
import psutil

from benchmarks import new_parser
from engine.evaluation import read_questions
from engine.language.embedders.transformer import PACKAGED_SPEC
from ui.corpus.vectors import WantedVectors, store_wanted

PROJECT = Path(__file__).resolve().parent.parent
START_SECONDS, CASE_SECONDS = 120.0, 60.0
WATCHED_EVERY = 5.0
FIRST_CASES = 3
HOSTILE_ADDRESS = "127.0.0.66"


@dataclass(slots=True)
class Seen:
    """What visitors saw: seconds of each case, errors, and answers to the hostile one by status.

    ``memory`` of the page's processes every few seconds, MB; ``processor`` seconds that they took, and
    ``of_all`` the share of the machine's processor that was taken by anybody meanwhile. ``behind``: seconds
    of the processor that went into vectors.
    """

    seconds: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    hostile: Counter[str] = field(default_factory=Counter)
    memory: list[float] = field(default_factory=list)
    processor: float = 0.0
    of_all: float = 0.0
    behind: float = 0.0


def main() -> int:
    """Measure and print; 1 where a visitor met an error."""
    parser = new_parser(__doc__)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--queries", type=Path, required=True)
    parser.add_argument("--qrels", type=Path, required=True)
    parser.add_argument("--visitors", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--peaceful", action="store_true", help="without the hostile one")
    parser.add_argument("--workers", nargs="+", default=["auto"], help="of each page that is visited")
    parser.add_argument("--embed", type=Path, help="a corpus without vectors, which get made meanwhile")
    options = parser.parse_args()
    questions = [question.text for question in read_questions(options.queries, options.qrels)]
    first, errors = 0, 0
    for workers in options.workers:
        with served(options.corpus, workers, options.embed, peaceful=options.peaceful) as (address, pid):
            if options.embed is not None:
                _await_behind(pid)
            seen = asyncio.run(
                crowd(address, pid, questions, options.visitors, options.seconds, not options.peaceful)
            )
        first, errors = first or len(seen.seconds), errors + sum(seen.errors.values())
        print(f"--workers {workers}: {len(seen.seconds) / max(1, first):.2f} times the cases of the first")
        print(told(seen, options.visitors, options.seconds), flush=True)
    return 1 if errors else 0


@contextmanager
def served(
    corpus: Path, workers: str, embed: Path | None = None, *, peaceful: bool
) -> Iterator[tuple[str, int]]:
    """The address of a page over a corpus, and its process, ended afterwards; of a copy of ``embed`` it makes
    the vectors. Where all are ``peaceful`` what is measured is how fast it is, not how often one visitor may
    ask."""
    unbounded = {"REDSTRING_CASES_A_MINUTE": "6000"} if peaceful else {}
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryFile() as log:
        if embed is not None:
            copied = Path(home, "corpora", "embed")
            shutil.copytree(embed, copied)
            store_wanted(copied, WantedVectors(model=PACKAGED_SPEC))
        process = subprocess.Popen(
            [
                sys.executable,
                "app.py",
                "--corpus",
                str(corpus.resolve()),
                "--host",
                "0.0.0.0",
                "--port",
                str(port),
                "--workers",
                workers,
            ],
            cwd=PROJECT,
            env={**os.environ, "REDSTRING_HOME": home, **unbounded},
            stdout=log,
            stderr=log,
        )
        try:
            address = f"http://127.0.0.1:{port}"
            _await(address, process)
            yield address, process.pid
        finally:
            process.terminate()
            process.wait(30)


def _behind(pid: int) -> list[psutil.Process]:
    """The processes of a page that stand back behind all others."""
    return [process for process in _processes(pid) if process.nice() > 0]


def _await_behind(pid: int) -> None:
    until = time.monotonic() + START_SECONDS
    while not _behind(pid):
        if time.monotonic() > until:
            raise SystemExit(f"no vectors are made after {START_SECONDS:g} s")
        time.sleep(0.5)


def _await(address: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        if process.poll() is not None:
            raise SystemExit(f"the page ended with code {process.returncode} before it answered")
        try:
            if httpx.get(address, timeout=5).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.2)
    raise SystemExit(f"the page did not answer within {START_SECONDS:g} s")


async def crowd(
    address: str, pid: int, questions: Sequence[str], visitors: int, seconds: float, hostile: bool
) -> Seen:
    """All visitors side by side for a while; the hostile one is one of them."""
    seen = Seen()
    # The first cases make models and graphs ready, in each worker, and are not counted.
    async with _visitor("127.0.0.1") as first:
        await asyncio.gather(*(_case(first, address, questions[0], f"first{n}") for n in range(FIRST_CASES)))
    until = time.monotonic() + seconds
    before, behind = _processor(_processes(pid)), _processor(_behind(pid))
    psutil.cpu_percent()
    peaceful = visitors - 1 if hostile else visitors
    async with asyncio.TaskGroup() as group:
        for number in range(peaceful):
            group.create_task(_asking(address, questions[number::peaceful], number, until, seen))
        if hostile:
            group.create_task(_attacking(address, until, seen))
        group.create_task(_watching(pid, until, seen))
    seen.of_all, seen.behind = psutil.cpu_percent(), _processor(_behind(pid)) - behind
    seen.processor = _processor(_processes(pid)) - before - seen.behind
    return seen


def _processes(pid: int) -> list[psutil.Process]:
    page = psutil.Process(pid)
    return [page, *page.children(recursive=True)]


def _processor(processes: Sequence[psutil.Process]) -> float:
    times = [process.cpu_times() for process in processes]
    return sum(one.user + one.system for one in times)


async def _watching(pid: int, until: float, seen: Seen) -> None:
    while time.monotonic() < until:
        shares = [process.memory_full_info().pss for process in _processes(pid)]
        seen.memory.append(sum(shares) / 1e6)
        await asyncio.sleep(WATCHED_EVERY)


def _visitor(local_address: str) -> httpx.AsyncClient:
    transport = httpx.AsyncHTTPTransport(local_address=local_address)
    return httpx.AsyncClient(transport=transport, timeout=CASE_SECONDS)


async def _asking(address: str, questions: Sequence[str], number: int, until: float, seen: Seen) -> None:
    async with _visitor(f"127.0.1.{number + 1}") as client:
        for question in itertools.cycle(questions):
            started = time.monotonic()
            if started >= until:
                return
            try:
                problem = await _case(client, address, question, f"visitor{number}")
            except (httpx.HTTPError, json.JSONDecodeError) as error:
                problem = f"{type(error).__name__}: {error}"
            if problem:
                seen.errors[problem] += 1
                await asyncio.sleep(1)
            else:
                seen.seconds.append(time.monotonic() - started)


async def _case(client: httpx.AsyncClient, address: str, question: str, session: str) -> str:
    """One balanced case, waited for to its end; what went wrong, or nothing."""
    url = f"{address}/gradio_api/call/investigate"
    asked = [question, "", "balanced", None, None, None, None, False]
    body = {"data": asked, "session_hash": session}
    begun = await client.post(url, json=body)
    if begun.status_code != 200:
        return f"status {begun.status_code}: {begun.text[:200]}"
    kind = ""
    async with client.stream("GET", f"{url}/{begun.json()['event_id']}") as events:
        async for line in events.aiter_lines():
            if line.startswith("event: "):
                kind = line.removeprefix("event: ")
            elif line.startswith("data: ") and kind == "complete":
                record = json.loads(line.removeprefix("data: "))[0]
                return "" if record.get("passages") else "the record has no passages"
            elif kind == "error":
                return f"error event: {line[:200]}"
    return "the stream ended before the case did"


async def _attacking(address: str, until: float, seen: Seen) -> None:
    """Send what hurts, several at a time, until the time is over."""
    async with asyncio.TaskGroup() as group:
        for worker in range(8):
            group.create_task(_attacks(address, random.Random(worker), until, seen))
        group.create_task(_dripping(address, until, seen))


async def _attacks(address: str, chance: random.Random, until: float, seen: Seen) -> None:
    async with _visitor(HOSTILE_ADDRESS) as client:
        while time.monotonic() < until:
            name, method, path, content, kind = chance.choice(_hostile_requests(chance))
            headers = {"content-type": kind} if kind else {}
            try:
                answered = await client.request(
                    method, address + path, content=content, headers=headers, timeout=20
                )
                seen.hostile[f"{name}: {answered.status_code}"] += 1
            except httpx.HTTPError as error:
                seen.hostile[f"{name}: {type(error).__name__}"] += 1


def _hostile_requests(chance: random.Random) -> list[tuple[str, str, str, bytes, str]]:
    def call(*data: object) -> bytes:
        return json.dumps({"data": data}).encode()

    detective = call("limits of delegation", "", "detective", None, None, None, None, False)
    names = [f"name{number}" for number in range(60_000)]
    kind, asking = "application/json", "/gradio_api/call/investigate"
    session = "".join(chance.choices("abcdefghij", k=10))
    joined = json.dumps({"fn_index": 3, "session_hash": session, "data": ["x" * 100_000]}).encode()
    file = b'--b\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\n'
    return [
        ("dear case", "POST", asking, detective, kind),
        ("dear case past the queue", "POST", "/gradio_api/run/investigate", detective, kind),
        ("question of 1 MB", "POST", asking, call("why " * 250_000), kind),
        ("60,000 names", "POST", asking, call("why?", "", "balanced", names), kind),
        ("deep JSON", "POST", asking, b"[" * 100_000, kind),
        ("no JSON", "POST", asking, b"\x00\xff" * 5_000, kind),
        ("body of 30 MB", "POST", asking, b" " * 30_000_000, kind),
        ("queue", "POST", "/gradio_api/queue/join", joined, kind),
        ("upload of 5 MB", "POST", "/gradio_api/upload", file + b"x" * 5_000_000 + b"\r\n--b--\r\n",
         "multipart/form-data; boundary=b"),
        ("audit of 1 MB", "POST", "/gradio_api/call/audit", call("The agent shall pay. " * 50_000), kind),
        ("page", "GET", "/", b"", ""),
    ]  # fmt: skip


async def _dripping(address: str, until: float, seen: Seen) -> None:
    """Connections that send a letter now and then and never end."""
    host, port = address.removeprefix("http://").split(":")
    open_ones: list[asyncio.StreamWriter] = []
    while time.monotonic() < until:
        try:
            _, writer = await asyncio.open_connection(host, int(port), local_addr=(HOSTILE_ADDRESS, 0))
            writer.write(b"POST /gradio_api/call/investigate HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
            open_ones.append(writer)
            seen.hostile["slow connection: opened"] += 1
        except OSError as error:
            seen.hostile[f"slow connection: {type(error).__name__}"] += 1
        open_ones = [writer for writer in open_ones if not writer.is_closing()]
        for writer in open_ones:
            writer.write(b"a")
        await asyncio.sleep(0.5)
    for writer in open_ones:
        writer.close()


def told(seen: Seen, visitors: int, seconds: float) -> str:
    """The figures, in lines."""
    lines = [f"{visitors} visitors for {seconds:g} s: {len(seen.seconds):,} cases"]
    if seen.seconds:
        p50, p95 = np.percentile(seen.seconds, (50, 95))
        lines.append(
            f"{len(seen.seconds) / seconds:.1f} cases a second, median {p50:.2f} s, "
            f"95th percentile {p95:.2f} s, longest {max(seen.seconds):.2f} s"
        )
        lines.append(
            f"processor: {1000 * seen.processor / len(seen.seconds):.0f} ms a case, the page had "
            f"{seen.processor / seconds:.2f} cores; the machine was "
            f"{seen.of_all:.0f} % busy, the visitors and whatever else ran included"
        )
    if seen.behind:
        lines.append(f"vectors had {seen.behind / seconds:.2f} cores")
    if seen.memory:
        sixths = [f"{np.median(part):,.0f}" for part in np.array_split(seen.memory, 6) if len(part)]
        lines.append(f"memory in each sixth of the time, MB: {' '.join(sixths)}")
    lines.append(f"errors: {sum(seen.errors.values())}")
    lines += [f"  {count} x {problem}" for problem, count in seen.errors.most_common(10)]
    lines += [f"hostile: {count:,} x {answer}" for answer, count in sorted(seen.hostile.items())]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
