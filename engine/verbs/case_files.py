"""Verbs by which cases leave and enter the program: matters, files, exports, sharing, the tree of a case."""

from __future__ import annotations

import base64
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field

from engine.errors import InputError
from engine.records.summaries import Slim
from engine.verbs.cases import OneCase, find_matter
from engine.verbs.verb import (
    LONGEST_ANSWER,
    Caller,
    CaseId,
    Detail,
    Key,
    Request,
    Response,
    Tool,
    argument,
    option,
    verb,
    weight,
)

if TYPE_CHECKING:
    from engine.exports.cases import ExportableCase, Verdicts
    from engine.records.expansion import ExpansionTree
    from engine.records.expansion_figures import Names
    from engine.records.record import CaseRecord

# The path from which the server gives files of cases.
FILES = "/gradio_api/case"
# Characters around a file in an answer.
AROUND = 4000


# Matters, and files of cases.


@verb("cases schema", Request)
def print_schema(caller: Caller, request: Request) -> Response:
    """Print the JSON Schema of saved cases."""
    from engine.records.case_file import SCHEMA

    return Response(data=SCHEMA.read_bytes())


@verb("cases matters", Request)
def list_matters(caller: Caller, request: Request) -> Response:
    """List all matters with the number of their cases."""
    from engine.records.phrases import plural

    found = caller.store().counted(caller.owner)
    values = [
        {"id": one.id, "owner": one.owner, "name": one.name, "created": one.created, "cases": count}
        for one, count in found
    ]
    lines = (
        f"{one.id}  {one.name}: {plural(count, 'case')}, "
        + (f"of {one.owner}" if one.owner else "of this machine")
        for one, count in found
    )
    return Response({"matters": values}, lines)


class ImportCases(Request):
    """Options of ``cases import``."""

    files: list[Path] = argument(..., "as `investigate --save` wrote it", "FILE", many="+")
    matter: str = option(..., "keep them in this matter", "NAME")


@verb("cases import", ImportCases, changes=True)
def import_cases(caller: Caller, request: ImportCases) -> Response:
    """Keep saved cases that are as they were written.

    Raises InputError for one that is damaged, was changed, or is kept already; those before it stay.
    """
    from engine.records.case_file import read_saved

    read = [(path, read_saved(path)) for path in request.files]
    kept, verdicts = [], 0
    store = caller.store()
    matter = store.matter(request.matter)
    for path, (record, case) in read:
        try:
            if case is None:
                # A file of format 1 has no chain: it begins here.
                kept.append(store.keep(record, matter, application="file", who=caller.name))
            else:
                store.take_in(record, case, matter, who=caller.name)
                kept.append(case.id)
                verdicts += len(case.verdicts)
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
    lines = [f"Kept as case {one}" for one in kept]
    lines += [f"{verdicts:,} verdicts came along"] if verdicts else []
    return Response({"imported": kept, "verdicts": verdicts}, lines)


class VerdictOptions(Request):
    """Options by which verdicts go along with a case."""

    verdicts: bool = option(False, "with the verdicts of reviewers, without their names")
    named: bool = option(False, "with --verdicts: and with their names")

    def chosen(self) -> Verdicts:
        """Return which verdicts go along. Raises InputError for names without verdicts."""
        from engine.exports.cases import Verdicts

        if self.named and not self.verdicts:
            raise InputError("--named: say --verdicts, too")
        return Verdicts.NAMED if self.named else Verdicts.UNNAMED if self.verdicts else Verdicts.NONE


class ExportMatter(VerdictOptions):
    """Options of ``cases export``."""

    matter: str = option(..., "its name, or its id", "NAME")
    out: Path = option(..., "FILE.zip or FILE.jsonl", "FILE")


@verb("cases export", ExportMatter)
def export_matter(caller: Caller, request: ExportMatter) -> Response:
    """Write all cases of a matter, to be imported elsewhere."""
    from engine.exports.cases import Verdicts
    from engine.records.case_file import write_bundle
    from engine.review.case_verdicts import case_verdicts, verdicts_to_json

    store, wanted = caller.store(), request.chosen()
    ids = store.ids(find_matter(caller, request.matter), caller.owner)
    cases: Iterable[Any] = (store.handed(one, caller.owner) for one in ids)
    if wanted is not Verdicts.NONE:
        reviews, named = caller.reviews(), wanted is Verdicts.NAMED
        cases = (
            one._replace(
                case=replace(one.case, verdicts=verdicts_to_json(case_verdicts(reviews, one, named=named)))
            )
            for one in cases
        )
    count = write_bundle(request.out, cases)
    return Response({"exported": count}, [f"{count:,} cases in {request.out}"])


class ShareCase(OneCase):
    """Options of ``cases share``."""

    off: bool = option(False, "end the sharing")


@verb("cases share", ShareCase, changes=True)
def share_case(caller: Caller, request: ShareCase) -> Response:
    """Show a case to everyone who has its id, to be read."""
    is_shared = not request.off
    caller.store().share(request.id, who=caller.name, owner=caller.owner, shared=is_shared)
    audience = "everyone with its id" if is_shared else "you alone"
    return Response({"id": request.id, "shared": is_shared}, [f"{request.id} is shown to {audience}"])


# Exports.


class ExportCase(Request):
    """Arguments of ``export``."""

    case: CaseId | None = Field(default=None, description="Id of a kept case; null to list the formats.")
    format: Key = Field(default="", description="Name of a format, as the list of them has it.")
    detail: Detail = "slim"


class ExportOptions(VerdictOptions):
    """Options of ``export``."""

    case: str = argument("", "id of a case that is kept, or the file of a saved one", "CASE")
    format: str = option("", "its name; without: list them", "FORMAT", flag="--as")
    out: Path | None = option(None, "default: standard output", "FILE")
    corpus: str = option("", "the corpus of the case, against which words are checked", "DIR")


class SlimFormat(Slim):
    """A format."""

    name: str
    title: str
    meaning: str = Field(description="what is in it, and who reads it")
    suffix: str
    media_type: str


class ExportAnswer(Slim):
    """Answer of ``export``, in short."""

    formats: list[SlimFormat] | None = Field(default=None, description="where no case was named")
    case: str | None = None
    format: str | None = None
    file: str | None = Field(default=None, description="a name for the file")
    media_type: str | None = None
    bytes: int | None = Field(default=None, description="size of the file")
    text: str | None = Field(default=None, description="the file, where it is a text and short enough")
    base64: str | None = Field(default=None, description="the file, where it is no text and short enough")
    url: str | None = Field(
        default=None, description="path on this server from which the file is fetched (GET)"
    )


def _slim_export(values: Mapping[str, Any]) -> dict[str, Any]:
    if weight(values) <= LONGEST_ANSWER - AROUND:
        return dict(values)
    return {name: value for name, value in values.items() if name not in ("text", "base64")}


def export_here(caller: Caller, request: ExportOptions) -> Response:
    """Write a case in a format, or list the formats."""
    from engine.exports.cases import export_of, exports
    from engine.records.conversion import write_whole

    if not request.format:
        known = list(exports().values())
        return Response(
            {"formats": [{"name": one.name, "title": one.title, "for": one.meaning} for one in known]},
            (f"{one.name:<12} {one.title}: {one.meaning}" for one in known),
        )
    if not request.case:
        raise InputError("name the case: its id, or the file of a saved one")
    chosen = export_of(request.format)
    data = chosen.write(_load_for_export(caller, request))
    if request.out is not None:
        write_whole(request.out, data)
        caller.notice(f"{request.out}: {len(data):,} bytes")
        return Response(data=b"")
    if sys.stdout.isatty() and not chosen.media_type.startswith(("text/", "application/json")):
        raise InputError(f"{chosen.title} is no text: give --out FILE")
    return Response(data=data)


@verb(
    "export",
    ExportCase,
    tool=Tool(
        "export",
        "Hand a case over",
        "Give one of the caller's kept cases in a format: the whole record, a memo, a graph, a table. "
        "Without a case the formats are listed. A long file is not in the answer unless detail=full; its url "
        "fetches it.",
        ExportAnswer,
        _slim_export,
    ),
    options=ExportOptions,
    command=export_here,
)
def export_case(caller: Caller, request: ExportCase) -> Response:
    """Export a case: memo, provenance, graph, table …."""
    from engine.exports.cases import export_of, exports, load_for_export

    if request.case is None:
        fields = SlimFormat.model_fields
        return Response(
            {"formats": [{name: getattr(one, name) for name in fields} for one in exports().values()]}
        )
    if not request.format:
        raise InputError(f"format: say which; known: {', '.join(exports())}")
    chosen = export_of(request.format)
    handed = load_for_export(caller.store(), request.case, caller.owner, caller.corpus, caller.reviews())
    data = chosen.write(handed)
    caller.log_case(f"export case as {chosen.name}", request.case)
    is_text = chosen.media_type.startswith(("text/", "application/json"))
    own = {"text": data.decode()} if is_text else {"base64": base64.b64encode(data).decode()}
    return Response(
        {
            "case": request.case,
            "format": chosen.name,
            "file": f"case-{request.case}{chosen.suffix}",
            "media_type": chosen.media_type,
            "bytes": len(data),
            "url": f"{FILES}/{request.case}/{chosen.name}",
            **own,
        }
    )


def _load_for_export(caller: Caller, request: ExportOptions) -> ExportableCase:
    from engine.exports.cases import ExportableCase, Verdicts, load_for_export
    from engine.records.case_file import CASE, parse_saved
    from engine.records.conversion import values_of
    from engine.review.case_verdicts import anonymise, parse_assessments, passage_gains

    wanted, today = request.chosen(), datetime.now(UTC).date()
    corpus = caller.corpus(request.corpus) if request.corpus else None
    if not Path(request.case).is_file():
        return load_for_export(
            caller.store(), request.case, caller.owner, lambda name: corpus, caller.reviews(), wanted
        )
    values = values_of(Path(request.case))
    if CASE not in values:
        return ExportableCase(values, corpus=corpus, today=today)
    record, case = parse_saved(values, request.case)
    if case is None:
        return ExportableCase(record, None, (), "", corpus, today=today)
    verdicts = () if wanted is Verdicts.NONE else parse_assessments(case, record)
    verdicts = verdicts if wanted is Verdicts.NAMED else anonymise(verdicts)
    return ExportableCase(
        record, None, case.events, case.notes, corpus, today=today, case=replace(case, verdicts=()),
        verdicts=verdicts, judgements=passage_gains(verdicts),
    )  # fmt: skip


# The tree of a case.


class ShowTree(Request):
    """Options of ``tree``."""

    case: str = argument(..., "id of a case that is kept, or the file of a saved one", "CASE")
    passage: str | None = option(None, "only the part below this passage", "ID")
    depth: int | None = option(None, "levels at most (default: all)", "N")
    descendants: bool = option(
        False, "the passages that were found from this one: counted, with its own trail"
    )
    statistics: bool = option(False, "the figures of the pool in place of the tree")
    corpus: str = option("", "the corpus of the case, which names all passages", "DIR")


@verb("tree", ShowTree)
def show_tree(caller: Caller, request: ShowTree) -> Response:
    """Show how a case grew: from its question to each passage.

    Raises InputError for an unknown case or passage.
    """
    from engine.records.expansion import expansion_tree, facts_of_record
    from engine.records.expansion_figures import first_known, names_of_corpus, names_of_record, statistics
    from engine.records.expansion_text import statistics_lines, statistics_to_json

    _check_tree(request)
    record = _record(caller, request.case)
    tree = expansion_tree(facts_of_record(record, request.case))
    names = names_of_record(record)
    if request.corpus:
        names = first_known(names_of_corpus(caller.corpus(request.corpus)), names)
    if request.statistics:
        known = names(tree.facts.ids)
        found = statistics(tree, known)
        return Response(statistics_to_json(found), statistics_lines(found, known))
    if request.passage is not None and request.passage not in tree.nodes:
        raise InputError(f"passage {request.passage!r} is not in the pool of this case")
    return _tree_response(request, tree, names)


def _check_tree(request: ShowTree) -> None:
    if request.depth is not None and request.depth < 0:
        raise InputError("--depth is at least 0")
    if request.descendants and request.passage is None:
        raise InputError("--descendants are those of a passage: name it with --passage ID")
    if request.statistics and (request.passage is not None or request.depth is not None):
        raise InputError("--statistics are of the whole pool: leave --passage and --depth out")


def _record(caller: Caller, case: str) -> CaseRecord:
    from engine.records.conversion import load_record
    from engine.records.record import read_record

    if Path(case).is_file():
        return load_record(Path(case))
    return read_record(caller.store().record(case, caller.owner), case)


def _tree_response(request: ShowTree, tree: ExpansionTree, names: Names) -> Response:
    from engine.investigation.pool import QUESTION_NODE
    from engine.records.expansion_text import descendants_lines, descendants_to_json, tree_lines, tree_to_json

    start = QUESTION_NODE if request.passage is None else request.passage
    lines = tree_lines(tree, names, start, request.depth)
    if request.descendants and request.passage is not None:
        return Response(
            descendants_to_json(tree, request.passage, names),
            [*descendants_lines(tree, request.passage, names), *lines],
        )
    own = [] if request.passage is None else [request.passage]
    return Response(tree_to_json(tree, names, [*own, *tree.below(start, request.depth)]), lines)
