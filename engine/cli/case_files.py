"""Acts of the command ``cases`` by which cases are handed to others."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.case_store import WHO, matter_named, open_store, printed
from engine.cli.exports import add_verdict_flags, verdicts_wanted
from engine.cli.review_store import open_reviews
from engine.errors import InputError
from engine.records.store import EVERYBODY

if TYPE_CHECKING:
    from engine.records.store.store import CaseStore

Act = Callable[[str, Callable[[argparse.Namespace], None], str], argparse.ArgumentParser]


def add_acts(act: Act) -> None:
    """Describe the acts to the parser of the command."""
    act("schema", schema, "print the JSON Schema of saved cases")
    act("matters", matters, "all matters with the number of their cases")
    taking = act("import", import_cases, "keep saved cases that are as they were written")
    taking.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="as `investigate --save` wrote it"
    )
    taking.add_argument("--matter", required=True, metavar="NAME", help="keep them in this matter")
    giving = act("export", export_matter, "write all cases of a matter, to be imported elsewhere")
    giving.add_argument("--matter", required=True, metavar="NAME", help="its name, or its id")
    giving.add_argument("--out", required=True, type=Path, metavar="FILE", help="FILE.zip or FILE.jsonl")
    add_verdict_flags(giving)
    sharing = act("share", share, "show a case to whoever has its id, to be read")
    sharing.add_argument("id", metavar="ID")
    sharing.add_argument("--off", action="store_true", help="to nobody else any more")


def schema(options: argparse.Namespace) -> None:
    """Print the JSON Schema of saved cases."""
    from engine.records.case_file import SCHEMA

    print(SCHEMA.read_text(encoding="utf-8"), end="")


def matters(options: argparse.Namespace) -> None:
    """Print the matters of everybody."""
    from engine.records.phrases import plural

    with closing(open_store()) as store:
        found = store.counted(EVERYBODY)
    values = [
        {"id": one.id, "owner": one.owner, "name": one.name, "created": one.created, "cases": count}
        for one, count in found
    ]
    lines = (
        f"{one.id}  {one.name}: {plural(count, 'case')}, "
        + (f"of {one.owner}" if one.owner else "of this machine")
        for one, count in found
    )
    printed(options, {"matters": values}, lines)


def import_cases(options: argparse.Namespace) -> None:
    """Keep saved cases. Raises InputError for one that is damaged, was changed, or is kept already; what was
    kept before it stays."""
    from engine.records.case_file import read_saved

    read = [(path, read_saved(path)) for path in options.files]
    kept, said = [], 0
    with closing(open_store()) as store:
        matter = store.matter(options.matter)
        for path, (record, case) in read:
            try:
                if case is None:
                    # A file of format 1 has no chain: it begins here.
                    kept.append(store.keep(record, matter, application="file", who=WHO))
                else:
                    store.take_in(record, case, matter, who=WHO)
                    kept.append(case.id)
                    said += len(case.verdicts)
            except InputError as error:
                raise InputError(f"{path}: {error}") from error
    lines = [f"Kept as case {one}" for one in kept] + ([f"{said:,} verdicts came along"] if said else [])
    printed(options, {"imported": kept, "verdicts": said}, lines)


def export_matter(options: argparse.Namespace) -> None:
    """Write the cases of a matter."""
    with closing(open_store()) as store:
        matter = matter_named(store, options.matter)
        count = _written_with(store, store.ids(matter, EVERYBODY), options)
    printed(options, {"exported": count}, [f"{count:,} cases in {options.out}"])


def written(store: CaseStore, ids: list[str], path: Path) -> int:
    """Write cases into a file whose ending says how, whole or not at all; returns how many."""
    from engine.records.case_file import write_bundle

    handed = (store.handed(one, EVERYBODY) for one in ids)
    return write_bundle(path, handed)


def _written_with(store: CaseStore, ids: list[str], options: argparse.Namespace) -> int:
    """The same, each case with the verdicts that are asked for."""
    from engine.exports.kept_cases import Verdicts
    from engine.records.case_file import write_bundle
    from engine.review.case_verdicts import case_verdicts, verdicts_to_json

    wanted = verdicts_wanted(options)
    if wanted is Verdicts.NONE:
        return written(store, ids, options.out)
    with closing(open_reviews()) as reviews:
        named = wanted is Verdicts.NAMED
        handed = ((store.handed(one, EVERYBODY), case_verdicts(reviews, one, named=named)) for one in ids)
        cases = (
            one._replace(case=replace(one.case, verdicts=verdicts_to_json(said))) for one, said in handed
        )
        return write_bundle(options.out, cases)


def share(options: argparse.Namespace) -> None:
    """Show a case to others, or not any more."""
    with closing(open_store()) as store:
        store.share(options.id, who=WHO, owner=EVERYBODY, shared=not options.off)
    told = "nobody else" if options.off else "whoever has its id"
    printed(options, {"id": options.id, "shared": not options.off}, [f"{options.id} is shown to {told}"])
