"""Questions that name a provision: is it ranked first, and does the brief begin with it?

    python -m benchmarks.named_provisions DATA_DIR CORPORA_DIR [--sets A,B] [--each N] [--seed S]
        [--preset P] [--misses FILE]

The provisions are drawn from the sets' files by the number and name that these state; the questions have
everyday words and spellings (``FORMS``). For each set and form: the share of questions in which a passage of
the provision is ranked first, and is the first that the brief cites. Also: how often a provision that does
not exist is reported. Corpora that are missing in ``CORPORA_DIR`` are ingested there without vectors.
"""

from __future__ import annotations

import argparse
import gzip
import random
import re
import sys
import tarfile
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from benchmarks import new_parser
from engine.answers.answer import answer
from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.errors import RedstringError
from engine.ingestion.build import build_corpus
from engine.ingestion.report import ProgressBar
from engine.investigation import make_case, run_case
from engine.language.numerals import arabic_ordinal
from engine.model import Naming
from engine.settings import InvestigationSettings, preset

# The first passages of the ranking, the first that the brief cites, and how the question was read.
Result = tuple[Sequence[str], Sequence[str], str]
Investigate = Callable[[str], Result]
# No provision has such a number.
ABSENT = "9876"


@dataclass(frozen=True, slots=True)
class Provision:
    """A provision as its source states it: names of its document, number, ids of its parts."""

    names: tuple[str, ...]
    number: str
    ids: frozenset[str]


@dataclass(frozen=True, slots=True)
class Form:
    """A form of question: ``{n}`` is the number, ``{d}`` the document's name with the index ``name``."""

    key: str
    words: str
    name: int = 0
    change: Callable[[str], str] = str


def _lower(text: str) -> str:
    return text.lower()


def _slip(text: str) -> str:
    """Swap two letters in the longest word, like a typing error."""
    words = text.split(" ")
    longest = max(range(len(words)), key=lambda number: (words[number].isalpha(), len(words[number])))
    word = words[longest]
    if len(word) < 7:
        return text
    middle = len(word) // 2
    words[longest] = word[: middle - 1] + word[middle] + word[middle - 1] + word[middle + 1 :]
    return " ".join(words)


FORMS: Mapping[str, tuple[Form, ...]] = {
    "obliqa_adgm": (
        Form("plain", "What does Rule {n} of {d} say?"),
        Form("front", "What are the requirements of {d} Rule {n}?"),
        Form("bare", "{d} {n}"),
        Form("small", "what does {d} rule {n} require", 0, _lower),
    ),
    "eu_gdpr_24lang": (
        Form("plain", "What does Article {n} of the GDPR say?"),
        Form("behind", "Explain Article {n} GDPR"),
        Form("long", "What is laid down in Article {n} of the General Data Protection Regulation?"),
        Form("number", "What does Article {n} of Regulation (EU) 2016/679 provide?"),
        Form("small", "what does gdpr art. {n} say"),
    ),
    "de_bundesrecht": (
        Form("plain", "Was steht in § {n} {d}?"),
        Form("alone", "§ {n} {d}"),
        Form("front", "{d} § {n}"),
        Form("long", "Was regelt § {n} des {d}s?", 1),
        Form("small", "was sagt § {n} {d}", 0, _lower),
        Form("english", "What does § {n} {d} say?"),
        Form("slip", "Was steht in § {n} {d}?", 1, _slip),
    ),
    "fr_codes_versions": (
        Form("plain", "Que dit l'article {n} du {d} ?"),
        Form("alone", "article {n} {d}"),
        Form("front", "{d}, art. {n}"),
        Form("small", "que prévoit l'article {n} du {d}", 0, _lower),
        Form("slip", "Que dit l'article {n} du {d} ?", 0, _slip),
    ),
    "id_peraturan": (
        Form("plain", "Apa isi Pasal {n} {d}?"),
        Form("alone", "Pasal {n} {d}", 1),
        Form("small", "apa bunyi pasal {n} {d}", 0, _lower),
        Form("front", "{d} pasal {n}", 1),
    ),
    "id_kuhperdata": (
        Form("plain", "Apa isi Pasal {n} KUHPerdata?"),
        Form("alone", "Pasal {n} KUHPerdata"),
        Form("long", "Apa yang diatur dalam Pasal {n} Kitab Undang-Undang Hukum Perdata?"),
    ),
    "sa_laws_ar": (
        Form("plain", "ماذا تنص المادة {n} من {d}؟"),
        Form("words", "ما هو نص {w} من {d}؟"),
        Form("front", "{d} المادة {n}"),
    ),
    "cn_admin_regs": (
        Form("plain", "《{d}》{w}规定了什么？"),
        Form("alone", "{d}{w}"),
        Form("digits", "{d}第{n}条的内容是什么？"),
    ),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; return the exit code."""
    options = _parser().parse_args(arguments)
    settings = preset(options.preset)
    rows: list[str] = []
    misses: list[str] = []
    total: Counter[str] = Counter()
    try:
        for name in options.sets.split(",") if options.sets else FORMS:
            folder = _ingested(options.data / name, options.corpora, name)
            corpus = open_corpus(folder)
            drawn = list(_drawn(name, options.data / name, corpus))
            random.Random(options.seed).shuffle(drawn)
            investigate = partial(_investigate, corpus, settings)
            for number, form in enumerate(FORMS[name]):
                chosen = drawn[number * options.each : (number + 1) * options.each]
                counts = _measured(corpus, name, form, chosen, investigate, misses)
                total.update(counts)
                rows.append(_row(name, form.key, counts))
            counts = _absent(corpus, name, drawn[: options.each], settings, misses)
            total.update(counts)
    except RedstringError as error:
        print(f"redstring: {error}", file=sys.stderr)
        return 1
    print("| set | form | questions | first | brief begins with it | ms a case |\n|---|---|---|---|---|---|")
    print("\n".join([*rows, _row("all", "", total)]))
    print(f"\nprovisions that do not exist: {total['reported']} of {total['absent']} reported")
    if options.misses:
        options.misses.write_text("\n".join(misses) + "\n", encoding="utf-8")
    return 0


def _row(name: str, form: str, counts: Counter[str]) -> str:
    asked = max(counts["asked"], 1)
    return (
        f"| {name} | {form} | {counts['asked']} | {counts['first'] / asked:.3f}"
        f" | {counts['brief'] / asked:.3f} | {counts['ms'] / asked:.0f} |"
    )


def _measured(
    corpus: Corpus,
    name: str,
    form: Form,
    chosen: Sequence[tuple[Provision, Mapping[str, str]]],
    investigate: Investigate,
    misses: list[str],
) -> Counter[str]:
    counts: Counter[str] = Counter()
    for provision, values in chosen:
        document = provision.names[min(form.name, len(provision.names) - 1)]
        question = form.words.format(**{"n": provision.number, **values, "d": form.change(document)})
        question = form.change(question) if form.change is _lower else question
        started = time.perf_counter()
        top, cited, read = investigate(question)
        counts["ms"] += round(1000 * (time.perf_counter() - started))
        first, brief = _is_of(provision, top, corpus), _is_of(provision, cited, corpus)
        counts.update({"asked": 1, "first": int(first), "brief": int(brief)})
        if not (first and brief):
            misses.append(f"{name} {form.key} first={first} brief={brief}: {question} -> {read}")
    return counts


def _investigate(corpus: Corpus, settings: InvestigationSettings, question: str) -> Result:
    investigation = run_case(corpus, question, settings).investigation()
    top = [one for found in investigation.passages[:1] for one in (found.passage.id, *found.assembled_ids)]
    brief = answer(investigation, corpus)
    cited = brief.citations[brief.sentences[0].citations[0] - 1].places if brief.sentences else ()
    read = [(named.words, str(named.status), named.note) for named in investigation.plan.named]
    return top, [place for place, _ in cited], str(read)


def _absent(
    corpus: Corpus,
    name: str,
    chosen: Sequence[tuple[Provision, Mapping[str, str]]],
    settings: InvestigationSettings,
    misses: list[str],
) -> Counter[str]:
    counts: Counter[str] = Counter()
    for provision, values in chosen:
        question = FORMS[name][0].words.format(
            **{**values, "n": ABSENT, "w": f"第{ABSENT}条", "d": provision.names[0]}
        )
        plan = make_case(corpus, question, settings).make_plan()
        is_reported = bool(plan.named) and all(named.status is Naming.MISSING for named in plan.named)
        counts.update({"absent": 1, "reported": int(is_reported)})
        if not is_reported:
            misses.append(
                f"{name} absent: {question} -> {[(one.words, str(one.status)) for one in plan.named]}"
            )
    return counts


def _is_of(provision: Provision, ids: Sequence[str], corpus: Corpus) -> bool:
    rows = corpus.rows(list(ids))
    return any(
        {passage.id, passage.source_id, passage.metadata.get("source")} & provision.ids
        for passage in corpus.passages(rows[rows >= 0])
    )


def _ingested(source: Path, corpora: Path, name: str) -> Path:
    folder = corpora / name
    if folder.is_dir():
        return folder
    corpora.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as unpacked, ProgressBar() as progress:
        if (source / "laws.tar.gz").is_file():
            with tarfile.open(source / "laws.tar.gz") as archive:
                archive.extractall(unpacked, filter="data")
            source = Path(unpacked)
        build_corpus([source], folder, name=name, embedding="none", progress=progress)
    return folder


def _drawn(name: str, folder: Path, corpus: Corpus) -> Iterator[tuple[Provision, Mapping[str, str]]]:
    """Yield the provisions of a set with the values for its forms, in the order of the set."""
    if name == "fr_codes_versions":
        yield from _french(corpus)
        return
    found: defaultdict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    with gzip.open(folder / "corpus.jsonl.gz", "rb") as lines:
        for record in map(orjson.loads, lines):
            key = _key(name, record)
            if key is not None:
                found[key].append(record)
    for (_, number), records in found.items():
        first = records[0]["metadata"]
        ids = frozenset(str(record["id"]) for record in records)
        values = {"w": str(first.get("article_label") or first.get("article") or "").strip(" :：")}
        yield Provision(_names_of(name, first), number, ids), values


def _key(name: str, record: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return document and number of a record; None if questions do not name it."""
    about = record["metadata"]
    if name == "obliqa_adgm":
        label = re.match(r"(\d+(?:\.\d+){2})(?:\.?\(|$)", str(about["passage_label"]))
        return (about["document"], label[1]) if label and "_VER" in about["document"] else None
    if name == "eu_gdpr_24lang":
        match = re.fullmatch(r"gdpr-en-art-(\d+)", str(record["id"]))
        return ("GDPR", match[1]) if match else None
    number = str(about.get("article") or "")
    if name == "sa_laws_ar":
        words = re.match(r"\s*المادة\s+(.+?)\s*:?\s*$", str(about.get("article_label") or ""))
        value = arabic_ordinal(words[1]) if words else None
        return (str(about["law_id"]), str(value)) if value else None
    if name == "cn_admin_regs":
        digits = str(record["id"]).rpartition("-")[2]
        return (str(about["regulation"]), digits) if digits.isdecimal() and number.startswith("第") else None
    if not re.fullmatch(r"\d+[a-z]?", number) or about.get("repealed"):
        return None
    if name == "de_bundesrecht" and not str(about.get("heading", "")).startswith("§"):
        return None
    return str(about["regulation"]), number


def _names_of(name: str, about: Mapping[str, Any]) -> tuple[str, ...]:
    if name == "obliqa_adgm":
        return (str(about["document"]).partition("_VER")[0],)
    if name == "de_bundesrecht":
        return (str(about["abbreviation"]), str(about["regulation"]))
    if name == "id_peraturan":
        kind = re.match(r"(.+?) Nomor (\S+) Tahun (\d{4})", str(about["regulation"]))
        if kind:
            short = {"Undang-Undang": "UU", "Peraturan Pemerintah": "PP", "Peraturan Menteri Keuangan": "PMK"}
            return (kind[0], f"{short.get(kind[1], kind[1])} {kind[2]}/{kind[3]}")
    return (str(about.get("regulation", "")),)


def _french(corpus: Corpus) -> Iterator[tuple[Provision, Mapping[str, str]]]:
    """Yield the articles of versions in force today, by title and number, from the corpus's passages."""
    found: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for document in corpus.documents():
        today = date.today().isoformat()
        if not str(document.valid_from or "") <= today <= str(document.valid_to or "9999"):
            continue
        (rows,) = corpus.by_document([document.id])
        for passage in corpus.passages(rows):
            if passage.number and re.fullmatch(r"[LRD]?\d+(?:-\d+)*", passage.number):
                found[document.title, passage.number].add(passage.id)
    for (title, article), ids in found.items():
        yield Provision((title,), article, frozenset(ids)), {}


def _parser() -> argparse.ArgumentParser:
    parser = new_parser(__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--sets", default="")
    parser.add_argument("--each", type=int, default=8, help="questions of each form")
    parser.add_argument("--seed", type=int, default=14)
    parser.add_argument("--preset", default="balanced")
    parser.add_argument("--misses", type=Path)
    return parser


if __name__ == "__main__":
    sys.exit(main())
