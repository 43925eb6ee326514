"""The metadata of a crate: who asked what, when, of which state of which corpus, with which engine."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, timedelta
from typing import TYPE_CHECKING, Any

from engine.exports.crate.files import CrateFile
from engine.exports.models import model_name
from engine.exports.reading import Record
from engine.exports.registry import HandedOver
from engine.records.store.chain import OPENED
from engine.records.store.store import engine_version

if TYPE_CHECKING:
    from rocrate.rocrate import ROCrate

VERSION = "1.1"
LICENCE, CORPUS, ENGINE, MODEL, ACTION = "#licence", "#corpus", "#redstring", "#model", "#investigation"
_LICENCE_WORDS = (
    "The licence is unknown: a case does not know on what terms the texts that it quotes may be passed on. "
    "Ask whoever owns them."
)
_CHANGED_WORDS = (
    "Folders and addresses of the machine that asked were taken out of the record, so that its digest is not "
    "the one that the events name."
)


def metadata_of(
    case: HandedOver,
    record: Record,
    files: Sequence[CrateFile],
    left_out: Mapping[str, str],
    *,
    is_whole: bool,
) -> bytes:
    """``ro-crate-metadata.json``. ``left_out``: formats that were not written, and why; ``is_whole``: nothing
    was taken out of the record."""
    from rocrate.rocrate import ROCrate

    crate = ROCrate(version=VERSION)
    results = [crate.add_file(dest_path=one.path, properties=_properties(one)) for one in files]
    _add(crate, LICENCE, "CreativeWork", name="Licence unknown", description=_LICENCE_WORDS)
    action = _add_action(crate, case, record)
    action["result"] = _plain(results)
    root, name = crate.root_dataset, "" if case.summary is None else case.summary.name
    ended = record.started + timedelta(milliseconds=record.milliseconds)
    root["name"] = name or record.question
    root["description"] = _description(record, left_out, is_whole)
    root["dateCreated"] = record.started.astimezone(UTC).isoformat()
    root["datePublished"] = ended.astimezone(UTC).isoformat(timespec="seconds")
    root["identifier"] = f"urn:sha256:{record.state}" if case.summary is None else case.summary.id
    root["license"] = crate.dereference(LICENCE)
    root["mentions"] = action
    people = [entity for entity in crate.get_entities() if entity.type == "Person"]
    if people:
        root["author"] = _plain(people)
    return json.dumps(crate.metadata.generate(), indent=2, sort_keys=True, ensure_ascii=False).encode()


def _properties(one: CrateFile) -> dict[str, Any]:
    return {
        "name": one.name,
        "description": one.description,
        "encodingFormat": one.media_type,
        "contentSize": str(len(one.data)),
    }


def _add(crate: ROCrate, entity: str, kind: str, /, **properties: Any) -> Any:
    from rocrate.model.contextentity import ContextEntity

    told = {name: value for name, value in properties.items() if value}
    return crate.add(ContextEntity(crate, entity, properties={"@type": kind, **told}))


def _add_action(crate: ROCrate, case: HandedOver, record: Record) -> Any:
    """The investigation: when it was, what it asked, with what, and who began it."""
    summary = case.summary
    version = engine_version() if summary is None else summary.engine
    _add(crate, ENGINE, "SoftwareApplication", name="Redstring", softwareVersion=version)
    instruments = [crate.dereference(ENGINE)]
    name = model_name(record.model)
    if name:
        instruments.append(
            _add(crate, MODEL, "SoftwareApplication", name=name, description="A language model")
        )
    corpus = _add(
        crate,
        CORPUS,
        "Dataset",
        name=record.corpus,
        # Of the state that was asked.
        identifier="" if summary is None else summary.fingerprint,
        description="The documents that were asked; they are not in this crate.",
        license=crate.dereference(LICENCE),
    )
    who = {
        name: _add(crate, f"#who-{number}", "Person", name=name)
        for number, name in enumerate(dict.fromkeys(event.who for event in case.events))
    }
    began = [who[event.who] for event in case.events if event.kind == OPENED]
    ended = record.started + timedelta(milliseconds=record.milliseconds)
    return _add(
        crate,
        ACTION,
        "CreateAction",
        name="Investigation",
        description=record.question,
        startTime=record.started.astimezone(UTC).isoformat(),
        endTime=ended.astimezone(UTC).isoformat(timespec="milliseconds"),
        instrument=_plain(instruments),
        object=corpus,
        agent=_plain(began),
    )


def _plain(values: list[Any]) -> Any:
    """A list of one as that one: so the specification wants it."""
    return values[0] if len(values) == 1 else values


def _description(record: Record, left_out: Mapping[str, str], is_whole: bool) -> str:
    day = "" if record.day is None else f", as the law stood on {record.day.isoformat()}"
    told = [f"An investigation of the question “{record.question}” in the corpus {record.corpus}{day}."]
    told += [f"Not in it: {title} ({why})." for title, why in left_out.items()]
    return " ".join([*told, *([] if is_whole else [_CHANGED_WORDS])])
