"""The error tree. Every error that Redstring raises on purpose is one of these.

RedstringError
├── InputError            what the caller gave is not usable (exit code 2)
│   ├── SettingsError     an unknown preset, strategy or value out of range
│   ├── SourceError       nothing usable in the sources that were to be ingested
│   ├── GrammarError      a file of a reference grammar that cannot be read
│   └── CorpusError       a corpus that is missing, damaged or of another version
├── ModelError            an embedding model that cannot be loaded or reached
├── IngestionCancelledError  somebody stopped an ingestion before its end
└── BudgetError           a time or call budget that was used up

A message says what was wrong, where, and what to do about it, in one line.
"""

from __future__ import annotations


class RedstringError(Exception):
    """Base of every error raised on purpose."""


class InputError(RedstringError):
    """What the caller gave is not usable."""


class SettingsError(InputError):
    """An unknown preset or strategy, or a value out of its range."""


class SourceError(InputError):
    """Nothing usable was found in the sources to ingest."""


class CorpusError(InputError):
    """A corpus that is missing, damaged, or written by another format version."""


class GrammarError(InputError):
    """A file of a reference grammar that is not written as one."""


class ModelError(RedstringError):
    """An embedding model that cannot be loaded, verified or reached."""


class IngestionCancelledError(RedstringError):
    """Somebody stopped an ingestion; the corpus is as it was before."""


class BudgetError(RedstringError):
    """A time or call budget was used up before the work was done."""
