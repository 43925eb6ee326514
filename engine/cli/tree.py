"""The command ``tree``: from the question of a case to each passage, and the figures of its pool."""

from __future__ import annotations

import argparse
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli.case_store import open_store
from engine.cli.printing import print_json, print_lines
from engine.errors import InputError
from engine.records.store import EVERYBODY

if TYPE_CHECKING:
    from engine.records.expansion import ExpansionTree
    from engine.records.expansion.naming import Names
    from engine.records.record import CaseRecord


def add_tree_command(commands: Any) -> None:
    """Describe the command to the parser."""
    command = commands.add_parser("tree", help="how a case grew: from its question to each passage")
    command.add_argument("case", metavar="CASE", help="id of a case that is kept, or the file of a saved one")
    command.add_argument("--passage", metavar="ID", help="only what hangs below this passage")
    command.add_argument("--depth", type=int, metavar="N", help="at most so many levels (default: all)")
    command.add_argument(
        "--descendants", action="store_true", help="what came of the passage: counted, with its own trail"
    )
    command.add_argument(
        "--statistics", action="store_true", help="the figures of the pool in place of the tree"
    )
    command.add_argument("--corpus", metavar="DIR", help="the corpus of the case, which names all passages")
    command.add_argument("--json", action="store_true", help="print as JSON")
    command.set_defaults(command=tree)


def tree(options: argparse.Namespace) -> None:
    """Print the tree of a case, or its figures. Raises InputError where there is no such case or passage."""
    from engine.records.expansion import expansion_tree, facts_of_record

    _check(options)
    record = _record(options.case)
    grown = expansion_tree(facts_of_record(record, options.case))
    names = _names(record, options)
    if options.statistics:
        _print_statistics(options, grown, names)
        return
    if options.passage is not None and options.passage not in grown.nodes:
        raise InputError(f"passage {options.passage!r} is not in the pool of this case")
    if options.descendants:
        _print_descendants(options, grown, names)
    else:
        _print_tree(options, grown, names)


def _check(options: argparse.Namespace) -> None:
    if options.depth is not None and options.depth < 0:
        raise InputError("--depth is at least 0")
    if options.descendants and options.passage is None:
        raise InputError("--descendants are those of a passage: name it with --passage ID")
    if options.statistics and (options.passage is not None or options.depth is not None):
        raise InputError("--statistics are of the whole pool: leave --passage and --depth out")


def _record(case: str) -> CaseRecord:
    from engine.records.record import read_record
    from engine.records.saved import load_record

    if Path(case).is_file():
        return load_record(Path(case))
    with closing(open_store()) as store:
        return read_record(store.record(case, EVERYBODY), case)


def _names(record: CaseRecord, options: argparse.Namespace) -> Names:
    from engine.records.expansion.naming import first_known, names_of_corpus, names_of_record

    own = names_of_record(record)
    if options.corpus is None:
        return own
    from engine.corpus import open_corpus

    return first_known(names_of_corpus(open_corpus(options.corpus)), own)


def _print_tree(options: argparse.Namespace, grown: ExpansionTree, names: Names) -> None:
    from engine.investigation.pool import QUESTION_NODE
    from engine.records.expansion.form import tree_to_json
    from engine.records.expansion.text import tree_lines

    start = QUESTION_NODE if options.passage is None else options.passage
    if options.json:
        own = [] if options.passage is None else [options.passage]
        print_json(tree_to_json(grown, names, [*own, *grown.below(start, options.depth)]))
    else:
        print_lines(tree_lines(grown, names, start, options.depth))


def _print_descendants(options: argparse.Namespace, grown: ExpansionTree, names: Names) -> None:
    from engine.records.expansion.form import descendants_to_json
    from engine.records.expansion.text import descendants_lines, tree_lines

    if options.json:
        print_json(descendants_to_json(grown, options.passage, names))
        return
    print_lines(descendants_lines(grown, options.passage, names))
    print_lines(tree_lines(grown, names, options.passage, options.depth))


def _print_statistics(options: argparse.Namespace, grown: ExpansionTree, names: Names) -> None:
    from engine.records.expansion.form import statistics_to_json
    from engine.records.expansion.statistics import statistics
    from engine.records.expansion.text import statistics_lines

    known = names(grown.facts.ids)
    found = statistics(grown, known)
    if options.json:
        print_json(statistics_to_json(found))
    else:
        print_lines(statistics_lines(found, known))
