"""What whoever runs the page has decided about language models, by environment variables.

==============================  ========  ================================================================
variable                        default   meaning
==============================  ========  ================================================================
REDSTRING_LLM                   none      the operator's own model, as a spec
REDSTRING_LLM_KEY                         its key, if it wants one
REDSTRING_LLM_SHARED            off       ``on``: every visitor may use it, at the operator's cost
REDSTRING_LLM_DAY_TOKENS        1000000   tokens that all visitors together may use of it in 24 hours
REDSTRING_LLM_VISITOR_TOKENS    100000    tokens that one page load may use of it in 24 hours
REDSTRING_VISITOR_MODELS        on        ``off``: visitors cannot bring a model of their own
REDSTRING_PRIVATE_ENDPOINTS     auto      ``on``: visitors may name servers of the private network, and
                                          plain http; ``off``: nobody may; ``auto``: only somebody who sits at
                                          the machine itself, where the page is served to nobody else
==============================  ========  ================================================================

Behind a reverse proxy on the same machine set ``REDSTRING_PRIVATE_ENDPOINTS=off``: a proxy that does not
pass on whom it serves makes everybody look local.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from ui.limits import counted, switched


@dataclass(frozen=True, slots=True)
class Operator:
    """The decisions. ``loopback``: the page is served on this machine alone. ``private``: None for auto."""

    spec: str = "none"
    shared: bool = False
    day_tokens: int = 1_000_000
    visitor_tokens: int = 100_000
    visitors: bool = True
    private: bool | None = None
    loopback: bool = False

    def offers(self, local: bool) -> bool:
        """Whether a visitor may use the operator's model."""
        return self.shared or (self.loopback and local)

    def private_endpoints(self, local: bool) -> bool:
        """Whether a visitor may name a server of the private network."""
        return self.private if self.private is not None else self.loopback and local


def operator_from(environment: Mapping[str, str] = os.environ, *, loopback: bool = False) -> Operator:
    """The decisions that an environment holds. Raises InputError naming the variable that is wrong."""
    private = environment.get("REDSTRING_PRIVATE_ENDPOINTS", "").strip().lower()
    automatic = private in ("", "auto")
    return Operator(
        spec=environment.get("REDSTRING_LLM", "").strip() or "none",
        shared=switched(environment, "REDSTRING_LLM_SHARED", default=False),
        day_tokens=counted(environment, "REDSTRING_LLM_DAY_TOKENS", 1_000_000),
        visitor_tokens=counted(environment, "REDSTRING_LLM_VISITOR_TOKENS", 100_000),
        visitors=switched(environment, "REDSTRING_VISITOR_MODELS", default=True),
        private=None if automatic else switched(environment, "REDSTRING_PRIVATE_ENDPOINTS", default=False),
        loopback=loopback,
    )
