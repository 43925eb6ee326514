"""One room a language: a folder named by its ISO 639-1 code holds all that the engine knows of it.

- ``words.yaml``: the language itself: script, stemmer, stop words, months, names of provisions.
- ``law.yaml``: how its law speaks: commencement and end, definitions, front pages, kinds of answers.
- ``statements.yaml``: words by which sentences are compared: duties, permissions, bounds, opposites.
- ``references.yaml``: how its texts cite, read by ``engine.language.references``.
- ``entities.yaml``: how it speaks of things with names, read by ``engine.language.names``.
- ``questions.yaml``: how questions are asked in it, read by ``engine.retrieval.planning.words``.

Each file may be left out. A new language is a new folder and no line of code. What a language without a
file gets is the default of its field in ``tables.py``.
"""

from engine.languages.room import ROOM, base_of, codes, file_of, files
from engine.languages.tables import (
    Amendments,
    Definitions,
    FrontPage,
    Law,
    Validity,
    Words,
    all_words,
    law,
    words,
)

__all__ = [
    "ROOM",
    "Amendments",
    "Definitions",
    "FrontPage",
    "Law",
    "Validity",
    "Words",
    "all_words",
    "base_of",
    "codes",
    "file_of",
    "files",
    "law",
    "words",
]
