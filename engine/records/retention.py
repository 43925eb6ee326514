"""Retention: collection and deletion of users' cases, and periodic deletion of old data."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import TypeVar

from sqlalchemy.engine import make_url

from engine.access.audit_log import delete, older_than, record
from engine.access.users import REALMS, Person, Role, key_of, owner_of_key, server_secret
from engine.errors import RedstringError
from engine.operator_settings import OperatorSettings
from engine.records.case_file import write_bundle
from engine.records.store.database import CaseDatabase
from engine.records.store.store import CaseStore
from engine.review.store import ReviewStore

# Periodic deletion while the server runs.

LOG = logging.getLogger(__name__)
BETWEEN_SECONDS = 3600.0


def sweep(settings: OperatorSettings) -> int:
    """Delete visitors' corpora that are too old; return how many. Raises InputError."""
    if not settings.retention_days:
        return 0
    old = older_than(settings.home_folder, settings.retention_days)
    delete(old)
    for folder in old:
        record(Person(role=Role.OPERATOR, name="(retention)"), "forget", folder.logged_as, "done")
    return len(old)


def sweep_cases(settings: OperatorSettings) -> int:
    """Delete cases that were not opened or changed for the configured time; return how many.

    Raises as ``CaseStore``.
    """
    count = 0
    for days, of_machine in (
        (settings.case_retention_days, False),
        (settings.own_case_retention_days, True),
    ):
        if days:
            count += len(delete_idle(settings, days, RETENTION, of_machine=of_machine))
    return count


@contextmanager
def sweep_periodically(settings: OperatorSettings, seconds: float = BETWEEN_SECONDS) -> Iterator[None]:
    """Run both deletions now and every hour within the block, if the operator has configured retention."""
    stopped = Event()

    def work() -> None:
        while True:
            for what, clear in (("corpora of visitors", sweep), ("cases", sweep_cases)):
                try:
                    count = clear(settings)
                    if count:
                        LOG.info("%d %s were too old and are deleted", count, what)
                except RedstringError as error:
                    LOG.error("%s", error)
            if stopped.wait(seconds):
                return

    days = settings.retention_days, settings.case_retention_days, settings.own_case_retention_days
    if not any(days):
        yield
        return
    thread = Thread(target=work, name="retention", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join(timeout=5)


# Export and deletion of users' cases. Every deletion is logged with the one who did it.

RETENTION = Person(role=Role.OPERATOR, name="(retention)")
ACTION = "delete case"
_Store = TypeVar("_Store", bound=CaseDatabase)


def find_owners(settings: OperatorSettings, name: str) -> list[str]:
    """Return the owners of a user's matters, one for each login method."""
    secret = server_secret(settings.home_folder)
    found = (owner_of_key(key_of(name, realm, secret)) for realm in REALMS)
    return [owner for owner in found if owner is not None]


def case_ids(settings: OperatorSettings, owners: list[str]) -> list[str]:
    """Return the ids of the cases of some owners."""
    with _open_store(settings, CaseStore) as store:
        return [] if store is None else [one for owner in owners for one in store.ids(None, owner)]


def export_cases(settings: OperatorSettings, owners: list[str], path: Path) -> int:
    """Export all cases of some owners to a file that ends in .zip or .jsonl; return how many.

    Raises InputError.
    """
    with _open_store(settings, CaseStore) as store:
        if store is None:
            return write_bundle(path, ())
        ids = [(one, owner) for owner in owners for one in store.ids(None, owner)]
        return write_bundle(path, (store.handed(one, owner) for one, owner in ids))


def delete_owners(settings: OperatorSettings, owners: list[str], who: Person) -> list[str]:
    """Delete all matters and cases of some owners; return the ids of the cases."""
    with _open_store(settings, CaseStore) as store:
        deleted = [] if store is None else [one for owner in owners for one in store.delete_owner(owner)]
    return _log_deletions(deleted, who)


def forget_reviewer(settings: OperatorSettings, name: str, *, dry_run: bool) -> int:
    """Remove a reviewer's name, reasons and notes from review verdicts; return the number of verdicts."""
    with _open_store(settings, ReviewStore) as reviews:
        return 0 if reviews is None else reviews.forget_reviewer(name, dry_run=dry_run)


def idle_ids(settings: OperatorSettings, days: float) -> list[str]:
    """Return the ids of visitors' cases that were not opened or changed for some days."""
    with _open_store(settings, CaseStore) as store:
        return [] if store is None else [one["id"] for one in store.idle(days)]


def delete_idle(
    settings: OperatorSettings, days: float, who: Person, *, of_machine: bool = False
) -> list[str]:
    """Delete idle cases of visitors, or of the machine itself; return their ids."""
    with _open_store(settings, CaseStore) as store:
        deleted = [] if store is None else store.delete_idle(days, of_machine=of_machine)
    return _log_deletions(deleted, who)


def _log_deletions(case_ids: list[str], who: Person) -> list[str]:
    for case_id in case_ids:
        record(who, ACTION, case_id, "done")
    return case_ids


@contextmanager
def _open_store(settings: OperatorSettings, opened: Callable[[str], _Store]) -> Iterator[_Store | None]:
    """Open a store of cases or reviews; None if its file does not exist (it is not created)."""
    address = settings.cases_address
    if address.startswith("sqlite:") and not Path(str(make_url(address).database)).exists():
        yield None
        return
    with closing(opened(address)) as store:
        yield store
