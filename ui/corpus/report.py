"""What an ingestion read and what it could not, as a page that can be sorted, and where it is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from engine.access.users import write_private
from engine.corpus.protocol import CorpusInfo
from engine.language.characters import escape
from engine.records.wording import plural

MOST_ROWS = 2000
_OUTCOMES = {"read": ("ok", "read"), "partly": ("weak", "partly read"), "not read": ("miss", "not read")}
_OUTCOMES["skipped"] = ("soft", "left out")


def report_path(folder: Path) -> Path:
    """Where the last report on a corpus is kept: beside its folder."""
    return folder.with_name(f"{folder.name}.report.json")


def store_report(folder: Path, report: Mapping[str, Any]) -> None:
    """Keep a report for those who come later. Raises InputError if it cannot be written."""
    write_private(report_path(folder), orjson.dumps(report, default=str, option=orjson.OPT_NON_STR_KEYS))


def stored_report(folder: Path) -> dict[str, Any] | None:
    """The report that was kept, None where there is none that can be read."""
    try:
        found = orjson.loads(report_path(folder).read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return None
    return found if isinstance(found, dict) else None


def report_html(info: CorpusInfo, report: Mapping[str, Any] | None, *, deletable: bool) -> str:
    """The report: counts, files, languages, references by status, seconds."""
    told = report or {}
    parts = [_counts(info, told)]
    rows = file_rows(told)
    if rows:
        parts.append(_files(rows))
    elif report is None:
        parts.append(
            '<p class="hint">This corpus was not made here, so only its counts are known; '
            f"{plural(int(info.metadata.get('problems', 0)), 'problem')} were noted when it was made.</p>"
        )
    if deletable:
        parts.append('<button type="button" class="danger" data-delete>Delete this corpus</button>')
    return "".join(parts)


def file_rows(report: Mapping[str, Any]) -> list[tuple[str, str, str, str]]:
    """For each file what became of it: (name, outcome, documents, why or what was noted).

    A file that had not changed keeps what was said of it when it was read.
    """
    problems: dict[str, list[str]] = {}
    for problem in report.get("problems", ()):
        place = f"line {problem['line']}: " if problem.get("line") is not None else ""
        named = f"{problem['id']}: " if problem.get("id") else ""
        problems.setdefault(str(problem["path"]), []).append(f"{place}{named}{problem['reason']}")
    rows: list[tuple[str, str, str, str]] = []
    for file in report.get("files", ()):
        name = str(file.get("name", ""))
        notes = problems.pop(name, [])
        documents = int(file.get("documents", 0))
        reason = str(file.get("reason") or "")
        if reason and not any(reason in note for note in notes):
            notes.append(reason)
        rows.append((name, str(file["status"]), str(documents), "; ".join(notes)))
    rows += [(name, "not read", "", "; ".join(notes)) for name, notes in problems.items()]
    for left in report.get("skipped", ()):
        rows.append((str(left["path"]), "skipped", "", str(left["reason"]).removeprefix("skipped: ")))
    order = {"not read": 0, "partly": 1, "read": 2}
    return sorted(rows, key=lambda row: (order.get(row[1], 3), row[0].casefold()))


def _counts(info: CorpusInfo, told: Mapping[str, Any]) -> str:
    seconds = told.get("total_seconds")
    boxes = [
        (f"{info.documents:,}", "documents"),
        (f"{int(info.metadata.get('sections', 0)):,}", "sections"),
        (f"{info.passages:,}", "passages"),
        (f"{sum(info.references_by_status.values()):,}", "references"),
        (f"{info.entities:,}", "entities and terms"),
    ]
    if isinstance(seconds, int | float):
        boxes.append((f"{seconds:,.1f} s", "to read and index"))
    shown = "".join(f"<div><b>{value}</b><span>{words}</span></div>" for value, words in boxes)
    return f'<div class="counts">{shown}</div><div class="shares">{_shares(info, told)}</div>'


def _shares(info: CorpusInfo, told: Mapping[str, Any]) -> str:
    tables = [
        ("Languages, passages", info.languages),
        ("References by status", info.references_by_status),
        ("References by relation", info.references_by_relation),
    ]
    shown = "".join(_table(title, counts, "{:,.0f}") for title, counts in tables)
    steps = told.get("seconds")
    return shown + (_table("Seconds by step", steps, "{:,.2f}") if isinstance(steps, Mapping) else "")


def _table(title: str, counts: Mapping[str, Any], form: str) -> str:
    rows = "".join(
        f'<tr><th scope="row">{escape(str(name).replace("_", " "))}</th><td>{form.format(count)}</td></tr>'
        for name, count in sorted(counts.items(), key=lambda item: -item[1])
        if count
    )
    return f"<table><caption>{escape(title)}</caption>{rows}</table>" if rows else ""


def _files(rows: Sequence[tuple[str, str, str, str]]) -> str:
    heads = ("File", "Outcome", "Documents", "Why")
    head = "".join(
        f'<th scope="col"><button type="button" data-sort="{at}">{words}</button></th>'
        for at, words in enumerate(heads)
    )
    body = "".join(_file(row) for row in rows[:MOST_ROWS])
    spare = len(rows) - MOST_ROWS
    more = f'<p class="hint">and {spare:,} more files</p>' if spare > 0 else ""
    return f'<table class="files"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}'


def _file(row: tuple[str, str, str, str]) -> str:
    name, outcome, documents, why = row
    token, words = _OUTCOMES.get(outcome, ("soft", outcome))
    return (
        f'<tr><td dir="auto">{escape(name)}</td>'
        f'<td style="--c:var(--{token})" class="outcome">{escape(words)}</td>'
        f'<td class="number">{escape(documents)}</td><td dir="auto">{escape(why)}</td></tr>'
    )
