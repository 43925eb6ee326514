"""Deletes what has been kept for as long as the operator allows, while the server runs."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from engine.access.audit_log import delete, older_than, record
from engine.access.users import Person, Role
from engine.errors import RedstringError
from engine.operator_settings import OperatorSettings

LOG = logging.getLogger(__name__)
BETWEEN_SECONDS = 3600.0


def sweep(settings: OperatorSettings) -> int:
    """Delete the corpora of visitors that are too old; returns how many. Raises InputError."""
    if not settings.retention_days:
        return 0
    old = older_than(settings.home_folder, settings.retention_days)
    delete(old)
    for one in old:
        record(Person(role=Role.OPERATOR, name="(retention)"), "forget", one.logged_as, "done")
    return len(old)


def sweep_cases(settings: OperatorSettings) -> int:
    """Delete the cases that nobody has opened or changed for as long as the operator allows; returns how
    many. Raises as ``CaseStore``."""
    count = 0
    for days, of_machine in (
        (settings.case_retention_days, False),
        (settings.own_case_retention_days, True),
    ):
        if days:
            # SQLAlchemy takes a while to load, and most servers keep their cases.
            from engine.records.of_people import RETENTION, delete_idle

            count += len(delete_idle(settings, days, RETENTION, of_machine=of_machine))
    return count


@contextmanager
def sweeping(settings: OperatorSettings, seconds: float = BETWEEN_SECONDS) -> Iterator[None]:
    """Do so now and every hour meanwhile, where the operator has set a number of days."""
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
