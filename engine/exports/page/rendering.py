"""The page of a case: question, answer, board, coverage, cards and log, in one file that fetches nothing."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from engine.corpus.protocol import Corpus
from engine.exports.memo.composing import checker_of, compose, names_of
from engine.exports.memo.wording import note_words, settings_line
from engine.exports.page.board import board_of
from engine.exports.page.cards import cards_of
from engine.exports.page.colours import palette_of
from engine.exports.reading import private_record_in
from engine.exports.registry import HandedOver
from engine.language.characters import marked, pieces, right_to_left
from engine.records.record import CaseRecord


def case_page(given: HandedOver) -> str:
    """The page of a case. Raises InputError where the record is damaged."""
    case = private_record_in(given)
    memo = compose(given, case)
    name, checker = names_of(given, case), checker_of(given, case)
    cards = cards_of(case, checker, name)
    labels, titles = _documents(case, given.corpus)
    board = board_of(case, lambda one: labels.get(one) or name(one), titles)
    strategies = [step.strategy for card in cards for trail in card.trails for step in trail]
    if board is not None:
        strategies += [*board.strategies, *(line.strategy for line in board.lines)]
    palette = palette_of(case, strategies)
    style = (_environment().get_template("case.css").render() + palette.style).strip()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return (
        _environment()
        .get_template("case.html")
        .render(
            memo=memo,
            corpus=case.corpus,
            question_line=" ".join(case.question.split()),
            status_class=case.evidence.status.value,
            board=board,
            cards=cards,
            shown_ranks={card.rank for card in cards},
            ranked=len(case.passages),
            classes=palette.classes,
            titles=palette.titles,
            settings_line=settings_line(memo),
            style=style,
            style_hash=digest,
            pieces=_pieces,
            turned=right_to_left,
            lines=_lines,
            note_words=note_words,
        )
    )


def _documents(case: CaseRecord, corpus: Corpus | None) -> tuple[dict[str, str], dict[str, str]]:
    """Labels of passages and titles of their documents, by the ids of the passages of the pool."""
    labels = {one.id: one.label for one in case.passages}
    ids = [node.id for node in case.pool.nodes]
    known = {one.document: one.title for one in case.passages if one.title}
    # An id begins with that of its document.
    titles = {one: known.get(one.split("/")[0], one.split("/")[0]) for one in ids}
    titles |= {one.id: one.title for one in case.passages if one.title}
    if corpus is not None and ids:
        rows = corpus.rows(ids)
        rows = rows[rows >= 0]
        documents = corpus.documents()
        for passage, number in zip(
            corpus.passages(rows), corpus.document_numbers(rows).tolist(), strict=True
        ):
            labels[passage.id] = passage.label
            titles[passage.id] = documents[number].title or documents[number].id
    return labels, titles


def _pieces(text: str) -> list[tuple[str, bool]]:
    return list(pieces(" ".join(text.split()) if text.strip() else text))


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()] or [""]


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("engine.exports", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _shown(value: Any) -> Any:
    """What an expression gives, with nothing hidden in it."""
    return marked(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
