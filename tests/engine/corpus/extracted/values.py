"""Proposals about the toy corpus of the Corpus contract."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engine.corpus import open_corpus
from engine.corpus.embedded.writing import write_corpus
from engine.corpus.extracted import DocumentRead, Proposal, WindowRead, add_reading
from engine.corpus.protocol import Corpus
from engine.corpus.toy import toy_contents
from engine.model import Relation

MODEL = "openai:reader@http://127.0.0.1/v1"


def proposal(source: str, quote: str, relation: Relation, **more: Any) -> Proposal:
    return Proposal(source_id=source, quote=quote, relation=relation, said_by=MODEL, **more)


EXCEPTION = proposal("p3", "Fees are paid in advance", Relation.EXCEPTION_TO, target_id="p1", confidence=0.8)
EXTENSION = proposal("p1", "subject to section 2", Relation.EXTENDS, target_id="p5", confidence=0.5)
DEFINITION = proposal("p2", "Section 2 limits", Relation.DEFINES, concept="Powers", confidence=0.9)
USE = proposal("p1", "Powers", Relation.MENTIONS, concept="powers", confidence=0.5)
ALL = (EXCEPTION, EXTENSION, DEFINITION, USE)


def window(*proposals: Proposal, key: str = "w1", document: str = "code") -> WindowRead:
    return WindowRead(key=key, document=document, model=MODEL, proposals=proposals, calls=1, tokens=100)


def document(*windows: str, document: str = "code") -> DocumentRead:
    return DocumentRead(document=document, model=MODEL, windows=windows)


def read_toy(folder: Path) -> Corpus:
    """The toy corpus with everything above read in one window."""
    write_corpus(folder, toy_contents())
    add_reading(folder, window(*ALL))
    return open_corpus(folder)
