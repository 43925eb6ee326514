"""The cases that the page keeps, and whose they are."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from engine.access.users import Person, Role, is_key
from engine.corpus.protocol import Corpus
from engine.errors import ResourceError
from engine.investigation.ranking.additive import Experience
from engine.operator_settings import CASES_NAME, OperatorSettings
from engine.records.store.matter_weights import MatterWeights
from engine.records.store.store import CaseStore, matter_name
from engine.review.store import ReviewStore

# What the page's cases say they were asked by.
PAGE = "page"


class KeptCases:
    """The store of cases, opened when it is first asked for: the one that the settings name, else a file in
    ``home``. Without either nothing is kept. Safe for several threads."""

    def __init__(self, settings: OperatorSettings, home: Path | None) -> None:
        self.settings = settings
        named = settings.cases.get_secret_value()
        self._address = named or (f"sqlite:///{home / CASES_NAME}" if home is not None else "")
        self._store: CaseStore | None = None
        self._reviews: ReviewStore | None = None
        self._weights: MatterWeights | None = None
        self._lock = Lock()

    @property
    def may_share(self) -> bool:
        """Whether the operator allows cases to be read by whoever has their link."""
        return self.settings.share_cases

    def store(self) -> CaseStore:
        """The store. Raises as ``CaseStore``."""
        with self._lock:
            if self._store is None:
                self._store = CaseStore(self._address)
            return self._store

    def reviews(self) -> ReviewStore:
        """The reviews of these cases. Raises as ``CaseStore``."""
        with self._lock:
            if self._reviews is None:
                self._reviews = ReviewStore(self._address)
            return self._reviews

    def weights(self) -> MatterWeights:
        """What was learned of their matters. Raises as ``CaseStore``."""
        with self._lock:
            if self._weights is None:
                self._weights = MatterWeights(self._address)
            return self._weights

    def learned_in(self, person: Person, matter: str, corpus: Corpus) -> Experience | None:
        """What the cases of somebody's matter, by its name, are ranked by that ask a corpus; None for what
        ranks the corpus. Raises InputError where they cannot be read."""
        owner, name = self.owner_of(person), matter_name(matter)
        # Nobody is told that there is no such matter yet: it is made when its first case is kept.
        try:
            own = () if owner is None else self.store().matters(owner)
            found = next((one for one in own if one.name == name), None)
            return None if found is None else self.weights().adopted(found, corpus.name)
        except ResourceError:
            # Who asks is not kept from it by a database that cannot be reached: the case, which is not kept
            # then, says so.
            return None

    def learned_of(self, matter_id: str, record: Mapping[str, Any]) -> Experience | None:
        """What a case was ranked by, given its record and the id of its matter, where that was learned of
        it. Raises as ``MatterWeights``."""
        weights = str(record.get("weights", ""))
        return self.weights().experience(matter_id, weights) if weights else None

    def owner_of(self, person: Person) -> str | None:
        """By what a person's matters are known: a hash of their key, and nothing for whoever sits at the
        machine, whose are those of the command line too. None for somebody without a key, whose cases are
        not kept."""
        if not self._address:
            return None
        if self.settings.access == "off" and person.role is Role.OPERATOR:
            return ""
        return hashlib.sha256(person.key.encode()).hexdigest()[:32] if is_key(person.key) else None
