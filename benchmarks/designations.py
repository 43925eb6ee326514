"""How many citations are found where a rulebook writes its numbers in a form of its own.

    python -m benchmarks.designations DATA_DIR [--keep DIR] [--form NAME]

``DATA_DIR`` holds rulebooks with dotted numbers: ``corpus.jsonl.gz`` (``passage_label``, ``document``) and
``edges_with_text.tsv`` (``source-id``, ``target-id``, ``reference-text``), as obliqa_adgm does. Labels and
the annotated citations are rewritten in the form of other publishers' rulebooks, everything else stays;
printed is the share of the citations that are found in each form. ``--keep`` leaves the rewritten corpora in
a folder. The forms are those that were at hand when the reader was written: they show that it works, not
that it reads a form that nobody has thought of.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.references import compare, edges_of, read
from engine.language.references import Resolver
from engine.model import Status

_LABEL = re.compile(r"(?P<number>\d+[A-Z]?(?:\.\d+[A-Z]?)*)\.?(?P<below>(?:\.?\(\w{1,4}\))*)\Z")
_RULEBOOK = re.compile(r"([A-Z]{2,6})_VER")
# What a rulebook may be called beside its letters: two words and no number.
_TITLES = (
    "Prudential",
    "Conduct",
    "Market",
    "Insurance",
    "Fund",
    "General",
    "Crime",
    "Islamic",
    "Fee",
    "Captive",
)
_SECOND = ("Business", "Matters", "Practice")


@dataclass(frozen=True, slots=True)
class Rule:
    """One numbered line: the letters, the title and the place of its rulebook, its number, what stands below
    it ("(1)"), and its place when numbers are counted through."""

    letters: str
    title: str
    place: int
    number: str
    below: str
    count: int

    @property
    def deep(self) -> bool:
        """Whether it is a rule, not a section or chapter."""
        return self.number.count(".") > 1


@dataclass(frozen=True, slots=True)
class Form:
    """How a rulebook is called, how it labels a rule, and how the rule is cited, from its own rulebook or
    from another one."""

    document: Callable[[Rule], str]
    label: Callable[[Rule], str]
    cited: Callable[[Rule, bool], str]


def _code(rule: Rule) -> str:
    return f"{rule.letters[:2]}-{rule.number}{rule.below}"


def _lettered(rule: Rule) -> str:
    return f"{rule.letters} {rule.number}{'R' if rule.deep else ''}{rule.below}"


def _series(rule: Rule) -> str:
    return f"RG {90 + rule.place}.{rule.count}{rule.below}"


def _glued(rule: Rule) -> str:
    return f"{rule.letters[:2]}X{rule.number}{rule.below}"


def _dashed(rule: Rule) -> str:
    return rule.number.replace(".", "-") + rule.below


def _word(rule: Rule) -> str:
    return f"Guideline {rule.count}{rule.below}"


FORMS: Mapping[str, Form] = {
    "Paragraph FC-3.4.1": Form(
        lambda rule: f"{rule.title} Module",
        _code,
        lambda rule, own: (
            f"{('Chapter', 'Section', 'Paragraph')[min(rule.number.count('.'), 2)]} {_code(rule)}"
        ),
    ),
    "COBS 3.4.1R": Form(
        lambda rule: f"{rule.title} Sourcebook", _lettered, lambda rule, own: _lettered(rule)
    ),
    "Depositor Protection 3.4": Form(
        lambda rule: rule.title,
        lambda rule: f"{rule.number}{rule.below}",
        lambda rule, own: f"{'rule' if own else rule.title} {rule.number}{rule.below}",
    ),
    "RG 97.12": Form(
        lambda rule: f"RG {90 + rule.place} {rule.title}", _series, lambda rule, own: _series(rule)
    ),
    "CRE20.4": Form(lambda rule: rule.title, _glued, lambda rule, own: _glued(rule)),
    "Guideline 12": Form(
        lambda rule: f"{rule.title} Guidelines",
        _word,
        lambda rule, own: _word(rule) if own else f"{_word(rule)} of the {rule.title} Guidelines",
    ),
    "Rule 3-4-1": Form(
        lambda rule: f"{rule.title} Rules",
        _dashed,
        lambda rule, own: f"Rule {_dashed(rule)}" + ("" if own else f" of the {rule.title} Rules"),
    ),
    "3.4.1 COBS": Form(
        lambda rule: rule.title,
        lambda rule: f"{rule.number} {rule.letters}{rule.below}",
        lambda rule, own: f"{rule.number} {rule.letters}{rule.below}",
    ),
}


def rules_of(lines: list[dict[str, Any]]) -> dict[str, Rule]:
    """The numbered lines of the rulebooks by their ids."""
    found: dict[str, Rule] = {}
    places: dict[str, int] = {}
    counts: Counter[str] = Counter()
    seen: dict[tuple[str, str], int] = {}
    for line in lines:
        rulebook = _RULEBOOK.match(line["metadata"]["document"])
        label = _LABEL.match(line["metadata"]["passage_label"].strip().rstrip("."))
        if rulebook is None or label is None:
            continue
        letters = rulebook[1]
        place = places.setdefault(letters, len(places))
        if (letters, label["number"]) not in seen:
            counts[letters] += 1
            seen[letters, label["number"]] = counts[letters]
        title = f"{_TITLES[place % len(_TITLES)]} {_SECOND[place // len(_TITLES)]}"
        below = label["below"].replace(".", "")
        found[line["id"]] = Rule(
            letters, title, place, label["number"], below, seen[letters, label["number"]]
        )
    return found


def rewritten(data: Path, form: Form, target: Path) -> int:
    """Write a corpus in a form with its edges; the number of citations that were rewritten."""
    with gzip.open(data / "corpus.jsonl.gz", "rt", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    rules = rules_of(lines)
    texts = {line["id"]: line["text"] for line in lines}
    gold: list[tuple[str, str]] = []
    with (data / "edges_with_text.tsv").open(encoding="utf-8", newline="") as file:
        for edge in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            source, to = edge["source-id"], edge["target-id"]
            if source == to or source not in rules or to not in rules:
                continue
            rule, own = rules[to], rules[source].letters == rules[to].letters
            words = re.escape(edge["reference-text"].strip())
            name = re.escape(rule.letters)
            printed = re.search(
                rf"(?:(?:{name} )?(?:[Rr]ule|[Ss]ection|[Cc]hapter|[Pp]aragraph)s? |{name} )(?:Rules? )?"
                rf"{words}(?![\w.]\d)(?: (?:of|in) (?:the )?{name}(?: Rulebook)?)?",
                texts[source],
            )
            if printed:
                texts[source] = (
                    texts[source][: printed.start()] + form.cited(rule, own) + texts[source][printed.end() :]
                )
                gold.append((source, to))
    target.mkdir(parents=True, exist_ok=True)
    with gzip.open(target / "corpus.jsonl.gz", "wt", encoding="utf-8") as file:
        for line in lines:
            if (found := rules.get(line["id"])) is not None:
                known = {
                    "document": form.document(found),
                    "passage_label": form.label(found),
                    "language": "en",
                }
                own_line = {"id": line["id"], "title": form.label(found), "text": texts[line["id"]]}
                file.write(json.dumps({**own_line, "metadata": known}) + "\n")
    rows = "".join(f"{source}\t{to}\tcites\n" for source, to in gold)
    (target / "edges.tsv").write_text("source-id\ttarget-id\trelation\n" + rows, encoding="utf-8")
    return len(gold)


def measure(data: Path, name: str, folder: Path) -> None:
    """Print how many of the rewritten citations are found."""
    count = rewritten(data, FORMS[name], folder)
    corpus = read(folder)
    resolver = Resolver(corpus.documents, corpus.sections, corpus.passages)
    targets = corpus.targets()
    named = [
        (passage, one, targets[one.target_kind, one.target_id])
        for passage in corpus.passages
        for one in resolver.references(passage)
        if one.status is Status.RESOLVED and one.target_kind and one.target_id
    ]
    print(f"{name}: {count} citations in {len(corpus.passages):,} passages")
    texts = {passage.source_id: passage.text for passage in corpus.passages}
    compare(edges_of(folder, {passage.source_id: "en" for passage in corpus.passages})["en"], named, 0, texts)


def main(arguments: list[str] | None = None) -> None:
    """Measure every form, or one."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, metavar="DATA_DIR")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave the rewritten corpora here")
    parser.add_argument("--form", choices=FORMS, help="only this form")
    given = parser.parse_args(arguments)
    with TemporaryDirectory() as scratch:
        for place, name in enumerate(FORMS):
            if given.form in (None, name):
                measure(given.data, name, (given.keep or Path(scratch)) / f"form-{place}")


if __name__ == "__main__":
    main()
