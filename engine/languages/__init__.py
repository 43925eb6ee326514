"""One folder per language, named by its ISO 639-1 code, contains everything the engine knows about it.

- ``words.yaml``: the language itself: script, stemmer, stop words, months, names of provisions.
- ``law.yaml``: legal expressions: commencement and end, definitions, front pages, kinds of answers.
- ``statements.yaml``: words for comparing sentences: duties, permissions, bounds, opposites.
- ``references.yaml``: citations, read by ``engine.language.references``.
- ``entities.yaml``: names of things, read by ``engine.language.names``.
- ``questions.yaml``: questions, read by ``engine.retrieval.planning.words``.

Every file is optional. A new language is a new folder without any code. Fields of missing files get the
defaults in ``tables.py``.
"""

from engine.languages.tables import (
    FOLDER,
    Amendments,
    Definitions,
    FrontPage,
    Law,
    Validity,
    Words,
    all_words,
    base_of,
    codes,
    entity_words,
    file_of,
    files,
    law,
    words,
)

__all__ = [
    "FOLDER",
    "Amendments",
    "Definitions",
    "FrontPage",
    "Law",
    "Validity",
    "Words",
    "all_words",
    "base_of",
    "codes",
    "entity_words",
    "file_of",
    "files",
    "law",
    "words",
]
