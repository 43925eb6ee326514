"""A visitor of the page, as its script and its programs speak: everything once in a while, by chance."""

from __future__ import annotations

import base64
import json
import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx

from benchmarks.attacks.small_corpora import act

API = "/gradio_api"
SECONDS = 120.0
DEPTHS = ("quick", "balanced", "balanced", "thorough", "detective")
QUESTIONS = (
    "Who may enter the register of vessels?", "Which fees are due and when?", "May a manager grant powers?",
    "What is void, and under which Article?", "When does a licence end?", "Who appoints the harbour master?",
)  # fmt: skip
NAMED = "files"


class SoakError(Exception):
    """The page did not do what an honest visitor asked for."""


class Visitor:
    """One visitor. ``address`` is the network address that requests come from."""

    def __init__(self, url: str, address: str, chance: random.Random) -> None:
        self._chance = chance
        self._token = "".join(chance.choices("abcdefghijklmnop", k=32))
        self._url, self._address = url, address
        self._config: Mapping[str, Any] = {}
        self._client: httpx.Client | None = None
        # The page that is open, as it calls itself to the server.
        self._page = ""

    @contextmanager
    def here(self) -> Iterator[None]:
        """The visitor holds connections as long as this lasts."""
        transport = httpx.HTTPTransport(local_address=self._address)
        with httpx.Client(base_url=self._url, transport=transport, timeout=SECONDS) as client:
            self._client, self._page = client, self._name()
            yield
        self._client = None

    @property
    def client(self) -> httpx.Client:
        """The connections that are open."""
        assert self._client is not None
        return self._client

    def panel(self, name: str, /, **data: Any) -> dict[str, Any]:
        """What a panel answers. Raises SoakError where it says an error."""
        told = self.asked(name, **data)
        if "error" in told:
            raise SoakError(f"{name} {data.get('do')}: {told['error']}")
        return told

    def asked(self, name: str, /, **data: Any) -> dict[str, Any]:
        """The same with errors as they are told."""
        parts = self.config["components"]
        number = next(part["id"] for part in parts if name in part["props"].get("server_fns", ()))
        body = {"data": {"visitor": self._token, **data}, "component_id": number, "fn_name": name,
                "session_hash": self._page}  # fmt: skip
        answer = self.client.post(f"{API}/component_server/", json=body)
        if answer.status_code != 200:
            raise SoakError(f"{name} {data.get('do')}: status {answer.status_code} {answer.text[:200]}")
        told: dict[str, Any] = answer.json()
        return told

    @property
    def config(self) -> Mapping[str, Any]:
        """The page as it describes itself, fetched once."""
        if not self._config:
            self._config = self.client.get("/config").json()
        return self._config

    def _name(self) -> str:
        return "".join(self._chance.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=11))

    def _question(self) -> str:
        return self._chance.choice(QUESTIONS)

    # Each of the following is something that a visitor does, from its beginning to its end.

    def loads_the_page(self) -> None:
        """The page, its description, its style."""
        for path in ("/", "/config", "/theme.css", f"{API}/info"):
            answer = self.client.get(path)
            if answer.status_code != 200:
                raise SoakError(f"{path}: status {answer.status_code}")

    def asks_the_endpoint(self) -> None:
        """A case by the public endpoint, waited for."""
        data = [self._question(), "", self._chance.choice(DEPTHS), None, None, None, None, False]
        self._called("investigate", data)

    def has_answers(self) -> None:
        """The two other endpoints."""
        self._called("answer", [self._question(), "", "quick", False])
        self._called("audit", ["The register is public. A fee is due within 14 days.", "", "", None])

    def _called(self, endpoint: str, data: list[Any]) -> None:
        url = f"{API}/call/{endpoint}"
        begun = self.client.post(url, json={"data": data})
        if begun.status_code != 200:
            raise SoakError(f"{endpoint}: status {begun.status_code} {begun.text[:200]}")
        with self.client.stream("GET", f"{url}/{begun.json()['event_id']}") as events:
            if not any(line == "event: complete" for line in events.iter_lines()):
                raise SoakError(f"{endpoint}: no answer came")

    def asks_the_page(self) -> None:
        """A case on the page, to its end; then it is looked through and the page is closed."""
        self._on_the_page(cancelled=False)

    def cancels_on_the_page(self) -> None:
        """A case on the page that is cancelled as soon as something of it is seen."""
        self._on_the_page(cancelled=True)

    def _on_the_page(self, *, cancelled: bool) -> None:
        session = self._name()
        ask, cancel = self.listener("asked"), self.listener("cancel")
        with self.client.stream("GET", f"{API}/heartbeat/{session}"):
            self._joined(session, ask, [None, self._case(rounds=self._chance.randint(1, 5))])
            with self._heard(session) as messages:
                for message in messages:
                    if message["msg"] == "process_generating" and cancelled:
                        self._pressed(session, cancel)
                        cancelled = False
                    if message["msg"] == "process_completed":
                        if not message["success"]:
                            raise SoakError("a case on the page failed")
                        return
        raise SoakError("a case on the page did not end")

    def leaves_while_it_runs(self) -> None:
        """A page that is closed in the middle of a case."""
        session = self._name()
        with self.client.stream("GET", f"{API}/heartbeat/{session}"):
            self._joined(session, self.listener("asked"), [None, self._case(rounds=5)])
            with self._heard(session) as messages:
                next(messages, None)

    def _case(self, rounds: int, corpus: str = "") -> str:
        """What the page sends at a click on Investigate."""
        asked = {"session": "p" * 40, "visitor": self._token, "question": self._question(),
                 "corpus": corpus, "held": {"rounds": rounds}}  # fmt: skip
        return json.dumps(asked)

    def event(self, session: str, listener: int, data: list[Any], about: Any = None) -> dict[str, Any]:
        """The last message of an event of a page. Raises SoakError where there is none."""
        self._joined(session, listener, data, about)
        with self._heard(session) as messages:
            for message in messages:
                if message["msg"] == "process_completed":
                    return message
        raise SoakError("an event of the page did not end")

    def _joined(self, session: str, listener: int, data: list[Any], about: Any = None) -> None:
        body = {"data": data, "fn_index": listener, "session_hash": session, "event_data": about}
        answer = self.client.post(f"{API}/queue/join", json=body)
        if answer.status_code != 200:
            raise SoakError(f"join: status {answer.status_code} {answer.text[:200]}")

    @contextmanager
    def _heard(self, session: str) -> Iterator[Iterator[dict[str, Any]]]:
        with self.client.stream("GET", f"{API}/queue/data?session_hash={session}") as events:
            yield _messages(events)

    def _pressed(self, session: str, listener: int) -> None:
        body = {"data": [None], "fn_index": listener, "session_hash": session}
        answer = self.client.post(f"{API}/run/predict", json=body)
        if answer.status_code != 200:
            raise SoakError(f"cancel: status {answer.status_code} {answer.text[:200]}")

    def listener(self, name: str) -> int:
        """The number of what asks (asked), of what cancels (cancel), of what the cards do (ranked)."""
        named = {part["props"].get("elem_id"): part["id"] for part in self.config["components"]}
        listeners = self.config["dependencies"]
        cancel = next(one for one in listeners if [named["cancel"], "click"] in one["targets"])
        if name == "cancel":
            return int(cancel["id"])
        if name == "ranked":
            return int(next(one["id"] for one in listeners if [named["ranked"], "select"] in one["targets"]))
        wanted = [cancel["inputs"][0], named["asked"]]
        return int(next(one["id"] for one in listeners if one["inputs"] == wanted))

    def checks_a_text(self) -> None:
        """An audit, waited for or cancelled."""
        text = " ".join(f"The fee of Article {n} is due within {n} days." for n in range(1, 12))
        job = self.panel("check", do="start", text=text)["job"]
        self._ends("check", job)

    def evaluates(self) -> None:
        """An evaluation with the questions that a corpus carries or with some of one's own, and a pair."""
        files = {
            "queries": _sent("q.jsonl", '{"id": "1", "text": "Who may act?"}\n'),
            "qrels": _sent("q.tsv", "1\tx\t1\n"),
        }
        told = self.asked("evaluation", do="start", questions=2)
        if "error" in told:
            told = self.asked("evaluation", do="start", questions=2, gold="files", **files)
        if "job" in told:
            self._ends("evaluation", told["job"])
        self.panel("evaluation", do="pair", question=self._question())

    def _ends(self, panel: str, job: str) -> dict[str, Any]:
        """Wait for a job, or cancel it."""
        if self._chance.random() < 0.3:
            self.panel(panel, do="cancel", job=job)
        until = time.monotonic() + SECONDS
        while (told := self.panel(panel, do="poll", job=job))["state"] in ("waiting", "running"):
            if time.monotonic() > until:
                raise SoakError(f"{panel}: a job did not end")
            time.sleep(0.1)
        return told

    def keeps_a_corpus(self) -> None:
        """A corpus is made, read, asked, checked, added to, taken from and deleted."""
        name = f"Mine {self._name()}"
        made = self._ingested(do="create", name=name, embedding="none", files=self._uploaded(0, 1))
        if made != "done":
            # It was cancelled, and nothing may be left of it.
            return
        for do in ("overview", "documents", "nodes", "piece", "statistics", "report", "cases", "areas"):
            self.panel("corpus", do=do, corpus=name)
        self.event(self._page, self.listener("asked"), [None, self._case(1, name)])
        job = self.panel("check", do="start", corpus=name, text="The Port Authority may act.")["job"]
        self._ends("check", job)
        self.panel("evaluation", do="pair", question=self._question(), corpus=name)
        self._ingested(do="add", corpus=name, files=self._uploaded(2))
        self._ingested(do="remove", corpus=name, document=0)
        self.panel("corpus", do="delete", corpus=name)

    def _ingested(self, **order: Any) -> str:
        return str(self._ends("corpus", self.panel("corpus", **order)["job"])["state"])

    def _uploaded(self, *numbers: int) -> list[dict[str, str]]:
        files = [(NAMED, (f"{n}.md", act(n, self._chance.randint(0, 3)).encode())) for n in numbers]
        answer = self.client.post(f"{API}/upload", files=files)
        if answer.status_code != 200:
            raise SoakError(f"upload: status {answer.status_code} {answer.text[:200]}")
        return [{"key": key, "name": f"{n}.md"} for n, key in zip(numbers, answer.json(), strict=True)]

    def is_hostile(self) -> None:
        """Some of what an enemy sends; how each is answered is another class of attacks."""
        kind = {"content-type": "application/json"}
        asking = f"{API}/call/investigate"
        self.client.post(asking, content=b"[" * 100_000, headers=kind)
        self.client.post(asking, content=b" " * 1_000_000, headers=kind)
        self.client.post(asking, json={"data": ["why " * 5000]})
        self.client.get("/config", headers={"host": "evil.example"})
        self.client.get(f"{API}/file=/etc/passwd")
        self.client.post(f"{API}/queue/join", json={"data": [], "fn_index": 0, "session_hash": self._name()})
        self.asked("corpus", do="create", name="x", files=[{"key": "/etc/passwd", "name": "a.md"}])
        self.asked("model", do="list", session="p" * 40, url="http://127.0.0.1:9/v1", key="k")
        # Never used, and a form that breaks off.
        self.client.post(f"{API}/upload", files=[(NAMED, ("a.md", b"x" * 10_000))])
        self.client.post(f"{API}/upload", content=b"--b\r\nbroken", headers={
            "content-type": "multipart/form-data; boundary=b"
        })  # fmt: skip
        # Not a word of it can be read.
        noise = self._chance.randbytes(5000)
        answer = self.client.post(f"{API}/upload", files=[(NAMED, ("a.pdf", b"%PDF-1.7" + noise))])
        files = [{"key": key, "name": "a.pdf"} for key in answer.json()]
        told = self.asked("corpus", do="create", name=f"Bad {self._name()}", files=files, embedding="none")
        if "job" in told:
            self._ends("corpus", told["job"])


# What visitors do, and how often in comparison.
DOINGS: Mapping[Callable[[Visitor], None], int] = {
    Visitor.loads_the_page: 4,
    Visitor.asks_the_endpoint: 4,
    Visitor.has_answers: 2,
    Visitor.asks_the_page: 4,
    Visitor.cancels_on_the_page: 3,
    Visitor.leaves_while_it_runs: 2,
    Visitor.checks_a_text: 2,
    Visitor.evaluates: 2,
    Visitor.keeps_a_corpus: 2,
    Visitor.is_hostile: 2,
}


def _sent(name: str, text: str) -> dict[str, str]:
    return {"name": name, "data": base64.b64encode(text.encode()).decode()}


def _messages(events: httpx.Response) -> Iterator[dict[str, Any]]:
    for line in events.iter_lines():
        if line.startswith("data: "):
            message: dict[str, Any] = json.loads(line.removeprefix("data: "))
            yield message
