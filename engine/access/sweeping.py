"""Deletes what has been kept for as long as the operator allows, while the server runs."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from engine.access.audit_log import record
from engine.access.forgetting import delete, older_than
from engine.access.people import Person
from engine.access.roles import Role
from engine.errors import InputError
from engine.operator_settings import OperatorSettings

LOG = logging.getLogger(__name__)
BETWEEN_SECONDS = 3600.0


def sweep(settings: OperatorSettings) -> int:
    """Delete the corpora of visitors that are too old; returns how many. Raises InputError."""
    old = older_than(settings.home_folder, settings.retention_days)
    delete(old)
    for one in old:
        record(Person(role=Role.OPERATOR, name="(retention)"), "forget", one.folder.name, "done")
    return len(old)


@contextmanager
def sweeping(settings: OperatorSettings, seconds: float = BETWEEN_SECONDS) -> Iterator[None]:
    """Do so now and every hour meanwhile, where the operator has set a number of days."""
    stopped = Event()

    def work() -> None:
        while True:
            try:
                count = sweep(settings)
                if count:
                    LOG.info("%d corpora of visitors were too old and are deleted", count)
            except InputError as error:
                LOG.error("%s", error)
            if stopped.wait(seconds):
                return

    if not settings.retention_days:
        yield
        return
    thread = Thread(target=work, name="retention", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join(timeout=5)
