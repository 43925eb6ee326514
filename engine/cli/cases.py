"""The command ``cases``: what was investigated and kept; and the flag by which ``investigate`` keeps it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli import case_files
from engine.cli.case_store import WHO, learned_of, log_deleted, matter_named, open_store, printed
from engine.cli.commands import add_verb
from engine.cli.models import add_model_flags, model_from
from engine.cli.settings import add_corpus
from engine.corpus.address import place_of
from engine.errors import InputError
from engine.records.store import EVERYBODY
from engine.verbs.cases import LIST_CASES, case_line

if TYPE_CHECKING:
    from engine.records.comparing import Comparison
    from engine.records.store.database import CaseSummary, Matter
    from engine.records.store.store import CaseStore


def add_cases_command(commands: Any) -> None:
    """Describe the command to the parser."""
    command = commands.add_parser("cases", help="the cases that are kept: list, show, replay, compare")
    acts = command.add_subparsers(required=True, metavar="ACT")

    def act(name: str, work: Callable[[argparse.Namespace], None], words: str) -> argparse.ArgumentParser:
        parser: argparse.ArgumentParser = acts.add_parser(name, help=words)
        parser.add_argument("--json", action="store_true", help="print as JSON")
        parser.set_defaults(command=work)
        return parser

    add_verb(acts, LIST_CASES)
    low = act("low-coverage", low_coverage, "cases of which little is covered, the least first")
    _add_scope(low)
    low.add_argument("--below", type=float, default=0.7, metavar="S", help="coverage, 0 to 1 (default .7)")
    _add_scope(act("by-verdict", by_verdict, "means of the figures of cases, by verdict"))
    _add_scope(act("over-time", over_time, "means of the figures of cases, by day"))
    for name, work, words in (
        ("show", show, "a case: what was asked and what came of it"),
        ("events", events, "everything that happened to a case, and who did it"),
    ):
        act(name, work, words).add_argument("id", metavar="ID")
    verifying = act(
        "verify", verify, "whether a case, the file of one, or all that is kept is as it was written"
    )
    verifying.add_argument("id", metavar="ID", nargs="?", help="id of a case, or FILE (default: all cases)")
    undoing = act("undo", undo, "take back the last step")
    undoing.add_argument("id", metavar="ID")
    undoing.add_argument("--verdict", action="store_true", help="take back the last verdict instead")
    again = act("replay", replay, "go through a case once more, and say what differs")
    again.add_argument("id", metavar="ID")
    add_corpus(again)
    again.add_argument(
        "--was", type=place_of, metavar="DIR", help="the corpus as it was, where a copy of it is left"
    )
    add_model_flags(again)
    against = act("compare", compare_cases, "two cases side by side: what came, went and moved")
    against.add_argument("id", metavar="ID")
    against.add_argument("other", metavar="OTHER")
    add_corpus(against, required=False, otherwise="; with it more is known of what made the difference")
    against.add_argument("--with-corpus", type=place_of, metavar="DIR", help="that of OTHER, where another")
    naming = act("name", name_case, "give a case a name, or notes")
    naming.add_argument("id", metavar="ID")
    naming.add_argument("--name", help="its name")
    naming.add_argument("--notes", help="what is to be known of it")
    judging = act("judge", judge, "say what came of a case")
    judging.add_argument("id", metavar="ID")
    judging.add_argument("verdict", metavar="VERDICT", help="in a word; an empty one takes it back")
    right = judging.add_mutually_exclusive_group()
    right.add_argument("--right", action="store_true", default=None, help="what the engine said was right")
    right.add_argument("--wrong", dest="right", action="store_false", help="it was wrong")
    deleting = act("delete", delete_cases, "delete cases with all that belongs to them")
    deleting.add_argument("ids", nargs="*", metavar="ID")
    deleting.add_argument("--matter", metavar="NAME", help="a whole matter, by its name or its id")
    case_files.add_acts(act)


def _add_scope(command: argparse.ArgumentParser) -> None:
    command.add_argument("--matter", metavar="NAME", help="only of this matter (default: of all)")


def _matter(store: CaseStore, name: str | None) -> Matter | None:
    """The matter that a name means, None where none is named."""
    return None if name is None else matter_named(store, name)


def low_coverage(options: argparse.Namespace) -> None:
    """Print the cases of which little is covered."""
    with closing(open_store()) as store:
        found = store.low_coverage(options.below, _matter(store, options.matter), EVERYBODY)
    printed(options, {"cases": [_values(one) for one in found]}, map(case_line, found))


def by_verdict(options: argparse.Namespace) -> None:
    """Print means by verdict."""
    with closing(open_store()) as store:
        found = store.by_verdict(_matter(store, options.matter), EVERYBODY)
    printed(options, {"verdicts": found}, _table(found))


def over_time(options: argparse.Namespace) -> None:
    """Print means by day."""
    with closing(open_store()) as store:
        found = store.over_time(_matter(store, options.matter), EVERYBODY)
    printed(options, {"days": found}, _table(found))


def show(options: argparse.Namespace) -> None:
    """Print a case; as JSON its whole record."""
    from engine.records.comparing import find_chance_reasons

    with closing(open_store()) as store:
        summary, record = store.summary(options.id, EVERYBODY), store.record(options.id, EVERYBODY)
        notes = store.notes(options.id, EVERYBODY)
    lines = [f"{name}: {value}" for name, value in _values(summary).items() if value not in (None, "")]
    ranked = [
        f"{passage['rank']:>3}. {passage['title'] or passage['document']}, {passage['label']}"
        for passage in record["passages"]
    ]
    inexact = list(find_chance_reasons(record))
    lines += [f"notes: {notes}"] if notes else []
    lines += [f"a replay is not exact: {why}" for why in inexact]
    values = {"case": _values(summary), "notes": notes, "inexact": inexact, "record": record}
    printed(options, values, [*lines, *ranked])


def events(options: argparse.Namespace) -> None:
    """Print what happened to a case."""
    with closing(open_store()) as store:
        found = store.events(options.id, EVERYBODY)
    lines = (
        f"{one.number:>3} {one.at} {one.kind} by {one.who}"
        + "".join(f", {name} {value}" for name, value in one.data.items())
        for one in found
    )
    printed(options, {"events": [one.values() for one in found]}, [*lines, f"last hash: {found[-1].hash}"])


def verify(options: argparse.Namespace) -> None:
    """Print whether a case, or all that is kept, is as it was written. Raises InputError if it is not."""
    if options.id is None:
        _verify_all(options)
        return
    if Path(options.id).is_file():
        from engine.records.case_file import find_changes, read_saved

        saved = read_saved(Path(options.id))
        found = find_changes(saved, options.id)
        head = "" if saved.case is None else saved.case.head
    else:
        with closing(open_store()) as store:
            found = store.verify(options.id, EVERYBODY)
            head = "" if found else store.events(options.id, EVERYBODY)[-1].hash
    if found:
        raise InputError(f"case {options.id} was changed: {'; '.join(found)}")
    printed(options, {"sound": True, "hash": head}, [f"As it was written; last hash {head}"])


def _verify_all(options: argparse.Namespace) -> None:
    from engine.records.store.opening import RESTORE

    with closing(open_store()) as store:
        every = store.verify_all()
    wrong = {name: faults for name, faults in every.items() if faults}
    lines = [f"{name or 'the database'}: {'; '.join(faults)}" for name, faults in wrong.items()]
    cases = f"{len(every) - 1:,} cases"
    values = {"sound": not wrong, "cases": len(every) - 1, "wrong": wrong}
    printed(options, values, lines or [f"{cases}, all as they were written"])
    if wrong:
        raise InputError(f"{cases}, of which {len(wrong.keys() - {''}):,} are damaged: {RESTORE}")


def undo(options: argparse.Namespace) -> None:
    """Take back the last step of a case, or the last verdict on it."""
    with closing(open_store()) as store:
        take_back = store.unjudge if options.verdict else store.undo
        take_back(options.id, who=WHO, owner=EVERYBODY)
        last = store.events(options.id, EVERYBODY)[-1]
    printed(options, last.values(), [f"Taken back: {last.data['kind']} (event {last.data['event']})"])


def replay(options: argparse.Namespace) -> None:
    """Go through a case once more and print what differs."""
    from engine.corpus import open_corpus
    from engine.records.comparing import compare
    from engine.records.export import investigation_to_json
    from engine.records.replaying import replay
    from engine.records.store.chain import fingerprint_of

    with closing(open_store()) as store:
        record, steps = store.record(options.id, EVERYBODY), store.events(options.id, EVERYBODY)
        summary = store.summary(options.id, EVERYBODY)
    state, learned = summary.fingerprint, learned_of(summary.matter, record)
    corpus, was = open_corpus(options.corpus), open_corpus(options.was) if options.was else None
    again = investigation_to_json(
        replay(record, corpus, events=steps, model=model_from(options), learned=learned)
    )
    states = state, fingerprint_of(corpus)
    _print_comparison(options, compare(record, again, corpora=(was, corpus), states=states))


def compare_cases(options: argparse.Namespace) -> None:
    """Print what differs between two cases."""
    from engine.corpus import open_corpus
    from engine.records.comparing import compare

    ids = options.id, options.other
    with closing(open_store()) as store:
        before, after = (store.record(one, EVERYBODY) for one in ids)
        first, second = (store.summary(one, EVERYBODY).fingerprint for one in ids)
    corpus = open_corpus(options.corpus) if options.corpus else None
    other = open_corpus(options.with_corpus) if options.with_corpus else corpus
    _print_comparison(options, compare(before, after, corpora=(corpus, other), states=(first, second)))


def _print_comparison(options: argparse.Namespace, found: Comparison) -> None:
    from engine.records.comparing import comparison_lines, comparison_to_json

    printed(options, comparison_to_json(found), comparison_lines(found))


def name_case(options: argparse.Namespace) -> None:
    """Give a case a name, or notes."""
    if options.name is None and options.notes is None:
        raise InputError("give --name or --notes")
    with closing(open_store()) as store:
        store.describe(options.id, who=WHO, owner=EVERYBODY, name=options.name, notes=options.notes)
        _print_case(options, store)


def judge(options: argparse.Namespace) -> None:
    """Say what came of a case."""
    with closing(open_store()) as store:
        verdict = options.verdict or None
        store.judge(options.id, verdict, who=WHO, owner=EVERYBODY, right=options.right)
        _print_case(options, store)


def delete_cases(options: argparse.Namespace) -> None:
    """Delete cases, or a matter with all of its own. Raises InputError where one is not there; then none is
    deleted."""
    from engine.records.store.database import UnknownCaseError

    if bool(options.ids) == (options.matter is not None):
        raise InputError("name either ids of cases or --matter")
    with closing(open_store()) as store:
        if options.matter is not None:
            gone = store.delete_matter(matter_named(store, options.matter))
        else:
            gone = list(dict.fromkeys(options.ids))
            # A damaged case can be deleted, too: no more of it is read than its id.
            if missing := [one for one in gone if one not in store.ids(None, EVERYBODY)]:
                raise UnknownCaseError(missing[0])
            store.delete(gone, EVERYBODY)
    log_deleted(gone)
    printed(options, {"deleted": len(gone)}, [f"{len(gone):,} deleted"])


def _print_case(options: argparse.Namespace, store: CaseStore) -> None:
    found = store.summary(options.id, EVERYBODY)
    printed(options, _values(found), [case_line(found)])


def _values(summary: CaseSummary) -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(summary)


def _table(rows: list[dict[str, Any]]) -> Iterator[str]:
    for row in rows:
        first, *rest = row.items()
        told = ", ".join(
            f"{name} {value:.3g}" if isinstance(value, float) else f"{name} {value}"
            for name, value in rest
            if value is not None
        )
        yield f"{first[1] or 'none'}: {told}"
