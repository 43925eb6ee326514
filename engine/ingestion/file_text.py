"""The text of one file, by the readers that corpora are made with."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from engine.errors import FileRefusedError, InputError, SourceError
from engine.files import read_named

# What is read as it stands: a memorandum in plain text or Markdown keeps its lines.
PLAIN = (".txt", ".md", ".markdown", ".text")
LARGEST = 20_000_000


def text_of(path: Path) -> str:
    """The text of a file. Raises SourceError, InputError where it cannot be read or has no text."""
    try:
        data = read_named(path, LARGEST)
    except FileRefusedError as error:
        raise InputError(f"{path.name}: {error}") from error
    except OSError as error:
        raise InputError(f"{path.name} cannot be read: {error.strerror}") from error
    # Text of another encoding is left to the readers, which find out which.
    with suppress(UnicodeDecodeError):
        if path.suffix.lower() in PLAIN:
            return data.decode("utf-8-sig")
    # The readers of all formats take a second to load.
    from engine.ingestion.readers.base import ReadDocument
    from engine.ingestion.sources import open_sources

    parts: list[str] = []
    problems: list[str] = []
    with open_sources([path]) as sources:
        problems += [problem.reason for problem in sources.problems]
        for source, reader in sources.documents:
            for item in reader.read(source):
                if isinstance(item, ReadDocument):
                    parts += [passage.text for passage in item.passages]
                else:
                    problems.append(item.reason)
    if not parts:
        raise SourceError(f"{path.name}: {problems[0] if problems else 'no text in it'}")
    return "\n\n".join(parts)
