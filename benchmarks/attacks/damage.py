"""Every file of a corpus is damaged: flipped bits, cuts, zeros, files swapped, missing or too many.

What held: whatever the corpus still answers is right, everything else is refused in an error of ours, and
``verify`` names what is wrong. A journal that was cut may have the state before its last lines: that a line
was ever there, nothing in it tells.
"""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.attacks.small_corpora import Attempt, Outcome, counted, fingerprint, write_acts
from engine.corpus import open_corpus
from engine.corpus.embedded.publication import DECISIONS_NAME
from engine.corpus.embedded.writing import apply_decisions, write_corpus
from engine.corpus.judgements import Place, add_decision, load_decisions
from engine.corpus.ontology import save_ontology
from engine.corpus.toy import toy_contents
from engine.corpus.verifying import verify
from engine.errors import CorpusError, RedstringError
from engine.ingestion.build import add_to_corpus, build_corpus

# Ingesting again takes a hundred times as long as asking; so many attempts go by between two.
MENDED_EVERY = 25
# The end of a lost sector.
SECTOR = 512
# The copy of a corpus that is damaged.
TRIED = "tried"


@dataclass(frozen=True, slots=True)
class Target:
    """A corpus that is damaged. ``answers``: those it may give; ``sources``: what it is made from again."""

    folder: Path
    answers: frozenset[str]
    sources: Path | None

    def files(self) -> list[Path]:
        """All files with something in them, by their names in the folder."""
        paths = sorted(path for path in self.folder.rglob("*") if path.is_file() and path.stat().st_size)
        return [path.relative_to(self.folder) for path in paths]


Damage = Callable[[Path, random.Random], None]


def run(tries: int = 1000, seed: int = 0) -> tuple[Outcome, ...]:
    """Damage a corpus ``tries`` times, every file of it in every way to begin with."""
    drawn = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        targets = _targets(Path(name))
        plan = [(target, file, kind) for target in targets for file in target.files() for kind in DAMAGES]
        plan += [drawn.choice(plan) for _ in range(tries - len(plan))]
        attempts = [
            (kind, _attempt(Path(name) / TRIED, target, file, kind, drawn, number % MENDED_EVERY == 0))
            for number, (target, file, kind) in enumerate(plan[: max(tries, 1)])
        ]
    return tuple(
        counted(f"damaged: {kind}", [one for own, one in attempts if own == kind]) for kind in DAMAGES
    )


def _targets(root: Path) -> list[Target]:
    write_corpus(root / "toy", toy_contents(further=True))
    answers = {fingerprint(open_corpus(root / "toy"))}
    for area in ("fees", "powers"):
        save_ontology(root / "toy", {"areas": [{"id": area}]})
        answers.add(fingerprint(open_corpus(root / "toy")))
    sources = write_acts(root / "sources", {0: 0, 1: 1})
    build_corpus([sources], root / "acts", embedding="none")
    add_decision(root / "acts", Place("act-1/article-1", "Article 2 of the Fee Act", 0), "act-0")
    apply_decisions(root / "acts")
    return [
        Target(root / "toy", frozenset(answers), None),
        Target(root / "acts", frozenset({fingerprint(open_corpus(root / "acts"))}), sources),
    ]


def _flipped(path: Path, drawn: random.Random) -> None:
    content = bytearray(path.read_bytes())
    content[drawn.choice((0, -1, drawn.randrange(len(content))))] ^= 1 << drawn.randrange(8)
    path.write_bytes(content)


def _cut(path: Path, drawn: random.Random) -> None:
    size = path.stat().st_size
    os.truncate(path, drawn.choice((0, size - 1, drawn.randrange(size))))


def _zeroed(path: Path, drawn: random.Random) -> None:
    content = bytearray(path.read_bytes())
    start = drawn.randrange(len(content))
    content[start:] = bytes(len(content) - start)
    path.write_bytes(content)


def _sector(path: Path, drawn: random.Random) -> None:
    content = bytearray(path.read_bytes())
    start = drawn.randrange(0, len(content), SECTOR)
    content[start : start + SECTOR] = drawn.randbytes(len(content[start : start + SECTOR]))
    path.write_bytes(content)


def _grown(path: Path, drawn: random.Random) -> None:
    with open(path, "ab") as file:
        file.write(drawn.choice((b"\0", b"\n", b"{}", path.read_bytes())))


def _missing(path: Path, drawn: random.Random) -> None:
    path.unlink()


def _swapped(path: Path, drawn: random.Random) -> None:
    around = path.parent if path.parent.name == TRIED else path.parent.parent
    others = [other for other in sorted(around.rglob("*")) if other.is_file() and other != path]
    other, content = drawn.choice(others), path.read_bytes()
    path.write_bytes(other.read_bytes())
    other.write_bytes(content)


def _extra(path: Path, drawn: random.Random) -> None:
    shutil.copyfile(path, path.with_name(f"{path.name}.{drawn.randrange(100)}"))


def _folder(path: Path, drawn: random.Random) -> None:
    path.unlink()
    path.mkdir()


DAMAGES: dict[str, Damage] = {
    "a flipped bit": _flipped,
    "a file that is cut": _cut,
    "zeros to the end": _zeroed,
    "a lost sector": _sector,
    "a file that has grown": _grown,
    "a missing file": _missing,
    "swapped files": _swapped,
    "a file too many": _extra,
    "a folder in its place": _folder,
}


def _attempt(
    tried: Path, target: Target, file: Path, kind: str, drawn: random.Random, mended: bool
) -> Attempt:
    name = f"{target.folder.name}/{file.name}"
    shutil.rmtree(tried, ignore_errors=True)
    shutil.copytree(target.folder, tried)
    DAMAGES[kind](tried / file, drawn)
    if _bytes_in(tried) == _bytes_in(target.folder):
        return Attempt(name, held=True)
    # A journal grows a line at a time: less of it is an earlier state, and a line begun one that was killed.
    emptied = (tried / file).is_file() and not (tried / file).stat().st_size
    less = file.suffix == ".jsonl" and (emptied or DAMAGES[kind] in (_cut, _missing, _grown))
    try:
        note = _answers(tried, target) or ("" if less else _unnoticed(tried))
        if not note and mended and _lines(tried) == _lines(target.folder):
            note = _not_mended(tried, target)
    # The attack is to bring about what nobody thought of.
    except Exception as error:
        note = f"{kind}: {type(error).__name__}: {error}"
    return Attempt(name, not note, note)


def _bytes_in(folder: Path) -> dict[Path, bytes | None]:
    return {
        path.relative_to(folder): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")
    }


def _answers(tried: Path, target: Target) -> str:
    """What is wrong with the answers, if there are any."""
    try:
        load_decisions(tried)
        if fingerprint(open_corpus(tried)) not in target.answers:
            return "a wrong answer"
    except RedstringError:
        return ""
    return ""


def _unnoticed(tried: Path) -> str:
    try:
        return "" if verify(tried).problems else "verify found nothing"
    except CorpusError:
        return ""


def _lines(tried: Path) -> dict[str, int]:
    """The journals, where they are sound: what people have said, no ingestion can make again."""
    try:
        return {DECISIONS_NAME: len(load_decisions(tried))}
    except RedstringError:
        return {}


def _not_mended(tried: Path, target: Target) -> str:
    """Adding to it is refused or right; ingesting its sources again makes it whole."""
    if target.sources is None:
        return ""
    for path in [path for path in tried.iterdir() if path.suffix not in ("", ".json", ".jsonl")]:
        path.unlink()
    try:
        add_to_corpus([target.sources], tried)
        if fingerprint(open_corpus(tried)) not in target.answers:
            return "adding made a wrong answer of it"
    except RedstringError:
        pass
    if (tried / "manifest.json").is_dir():
        (tried / "manifest.json").rmdir()
    build_corpus([target.sources], tried, embedding="none")
    if fingerprint(open_corpus(tried)) not in target.answers:
        return "ingested again it answers otherwise"
    return next(iter(verify(tried).problems), "")


if __name__ == "__main__":
    from benchmarks.attacks.small_corpora import table

    print(table(run()))
