"""Law in folders of consolidated versions: is the text of the requested day the first hit?

    python -m benchmarks.as_of DATA_DIR WORK_DIR [--preset P]

``DATA_DIR/fr_codes_versions`` has six French codes in five versions each, and questions with a day, the file
in force on it and its text. The codes are ingested as published, then with other field names for day and
identifier (and neutral file names), without front matter, and with missing, duplicate and overlapping
versions. For each variant: the share of questions with a day whose first passage is in the file of that day,
and has its text; the share of questions without a day whose first passage is in a version of today, of the
future or of the past. If a file prints an article several times, the question set has the last one. At the
end: notes of the import report.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tarfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import orjson
import yaml

from benchmarks import new_parser
from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from engine.ingestion.report import IngestionReport
from engine.ingestion.structure.headings import slug_of
from engine.investigation import run_case
from engine.model import RankedPassage
from engine.settings import InvestigationSettings, preset

_FENCE = re.compile(r"---\n(.*?)\n---\n", re.DOTALL)
_FEWEST_LETTERS = 12


@dataclass(frozen=True, slots=True)
class Version:
    """A published file: the work it is a version of, day, front matter, body."""

    file: str
    work: str
    day: date
    fields: Mapping[str, Any]
    body: str


@dataclass(frozen=True, slots=True)
class Layout:
    """A way to write versions; ``write`` fills a folder and returns the original of each file name."""

    name: str
    write: Callable[[Sequence[Version], Path], Mapping[str, str]]


def _renamed(day: str, identifier: str, shown: Callable[[date], Any] = str) -> Layout:
    """Make a layout with other field names for day and identifier, and neutral file names."""

    def write(versions: Sequence[Version], folder: Path) -> Mapping[str, str]:
        names: dict[str, str] = {}
        for number, version in enumerate(versions):
            fields = {"title": version.fields["title"], identifier: version.work, day: shown(version.day)}
            name = f"{number * 7919 % 1000:03}"
            _write(folder / f"{name}.md", fields, version.body)
            names[name] = version.file
        return names

    return Layout(f"{day}, {identifier}", write)


def _named(versions: Sequence[Version], folder: Path, *, fields: bool = True) -> Mapping[str, str]:
    for version in versions:
        _write(folder / version.file, version.fields if fields else {}, version.body)
    return {Path(version.file).stem: version.file for version in versions}


def _in_folders(versions: Sequence[Version], folder: Path) -> Mapping[str, str]:
    """Write a folder for each day, with files named by work and without front matter."""
    names = {}
    for version in versions:
        day_folder = folder / version.day.isoformat()
        day_folder.mkdir(exist_ok=True)
        _write(day_folder / f"{version.work}.md", {}, version.body)
        names[f"{version.day}/{version.work}"] = version.file
    return names


def _damaged(gold: frozenset[str]) -> Layout:
    """Make a layout with faults in each work.

    A version that no question needs is missing, and the one before it has an end date; another version is
    there twice; one ends a year after the next began.
    """

    def write(versions: Sequence[Version], folder: Path) -> Mapping[str, str]:
        names = {}
        by_work: defaultdict[str, list[Version]] = defaultdict(list)
        for version in versions:
            by_work[version.work].append(version)
        for own in by_work.values():
            missing = next((v for v in own[1:-1] if v.file not in gold), None)
            for index, version in enumerate(own):
                if version is missing:
                    continue
                following = own[index + 1] if index + 1 < len(own) else None
                fields = dict(version.fields)
                if following is not None and following is missing:
                    fields["valid_to"] = (following.day - timedelta(days=1)).isoformat()
                elif index == 2 and following is not None:
                    fields["valid_to"] = following.day.replace(year=following.day.year + 1).isoformat()
                _write(folder / version.file, fields, version.body)
                names[Path(version.file).stem] = version.file
                if index == len(own) - 2:
                    copy = f"{Path(version.file).stem}-copy"
                    _write(folder / f"{copy}.md", fields, version.body)
                    names[copy] = version.file
        return names

    return Layout("missing, doubled, overlapping", write)


def layouts(gold: frozenset[str]) -> list[Layout]:
    """Return all layouts."""
    return [
        Layout("as published", _named),
        _renamed("effective_date", "id"),
        _renamed("gueltig_ab", "kennung", lambda day: f"{day:%d.%m.%Y}"),
        _renamed("date_debut", "cid"),
        _renamed("fecha_vigencia", "identificador", lambda day: int(f"{day:%Y%m%d}")),
        _renamed("eli:version_date", "eli"),
        _renamed("geldend_vanaf", "bwb_id", lambda day: day),
        _renamed("anfang_des_zeitraums", "aktenzeichen"),
        Layout("no front matter, day in the file's name", partial(_named, fields=False)),
        Layout("no front matter, day in the folder's name", _in_folders),
        _damaged(gold),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; return the exit code."""
    options = _parser().parse_args(arguments)
    folder = options.data / "fr_codes_versions"
    cases = [orjson.loads(line) for line in (folder / "cases.jsonl").read_bytes().splitlines()]
    versions = list(_versions(folder / "laws.tar.gz", options.work / "laws"))
    settings = preset(options.preset)
    print("| written | day: file | day: text | no day: today's | future | past | notes | ingestion, s |")
    print("|---|---|---|---|---|---|---|---|")
    problems: list[str] = []
    for layout in layouts(frozenset(case["gold"] for case in cases)):
        started = time.perf_counter()
        report, corpus, files = _ingested(layout, versions, options.work)
        seconds = time.perf_counter() - started
        counts = _measured(cases, versions, corpus, files, settings)
        notes = list(report.problems)
        problems.extend(f"{layout.name}: {problem}" for problem in notes[:12])
        shares = [
            f"{100 * counts[name] / len(cases):.1f}" for name in ("file", "text", "today", "future", "past")
        ]
        print(f"| {layout.name} | {' | '.join(shares)} | {len(notes)} | {seconds:.0f} |", flush=True)
    print("\nnotes of the import reports:\n" + "\n".join(problems))
    return 0


def _versions(archive: Path, folder: Path) -> Iterator[Version]:
    if not folder.is_dir():
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
    for path in sorted(folder.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        front = _FENCE.match(text)
        assert front is not None, path
        fields = yaml.safe_load(front[1])
        day = date.fromisoformat(fields["last_updated"])
        yield Version(path.name, fields["identifier"], day, fields, text[front.end() :])


def _write(path: Path, fields: Mapping[str, Any], body: str) -> None:
    front = f"---\n{yaml.safe_dump(dict(fields), allow_unicode=True)}---\n" if fields else ""
    path.write_text(front + body, encoding="utf-8")


def _ingested(
    layout: Layout, versions: Sequence[Version], work: Path
) -> tuple[IngestionReport, Corpus, Mapping[str, str]]:
    """Ingest a layout and return the report, the corpus, and the original file of each document."""
    sources, folder = work / "sources", work / "corpus"
    for made in (sources, folder):
        shutil.rmtree(made, ignore_errors=True)
    sources.mkdir(parents=True)
    written = layout.write(versions, sources)
    report = build_corpus([sources], folder, embedding="none")
    corpus = open_corpus(folder)
    originals = {slug_of(name.rpartition("/")[2]): file for name, file in written.items()}
    if any("/" in name for name in written):
        # Files of one name are distinguished by their day.
        days = {(version.work.casefold(), version.day): version.file for version in versions}
        originals = {
            document.id: days.get((str(document.metadata.get("family")).casefold(), document.valid_from), "")
            for document in corpus.documents()
            if document.valid_from is not None
        }
    return report, corpus, originals


def _measured(
    cases: Sequence[Mapping[str, Any]],
    versions: Sequence[Version],
    corpus: Corpus,
    files: Mapping[str, str],
    settings: InvestigationSettings,
) -> Counter[str]:
    counts: Counter[str] = Counter()
    of_file = {version.file: version for version in versions}
    today = date.today()
    current = {
        max((v for v in versions if v.work == work and v.day <= today), key=lambda v: v.day).file
        for work in {version.work for version in versions}
    }
    for case in cases:
        day = date.fromisoformat(case["as_of"])
        first = _first(corpus, case["question"], settings.model_copy(update={"as_of": day}))
        file = files.get(first.passage.document_id, "") if first is not None else ""
        right = first is not None and _matches(first.passage.text, case["text"])
        counts["file"] += file == case["gold"]
        counts["text"] += file == case["gold"] and right
        first = _first(corpus, case["question"], settings)
        file = files.get(first.passage.document_id, "") if first is not None else ""
        counts["today"] += file in current
        known = of_file.get(file)
        counts["future"] += known is not None and known.day > today
        counts["past"] += known is not None and known.day <= today and file not in current
    return counts


def _first(corpus: Corpus, question: str, settings: InvestigationSettings) -> RankedPassage | None:
    return next(iter(run_case(corpus, question, settings).investigation().passages), None)


def _matches(passage: str, text: str) -> bool:
    """Whether a passage contains a text or is contained in it, by letters and digits only."""
    own, gold = _letters(passage), _letters(text)
    return len(own) >= min(_FEWEST_LETTERS, len(gold)) and (own in gold or gold in own)


def _letters(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _parser() -> argparse.ArgumentParser:
    parser = new_parser(__doc__)
    parser.add_argument("data", type=Path, metavar="DATA_DIR")
    parser.add_argument("work", type=Path, metavar="WORK_DIR")
    parser.add_argument("--preset", default="balanced")
    return parser


if __name__ == "__main__":
    sys.exit(main())
