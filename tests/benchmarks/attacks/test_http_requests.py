"""A part of the attacks over HTTP, on a page served once; and that they fail where a defence is out."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator

import pytest

from benchmarks.attacks.http.raw import Raw
from benchmarks.attacks.http.served import inside_a_loop, served
from benchmarks.attacks.http.target import SECRET, VICTIMS, Attack, Target, attempts
from benchmarks.attacks.http_requests import by_chance, listed, put_in_place
from benchmarks.attacks.outcome import Attempt
from benchmarks.attacks.small_corpora import write_acts
from engine.ingestion.build import build_corpus
from engine.operator_settings import PROJECT, OperatorSettings
from ui.connections import Connections
from ui.door.hosts import Allowed
from ui.page import build_page
from ui.shelf import open_library

# Gradio's queue uses pandas in ways that pandas 3 calls outdated.
pytestmark = pytest.mark.filterwarnings("ignore:'future.no_silent_downcasting'", "ignore:The copy keyword")
SETTINGS = OperatorSettings(
    host="0.0.0.0", hosts=("law.example",), origins=("https://portal.example",), file_mb=1, upload_mb=2,
    unused_upload_mb=50, files=100,
)  # fmt: skip
# What is long by its nature runs in the command alone.
LONG = ("rates and quotas", "paths and links in uploads", "fields of endpoints", "files of Check")
SHARE = 12


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    home, uploads = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("uploads")
    sources = tmp_path_factory.mktemp("secret")
    (sources / "secret.md").write_text(f"# Secret\n\n## Article 1\n\nThe word is {SECRET}.\n")
    build_corpus([sources], home / "made", name=VICTIMS, embedding="none")
    folder = put_in_place(home / "made", home)
    build_corpus([write_acts(home / "acts", {0: 0})], home / "act", name="Act", embedding="none")
    library = open_library([home / "act"], home, SETTINGS)
    page = inside_a_loop(lambda: build_page(library, connections=Connections(SETTINGS)))
    with served(page, SETTINGS, uploads) as address:
        paths = (str(PROJECT), sys.prefix, str(home), str(uploads))
        yield Target(Raw(address, by_proxy=False), str(sources / "secret.md"), (str(folder),), paths)


def failures(target: Target, attacks: list[Attack], every: int = 1) -> list[Attempt]:
    return [attempt for attempt in attempts(target, attacks, every) if not attempt.held]


@pytest.mark.parametrize("kind", sorted(set(listed()) - set(LONG)))
def test_attacks_are_held(target: Target, kind: str) -> None:
    assert failures(target, list(listed()[kind]), SHARE) == []


def test_what_is_drawn_by_chance_is_held(target: Target) -> None:
    assert failures(target, list(by_chance(9, random.Random(5)))) == []


@pytest.mark.parametrize(
    ("door", "name", "open_to_all", "kind"),
    [
        (Allowed, "host", lambda self, authority: True, "hosts"),
        (Allowed, "origin", lambda self, origin, authority: True, "origins and forged requests"),
    ],
)
def test_without_a_defence_the_attack_succeeds(
    target: Target, monkeypatch: pytest.MonkeyPatch, door: type, name: str, open_to_all: object, kind: str
) -> None:
    """What does not fail where the defence is taken out shows nothing."""
    reading = [attack for attack in listed()[kind] if attack.name.startswith("reading")]
    assert failures(target, reading[:2]) == []
    monkeypatch.setattr(door, name, open_to_all)
    assert len(failures(target, reading[:2])) == 2
