"""The cases that the server keeps of people: handed to them, and deleted by person and by age.

Whoever deletes stands in the log of who did what.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TypeVar

from sqlalchemy.engine import make_url

from engine.access.audit_log import record
from engine.access.users import REALMS, Person, Role, key_of, owner_of_key, server_secret
from engine.operator_settings import OperatorSettings
from engine.records.filed.bundles import write_bundle
from engine.records.store.database import CaseDatabase
from engine.records.store.store import CaseStore
from engine.review.store import ReviewStore

RETENTION = Person(role=Role.OPERATOR, name="(retention)")
ACTION = "delete case"
_Store = TypeVar("_Store", bound=CaseDatabase)


def owners_of(settings: OperatorSettings, name: str) -> list[str]:
    """By what the matters of a user are known, whoever vouches for the name."""
    secret = server_secret(settings.home_folder)
    found = (owner_of_key(key_of(name, realm, secret)) for realm in REALMS)
    return [owner for owner in found if owner is not None]


def case_ids(settings: OperatorSettings, owners: list[str]) -> list[str]:
    """The cases of somebody."""
    with _opened(settings, CaseStore) as store:
        return [] if store is None else [one for owner in owners for one in store.ids(None, owner)]


def hand_out(settings: OperatorSettings, owners: list[str], path: Path) -> int:
    """Write all cases of somebody into a file that ends in .zip or .jsonl; returns how many. Raises
    InputError."""
    with _opened(settings, CaseStore) as store:
        if store is None:
            return write_bundle(path, ())
        ids = [(one, owner) for owner in owners for one in store.ids(None, owner)]
        return write_bundle(path, (store.handed(one, owner) for one, owner in ids))


def delete_of(settings: OperatorSettings, owners: list[str], who: Person) -> list[str]:
    """Delete all matters and cases of somebody; returns the ids of the cases."""
    with _opened(settings, CaseStore) as store:
        gone = [] if store is None else [one for owner in owners for one in store.delete_owner(owner)]
    return _logged(gone, who)


def forget_reviewer(settings: OperatorSettings, name: str, *, dry_run: bool) -> int:
    """Take a person's name, reasons and notes off the verdicts of reviews; returns how many had the name."""
    with _opened(settings, ReviewStore) as reviews:
        return 0 if reviews is None else reviews.forget_reviewer(name, dry_run=dry_run)


def idle_ids(settings: OperatorSettings, days: float) -> list[str]:
    """The cases of visitors that nobody has opened or changed for so many days."""
    with _opened(settings, CaseStore) as store:
        return [] if store is None else [one["id"] for one in store.idle(days)]


def delete_idle(
    settings: OperatorSettings, days: float, who: Person, *, of_machine: bool = False
) -> list[str]:
    """Delete them, or those of the machine itself; returns their ids."""
    with _opened(settings, CaseStore) as store:
        gone = [] if store is None else store.delete_idle(days, of_machine=of_machine)
    return _logged(gone, who)


def _logged(case_ids: list[str], who: Person) -> list[str]:
    for case_id in case_ids:
        record(who, ACTION, case_id, "done")
    return case_ids


@contextmanager
def _opened(settings: OperatorSettings, opened: Callable[[str], _Store]) -> Iterator[_Store | None]:
    """What is kept of cases or reviews; None if there is no file of it yet, which is not made for this."""
    address = settings.cases_address
    if address.startswith("sqlite:") and not Path(str(make_url(address).database)).exists():
        yield None
        return
    with closing(opened(address)) as store:
        yield store
