"""The error tree. Every error that Redstring raises on purpose is one of these.

RedstringError
├── InputError            unusable input of the caller (exit code 2)
│   ├── SettingsError     an unknown preset, strategy or value out of range
│   ├── SourceError       nothing usable in the sources to ingest
│   ├── FileRefusedError  a file that is not opened: a link, a pipe, a device, one that is too large
│   ├── YamlError         YAML that is invalid or too costly to read
│   ├── UnpackingError    packed data that are damaged, or unpack to more than allowed
│   ├── GrammarError      an invalid file of a reference grammar
│   ├── DamagedError      a damaged value in the database of cases
│   └── CorpusError       a corpus that is missing, damaged or of another version
├── AccessError          an action that the user may not take
├── ModelError            an embedding, reranking or language model that cannot be loaded or reached
│   ├── RefusalError      a language model that declined to answer
│   └── AnswerError       a language model whose answer cannot be used
├── ResourceError         the computer has run out of descriptors, memory or disk; stored data are intact
├── ClusterError          a cluster that cannot be reached, or whose workers cannot do the work
├── CancelledError        an operation that was cancelled
│   └── IngestionCancelledError  a cancelled ingestion; the corpus is unchanged
├── BudgetError           an exhausted budget of time, calls, tokens or money
└── RegressionError       saved cases with worse results than allowed

A message states the problem, its location, and what to do, in one line.
"""

from __future__ import annotations

import errno
import re


class RedstringError(Exception):
    """Base of every error raised on purpose."""


class InputError(RedstringError):
    """Unusable input of the caller."""


class SettingsError(InputError):
    """An unknown preset or strategy, or a value out of its range."""


class SourceError(InputError):
    """Nothing usable was found in the sources to ingest."""


class FileRefusedError(InputError):
    """A file that is not opened: a link, no data file, or one that is too large."""


class DamagedError(InputError):
    """A damaged value in the database of cases. ``where`` is its place: ``table.column``."""

    def __init__(self, where: str) -> None:
        super().__init__(f"the database of cases is damaged in {where}: run `cases verify`")
        self.where = where


class CorpusError(InputError):
    """A corpus that is missing, damaged, or written by another format version."""


class YamlError(InputError):
    """YAML that is invalid or too costly to read."""


class UnpackingError(InputError):
    """Packed data that are damaged, or unpack to more than allowed."""


class GrammarError(InputError):
    """An invalid file of a reference grammar."""


class AccessError(RedstringError):
    """An action that the user may not take."""


class ResourceError(RedstringError):
    """The computer has run out of a resource; stored data are intact."""


class ClusterError(RedstringError):
    """A cluster cannot be reached, or its workers cannot do the work; the corpus is unchanged."""


class ModelError(RedstringError):
    """A model that cannot be loaded, verified or reached, or failed."""


class RefusalError(ModelError):
    """A language model declined to answer."""


class AnswerError(ModelError):
    """A language model's answer cannot be used: cut short, or not valid by the schema."""


class CancelledError(RedstringError):
    """An operation that was cancelled."""


class IngestionCancelledError(CancelledError):
    """An ingestion that was cancelled; the corpus is unchanged."""


class BudgetError(RedstringError):
    """A budget of time, calls, tokens or money was used up before the work was done."""


class RegressionError(RedstringError):
    """Saved cases have worse results than allowed."""


_EXHAUSTED = {
    errno.EMFILE: "this process has too many files open; close something or raise its limit (ulimit -n)",
    errno.ENFILE: "the computer has too many files open; close something or raise its limit (fs.file-max)",
    errno.ENOMEM: "not enough memory; close something",
    errno.EAGAIN: "the computer has too many processes; end some",
    errno.EFBIG: "the file is larger than this process may write; raise its limit (ulimit -f)",
    errno.ENOSPC: "the disk is full; make room on it",
    errno.EDQUOT: "the disk quota is used up; make room",
}


# Absolute paths of folders, also with spaces in their names; not parts of words or URLs.
_FOLDERS = re.compile(r"(?<![\w/.])/(?![\s/])(?:[^/\n:'\"]*[^\s/:'\"]/)+")


# The address of a corpus on a server, without its name, and the driver's report on the connection.
_ADDRESS = re.compile(r"postgresql://[^\s?]*\?corpus=")
_ON_THE_WAY = re.compile(r"(?<=database server) (does not answer|refuses) \(.*?\)(?=;|$)")


def for_visitors(error: RedstringError) -> str:
    """Return an error for visitors: names of files and corpora without their locations."""
    return without_folders(_ON_THE_WAY.sub(r" \1", _ADDRESS.sub("", str(error))))


def without_folders(words: str) -> str:
    """Return a text in which each absolute path is reduced to its last part."""
    return _FOLDERS.sub("", words)


def in_words(error: BaseException) -> str:
    """Return an error on one short line, without the path added by the system."""
    message = getattr(error, "strerror", None) or error
    return " ".join(str(message).split())[:200] or type(error).__name__


def system_error(doing: str, error: OSError) -> RedstringError:
    """Return the error to raise for an OSError: ResourceError for an exhausted resource, else CorpusError.

    ``doing`` begins with a verb: "read x".
    """
    exhausted = _EXHAUSTED.get(error.errno or 0)
    if exhausted is not None:
        return ResourceError(f"cannot {doing}: {exhausted}, then try again")
    return CorpusError(f"cannot {doing}: {error.strerror or error}")
