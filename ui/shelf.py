"""The corpora that the page offers: opened once, shared by all sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.errors import InputError


@dataclass(frozen=True, slots=True)
class Example:
    """A question to start with: what its chip says, and the question itself."""

    title: str
    text: str
    language: str = "und"


@dataclass(frozen=True, slots=True)
class Library:
    """Open corpora by name, in the order in which they were given."""

    corpora: Mapping[str, Corpus]

    @property
    def names(self) -> list[str]:
        """Names of the corpora, the default first."""
        return list(self.corpora)

    def corpus(self, name: str | None) -> Corpus:
        """The corpus of a name; the first where none is given. Raises InputError for an unknown one."""
        if not name:
            return self.corpora[self.names[0]]
        if name not in self.corpora:
            raise InputError(f"unknown corpus {name!r}; known corpora: {', '.join(self.names)}")
        return self.corpora[name]

    def facts(self, name: str | None) -> str:
        """One line on a corpus: its name, its size, its languages."""
        info = self.corpus(name).info()
        languages = ", ".join(info.languages)
        return f"{info.name} · {info.documents:,} documents · {info.passages:,} passages · {languages}"

    def examples(self, name: str | None) -> tuple[Example, ...]:
        """Example questions that a corpus carries in its manifest."""
        rows = self.corpus(name).info().metadata.get("examples", ())
        return tuple(
            Example(row.get("title") or row["text"], row["text"], row.get("language", "und"))
            for row in rows
            if row.get("text")
        )


def open_library(folders: Sequence[Path]) -> Library:
    """Open every folder. Raises CorpusError for the first that is missing or damaged."""
    corpora: dict[str, Corpus] = {}
    for folder in folders:
        corpus = open_corpus(folder)
        name = corpus.name if corpus.name not in corpora else f"{corpus.name} ({folder.name})"
        corpora[name] = corpus
    return Library(corpora)
