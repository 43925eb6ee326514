"""The store of cases on the command line, and how what stands in it is named and printed."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli.printing import print_json, print_lines
from engine.errors import InputError
from engine.records.store import EVERYBODY

if TYPE_CHECKING:
    from engine.corpus.protocol import Corpus
    from engine.investigation.ranking.additive import Experience
    from engine.investigation.record import Investigation
    from engine.records.store.database import Matter
    from engine.records.store.store import CaseStore

# Who did what is done on this command line.
WHO = "command line"
# By what it was asked.
APPLICATION = "cli"


def add_matter_flag(command: argparse.ArgumentParser) -> None:
    """The flag by which a case is kept."""
    command.add_argument(
        "--matter", metavar="NAME", help="keep the case in this matter; `cases` lists what is kept"
    )


def keep(
    investigation: Investigation, corpus: Corpus, matter: str | None, saved: Path | None = None
) -> str | None:
    """Keep a case in a matter, save it to a file, or both, then as one case; returns its id in the store.

    Raises InputError where the file cannot be written.
    """
    if matter is None and saved is None:
        return None
    from engine.records.case_file import case_bytes
    from engine.records.export import investigation_to_json
    from engine.records.restoring import save, write_whole
    from engine.records.store.chain import fingerprint_of

    fingerprint = fingerprint_of(corpus)
    if matter is None:
        if saved is not None:
            save(investigation, saved, application=APPLICATION, who=WHO, fingerprint=fingerprint)
        return None
    with closing(open_store()) as store:
        kept = store.keep(
            investigation_to_json(investigation),
            store.matter(matter),
            application=APPLICATION,
            who=WHO,
            fingerprint=fingerprint,
        )
        if saved is not None:
            write_whole(saved, case_bytes(*store.handed(kept)))
    return kept


def open_store() -> CaseStore:
    """The store that the settings name. Raises as ``CaseStore``."""
    from engine.operator_settings import operator_settings
    from engine.records.store.store import CaseStore

    return CaseStore(operator_settings().cases_address)


def learned_in(matter: Matter | None, corpus: Corpus) -> Experience | None:
    """What the cases of a matter are ranked by that ask a corpus; None for what ranks the corpus. Raises as
    ``MatterWeights``."""
    if matter is None:
        return None
    from engine.operator_settings import operator_settings
    from engine.records.store.matter_weights import MatterWeights

    with closing(MatterWeights(operator_settings().cases_address)) as kept:
        return kept.adopted(matter, corpus.name)


def matter_known(name: str | None) -> Matter | None:
    """This machine's matter of a name; None where there is none yet, or none is named."""
    if name is None:
        return None
    from engine.records.store.store import matter_name

    wanted = matter_name(name)
    with closing(open_store()) as store:
        return next((one for one in store.matters() if one.name == wanted), None)


def learned_of(matter_id: str, record: Mapping[str, Any]) -> Experience | None:
    """What a case was ranked by, given its record and the id of its matter, where that was learned of it."""
    weights = str(record.get("weights", ""))
    if not weights:
        return None
    from engine.operator_settings import operator_settings
    from engine.records.store.matter_weights import MatterWeights

    with closing(MatterWeights(operator_settings().cases_address)) as kept:
        return kept.experience(matter_id, weights)


def matter_named(store: CaseStore, name: str) -> Matter:
    """A matter of this machine by its name, or anybody's by its id. Raises InputError where there is none."""
    every = store.matters(EVERYBODY)
    own = {one.name: one for one in every if not one.owner}
    found = own.get(name) or next((one for one in every if one.id == name), None)
    if found is None:
        raise InputError(f"there is no matter {name!r}; known: {', '.join(own) or 'none'}")
    return found


def printed(options: argparse.Namespace, values: Any, lines: Iterable[str]) -> None:
    """Print values as JSON where that is wished, else lines."""
    if options.json:
        print_json(values)
    else:
        print_lines(lines)


def log_deleted(case_ids: Iterable[str]) -> None:
    """Write down, where a log is kept, that whoever sits here deleted cases."""
    from engine.access.audit_log import audit_log, record
    from engine.access.users import Person, Role
    from engine.operator_settings import operator_settings

    # A second process only adds to the file that the server may put aside.
    with audit_log(operator_settings(), rotates=False):
        for case_id in case_ids:
            record(Person(role=Role.OPERATOR, name="(command line)"), "delete case", case_id, "done")
