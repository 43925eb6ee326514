"""The user of the command line, as verbs see them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from engine.access.users import Action, Person, Role
from engine.errors import SettingsError
from engine.records.store import EVERYBODY, Owner

if TYPE_CHECKING:
    from engine.corpus.protocol import Corpus, CorpusInfo
    from engine.investigation import Case
    from engine.investigation.ranking.additive import Experience
    from engine.llm.client import ChatModel
    from engine.records.store.matter_weights import MatterWeights
    from engine.records.store.store import CaseStore
    from engine.review.store import ReviewStore
    from engine.settings import InvestigationSettings
    from engine.verbs.verb import CorpusEntry

T = TypeVar("T")
FROM_INPUT = "-"


class LocalCorpus(NamedTuple):
    """A corpus named on the command line."""

    name: str
    info: CorpusInfo | None = None
    private: bool = False
    problem: str = ""


class LocalCaller:
    """The user of the command line: may do everything, names a corpus by its folder or address.

    ``reads_json``: progress is not reported. Leaving the context closes the stores.
    """

    application = "cli"
    name = "command line"
    owner: Owner = EVERYBODY
    person = Person(role=Role.OPERATOR, name="(command line)")

    def __init__(self, *, reads_json: bool) -> None:
        self.reads_json, self._stack = reads_json, ExitStack()

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

    def corpora(self) -> list[CorpusEntry]:
        """Return no corpus: the command line names folders."""
        return []

    def find(self, name: str) -> CorpusEntry:
        """Return the corpus of a folder or an address, without opening it."""
        return LocalCorpus(name)

    def may(self, action: Action, corpus: str) -> bool:
        """Return True: a user with a shell may do everything."""
        return True

    def log(self, action: str, corpus: str) -> None:
        """Do nothing: only requests to the server and deletions (``log_case``) are logged."""

    def log_case(self, action: str, case: str) -> None:
        """Write an action on a case to the audit log, if one is kept."""
        from engine.access.audit_log import audit_log, record
        from engine.operator_settings import operator_settings

        # A second process only appends to the file: the server rotates it.
        with audit_log(operator_settings(), rotates=False):
            record(self.person, action, case, "done")

    def settings(
        self, preset: str, values: Mapping[str, Any] | None, changes: Mapping[str, Any], *, assisted: bool
    ) -> InvestigationSettings:
        """Return the preset with the changes and the values. Raises SettingsError."""
        from engine.settings import preset as get_preset

        return get_preset(preset).changed(**changes).changed(**(values or {}))

    def model(self, request: Any, *, cached: bool = True) -> ChatModel | None:
        """Return the model named by the options or the environment, None if neither names one.

        Raises SettingsError for an invalid spec.
        """
        from engine.llm.cache import default_cache
        from engine.llm.client import connect, connect_from_environment
        from engine.operator_settings import operator_settings

        key = request.llm_key
        if request.llm is None and key is None:
            return connect_from_environment(kept=cached)
        spec = request.llm if request.llm is not None else operator_settings().llm
        if key == FROM_INPUT:
            key = sys.stdin.readline().strip()
            if not key:
                raise SettingsError("--llm-key -: standard input holds no key")
        return connect(spec, key, environment_key=True, cache=default_cache() if cached else None)

    def weights_in(self, matter: str, corpus: Corpus) -> Experience | None:
        """Return the weights of a matter on this machine; None for those of the corpus.

        Raises as ``MatterWeights``.
        """
        from engine.records.store.store import matter_name

        if not matter:
            return None
        name = matter_name(matter)
        found = next((one for one in self.store().matters() if one.name == name), None)
        return None if found is None else self._weights.adopted(found, corpus.name)

    def weights_of(self, matter_id: str, record: Mapping[str, Any]) -> Experience | None:
        """Return the weights that ranked a case, if its matter learned them."""
        weights = str(record.get("weights", ""))
        return self._weights.experience(matter_id, weights) if weights else None

    def run_case(self, work: Callable[..., T], case: Case, **more: Any) -> T:
        """Return the result of ``work`` on the case, and show its progress."""
        return work(case, self.report, **more)

    def waiting(self, cancel: Callable[[], None]) -> AbstractContextManager[None]:
        """Return an empty context: Ctrl-C ends the command."""
        return nullcontext()

    def report(self, line: str) -> None:
        """Print progress on standard error."""
        if not self.reads_json:
            print(line, file=sys.stderr, flush=True)

    def notice(self, line: str) -> None:
        """Print a line on standard error."""
        print(line, file=sys.stderr)

    @cached_property
    def _weights(self) -> MatterWeights:
        from engine.operator_settings import operator_settings
        from engine.records.store.matter_weights import MatterWeights

        return self._stack.enter_context(closing(MatterWeights(operator_settings().cases_address)))

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
