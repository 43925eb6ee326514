"""From a spec to a language model. Nothing is sent before the model is asked."""

from __future__ import annotations

from engine.errors import SettingsError
from engine.llm.cache import AnswerCache, default_cache
from engine.llm.client import ChatModel
from engine.llm.retrying import Patience
from engine.llm.secret import checked_key
from engine.llm.spec import NO_MODEL, OPENAI_URL, ModelSpec, read_spec
from engine.network.fetching import Network
from engine.operator_settings import operator_settings


def connect(
    spec: str,
    key: str | None = None,
    *,
    environment_key: bool = False,
    patience: Patience | None = None,
    network: Network | None = None,
    cache: AnswerCache | None = None,
) -> ChatModel | None:
    """The model of a spec, None for "none".

    ``environment_key``: whether the key may come from this machine's environment where none is given. Only
    where the operator chose the address: a stranger who names one must never be sent the operator's key. Even
    then OPENAI_API_KEY goes to another address than OpenAI's only where REDSTRING_LLM names the same spec.
    ``network`` makes what opens the connections, where the address is a stranger's.
    ``cache`` keeps answers on disk: for the operator (see ``default_cache``), not for strangers.
    Raises SettingsError for a spec or key that cannot be used.
    """
    spec = spec.strip()
    if spec in ("", NO_MODEL):
        return None
    read = read_spec(spec)
    secret = checked_key(key if key else _environment_key(read) if environment_key else "")
    if not secret and read.url == OPENAI_URL:
        raise SettingsError(f"{read.host} needs a key: set REDSTRING_LLM_KEY, or name another server after @")
    return ChatModel(read, secret, patience=patience, network=network, cache=cache)


def connect_from_environment(*, kept: bool = True) -> ChatModel | None:
    """The operator's model: what REDSTRING_LLM names, else None. A key alone switches nothing on.

    ``kept``: answers are kept on disk and used again.
    """
    cache = default_cache() if kept else None
    return connect(operator_settings().llm, environment_key=True, cache=cache)


def _environment_key(spec: ModelSpec) -> str:
    settings = operator_settings()
    own = settings.llm_key.get_secret_value()
    if own:
        return own
    openai = spec.url == OPENAI_URL or settings.llm == spec.text
    return settings.openai_api_key.get_secret_value() if openai else ""
