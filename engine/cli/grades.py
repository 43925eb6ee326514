"""The command ``grades``: how much weight the documents of a corpus carry, A to E."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from engine.cli.printing import print_json, print_lines
from engine.cli.settings import add_corpus
from engine.errors import InputError

if TYPE_CHECKING:
    from engine.corpus.grades import Grades, Subject
    from engine.corpus.protocol import Corpus


def add_grades_command(commands: Any) -> None:
    """Describe the command to the parser."""
    command = commands.add_parser(
        "grades", help="the grades A to E of a corpus's documents, by kind and by hand: list, set, unset"
    )
    command.add_argument("act", choices=("list", "set", "unset"), metavar="ACT", help="list, set or unset")
    command.add_argument("grade", nargs="?", default="", metavar="G", help="set: A, B, C, D, E or none")
    add_corpus(command)
    command.add_argument("--kind", metavar="K", help='of this kind of document; "" for those without a kind')
    command.add_argument("--document", metavar="ID", help="of one document, by its id")
    command.add_argument("--note", default="", help="why")
    command.add_argument("--by", default="", metavar="NAME", help="who says so")
    command.add_argument("--json", action="store_true", help="print as JSON")
    command.set_defaults(command=grades)


def grades(options: argparse.Namespace) -> None:
    """Print the grades of a corpus, give one, or take one back."""
    from engine.corpus import open_corpus
    from engine.corpus.grades import grade_from, grades_of, grades_to_json, set_grade, unset_grade

    corpus = open_corpus(options.corpus)
    if options.act != "list":
        of, name = _subject(options)
        said = {"note": options.note, "reviewer": options.by}
        if options.act == "set":
            set_grade(corpus, of, name, grade_from(options.grade), **said)
        else:
            unset_grade(corpus, of, name, **said)
    found = grades_of(corpus)
    if options.json:
        print_json(grades_to_json(found, corpus))
        return
    print_lines(_lines(found, corpus))


def _subject(options: argparse.Namespace) -> tuple[Subject, str]:
    if (options.kind is None) == (options.document is None):
        raise InputError(f"{options.act}: give --kind or --document")
    return ("kind", options.kind) if options.document is None else ("document", options.document)


def _lines(found: Grades, corpus: Corpus) -> Iterator[str]:
    from engine.corpus.grades import NO_KIND, kind_rows, ungraded, words_of
    from engine.language.characters import marked
    from engine.records.phrases import plural

    documents = {one.id: one for one in corpus.documents()}
    for row in kind_rows(found, documents.values()):
        why = f" ({row.basis.value}{_by(row.said)})" if row.basis else ""
        counted = f"{plural(row.documents, 'document')}"
        yield f"{words_of(row.grade):10}{marked(row.shown) or NO_KIND}, {counted}{why}"
    for name, said in found.documents.items():
        gone = "" if name in documents else ", not in the corpus now"
        yield f"{words_of(said.grade):10}{marked(name)} (by hand{_by(said)}{gone})"
    without = ungraded(found, documents.values())
    if without:
        yield f"{plural(len(without), 'document')} of {len(documents):,} without a grade"


def _by(said: Any) -> str:
    return f", {said.reviewer}" if said is not None and said.reviewer else ""
