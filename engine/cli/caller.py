"""The user of the command line, as verbs see them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext
from functools import cached_property
from typing import TYPE_CHECKING

from engine.access.users import Action, Person, Role
from engine.records.store import EVERYBODY, Owner

if TYPE_CHECKING:
    from engine.corpus.protocol import Corpus
    from engine.records.store.store import CaseStore
    from engine.review.store import ReviewStore


class LocalCaller:
    """The user of the command line: may do everything, names a corpus by its folder or address.

    ``is_quiet``: progress is not reported. Leaving the context closes the stores.
    """

    application = "cli"
    name = "command line"
    owner: Owner = EVERYBODY
    person = Person(role=Role.OPERATOR, name="(command line)")

    def __init__(self, *, is_quiet: bool) -> None:
        self._is_quiet, self._stack = is_quiet, ExitStack()

    def __enter__(self) -> LocalCaller:
        return self

    def __exit__(self, *raised: object) -> None:
        self._stack.close()

    def corpus(self, name: str) -> Corpus:
        """Return the corpus of a folder or an address. Raises as ``open_corpus``."""
        from engine.corpus import open_corpus

        return open_corpus(name)

    def store(self) -> CaseStore:
        """Return the store of cases that the settings name. Raises as ``CaseStore``."""
        return self._store

    def reviews(self) -> ReviewStore:
        """Return the reviews of its cases. Raises as ``CaseStore``."""
        return self._reviews

    def require(self, action: Action, corpus: str, refusal: str) -> None:
        """Do nothing: whoever has a shell may do everything."""

    def log(self, action: str, corpus: str) -> None:
        """Do nothing: the log records requests to the server, and what is deleted (see ``log_case``)."""

    def log_case(self, action: str, case: str) -> None:
        """Write an action on a case to the audit log, if one is kept."""
        from engine.access.audit_log import audit_log, record
        from engine.operator_settings import operator_settings

        # A second process only adds to the file: the server rotates it.
        with audit_log(operator_settings(), rotates=False):
            record(self.person, action, case, "done")

    def waiting(self, cancel: Callable[[], None]) -> AbstractContextManager[None]:
        """Return an empty context: Ctrl-C ends the command."""
        return nullcontext()

    def report(self, line: str) -> None:
        """Print progress on standard error."""
        if not self._is_quiet:
            print(line, file=sys.stderr, flush=True)

    @cached_property
    def _store(self) -> CaseStore:
        from engine.operator_settings import operator_settings
        from engine.records.store.store import CaseStore

        return self._stack.enter_context(closing(CaseStore(operator_settings().cases_address)))

    @cached_property
    def _reviews(self) -> ReviewStore:
        from engine.operator_settings import operator_settings
        from engine.review.store import ReviewStore

        return self._stack.enter_context(closing(ReviewStore(operator_settings().cases_address)))
