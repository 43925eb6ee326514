"""The state of a corpus, as far as a case depends on it."""

from __future__ import annotations

import hashlib

from engine.corpus.embedded.publication import GRADES_NAME, VALIDATIONS_NAME
from engine.corpus.protocol import Corpus


def fingerprint_of(corpus: Corpus) -> str:
    """The same for two states of which the same is found: texts, references, ontology, models, and what
    people have said of links and grades. 64 hexadecimal digits."""
    info, found = corpus.info(), hashlib.sha256()
    # The last part was the model of token vectors; "none" keeps the fingerprints of saved cases valid.
    for part in (info.metadata["text"], info.embedding, info.sparse, "none"):
        found.update(f"{part}\0".encode())
    if corpus.journals is not None:
        for name in (VALIDATIONS_NAME, GRADES_NAME):
            for line in corpus.journals.lines(name):
                found.update(line + b"\n")
    return found.hexdigest()
