"""The corpora that the page offers: opened once, shared by all sessions, warmed up in the background."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.errors import CorpusError, InputError

EXAMPLES = "examples.json"


@dataclass(frozen=True, slots=True)
class Example:
    """A question to start with: what its chip says, and the question itself."""

    title: str
    text: str
    language: str = "und"


@dataclass(frozen=True, slots=True)
class Library:
    """Open corpora by name, in the order in which they were given, and example questions of each."""

    corpora: Mapping[str, Corpus]
    examples: Mapping[str, tuple[Example, ...]] = field(default_factory=dict)

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
        corpus = self.corpus(name)
        info = corpus.info()
        languages = ", ".join(info.languages)
        return f"{info.name} · {info.documents:,} documents · {info.passages:,} passages · {languages}"


def open_library(folders: Sequence[Path], examples: Mapping[Path, Path] | None = None) -> Library:
    """Open every folder. Raises CorpusError for the first that is missing or damaged.

    ``examples`` names, for a corpus folder, the folder that holds its ``examples.json``; without it the
    corpus folder itself is looked at.
    """
    corpora: dict[str, Corpus] = {}
    questions: dict[str, tuple[Example, ...]] = {}
    for folder in folders:
        corpus = open_corpus(folder)
        name = corpus.name if corpus.name not in corpora else f"{corpus.name} ({folder.name})"
        corpora[name] = corpus
        questions[name] = read_examples((examples or {}).get(folder, folder))
    return Library(corpora, questions)


def read_examples(folder: Path) -> tuple[Example, ...]:
    """Example questions of a folder; empty where it has none. Raises CorpusError for a damaged file."""
    path = folder / EXAMPLES
    if not path.is_file():
        return ()
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
        return tuple(Example(row["title"], row["text"], row.get("language", "und")) for row in rows)
    except (ValueError, KeyError, TypeError) as error:
        raise CorpusError(f"{path}: not a list of questions with title and text ({error})") from error
