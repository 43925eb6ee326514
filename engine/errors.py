"""The error tree. Every error that Redstring raises on purpose is one of these.

RedstringError
├── InputError            what the caller gave is not usable (exit code 2)
│   ├── SettingsError     an unknown preset, strategy or value out of range
│   ├── SourceError       nothing usable in the sources that were to be ingested
│   ├── FileRefusedError  a file that is not opened: a link, a pipe, a device, one that is too large
│   ├── YamlError         YAML that cannot be read, or that would cost too much to read
│   ├── UnpackingError    packed data that are damaged, or unpack to more than they may
│   ├── GrammarError      a file of a reference grammar that cannot be read
│   ├── DamagedError      a value of the kept cases that is not as it was written
│   └── CorpusError       a corpus that is missing, damaged or of another version
├── AccessError          somebody may not do what they asked for
├── ModelError            an embedding, reranking or language model that cannot be loaded or reached
│   ├── RefusalError      a language model that declined to answer
│   └── AnswerError       a language model whose answer cannot be used
├── ResourceError         the computer has run out of descriptors, memory or disk; what is stored is intact
├── ClusterError          a cluster that cannot be reached, or whose workers cannot do the work
├── CancelledError        somebody stopped what was going on
│   └── IngestionCancelledError  an ingestion before its end; the corpus is as it was
├── BudgetError           a budget of time, calls, tokens or money that was used up
└── RegressionError       saved cases that came out worse than whoever tried them allows

A message says what was wrong, where, and what to do about it, in one line.
"""

from __future__ import annotations

import errno
import re


class RedstringError(Exception):
    """Base of every error raised on purpose."""


class InputError(RedstringError):
    """What the caller gave is not usable."""


class SettingsError(InputError):
    """An unknown preset or strategy, or a value out of its range."""


class SourceError(InputError):
    """Nothing usable was found in the sources to ingest."""


class FileRefusedError(InputError):
    """A file that is not opened: a link, no file of data, or one that is too large."""


class DamagedError(InputError):
    """A value of the kept cases that is damaged. ``where`` is its place: ``table.column``."""

    def __init__(self, where: str) -> None:
        super().__init__(f"the kept cases are damaged in {where}: `cases verify` says which rows and cases")
        self.where = where


class CorpusError(InputError):
    """A corpus that is missing, damaged, or written by another format version."""


class YamlError(InputError):
    """YAML that cannot be read, or that would cost too much to read."""


class UnpackingError(InputError):
    """Packed data that are damaged, or unpack to more than they may."""


class GrammarError(InputError):
    """A file of a reference grammar that is not written as one."""


class AccessError(RedstringError):
    """Somebody may not do what they asked for."""


class ResourceError(RedstringError):
    """The computer has run out of something that is needed; what is stored is not touched by it."""


class ClusterError(RedstringError):
    """A cluster cannot be reached, or its workers cannot do the work; the corpus is as it was before."""


class ModelError(RedstringError):
    """A model that cannot be loaded, verified or reached, or failed."""


class RefusalError(ModelError):
    """A language model declined to answer."""


class AnswerError(ModelError):
    """A language model's answer cannot be used: cut short, or not as the schema wants it."""


class CancelledError(RedstringError):
    """Somebody stopped what was going on."""


class IngestionCancelledError(CancelledError):
    """Somebody stopped an ingestion; the corpus is as it was before."""


class BudgetError(RedstringError):
    """A budget of time, calls, tokens or money was used up before the work was done."""


class RegressionError(RedstringError):
    """Saved cases came out worse than whoever tried them allows."""


_EXHAUSTED = {
    errno.EMFILE: "this process has too many files open; close something or raise its limit (ulimit -n)",
    errno.ENFILE: "the computer has too many files open; close something or raise its limit (fs.file-max)",
    errno.ENOMEM: "not enough memory; close something",
    errno.EAGAIN: "the computer has too many processes; end some",
    errno.EFBIG: "the file is larger than this process may write; raise its limit (ulimit -f)",
    errno.ENOSPC: "the disk is full; make room on it",
    errno.EDQUOT: "the disk quota is used up; make room",
}


# Folders from the root on, those with spaces in their names too; not a part of a word, nor of an address.
_FOLDERS = re.compile(r"(?<![\w/.])/(?![\s/])(?:[^/\n:'\"]*[^\s/:'\"]/)+")


# Of a corpus on a server, all but its name; and what its driver says of the way there.
_ADDRESS = re.compile(r"postgresql://[^\s?]*\?corpus=")
_ON_THE_WAY = re.compile(r"(?<=database server) (does not answer|refuses) \(.*?\)(?=;|$)")


def for_visitors(error: RedstringError) -> str:
    """An error as strangers may read it: files and corpora by their names, and not where they stand."""
    return without_folders(_ON_THE_WAY.sub(r" \1", _ADDRESS.sub("", str(error))))


def without_folders(words: str) -> str:
    """Words with the last part alone of each path from the root on."""
    return _FOLDERS.sub("", words)


def in_words(error: BaseException) -> str:
    """What went wrong, in one short line, without the path that the system names."""
    told = getattr(error, "strerror", None) or error
    return " ".join(str(told).split())[:200] or type(error).__name__


def system_error(doing: str, error: OSError) -> RedstringError:
    """What to raise where the system refused to do something: ResourceError where it has run out of what that
    takes, CorpusError otherwise. ``doing`` begins with a verb: "read x"."""
    exhausted = _EXHAUSTED.get(error.errno or 0)
    if exhausted is not None:
        return ResourceError(f"cannot {doing}: {exhausted}, then try again")
    return CorpusError(f"cannot {doing}: {error.strerror or error}")
