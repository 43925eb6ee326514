"""The commands ``info`` and ``references``: what a corpus holds."""

from __future__ import annotations

import argparse
from typing import Any

from engine.cli.printing import print_json, print_lines
from engine.cli.settings import add_corpus
from engine.errors import SettingsError
from engine.model import Relation


def add_info_commands(commands: Any) -> None:
    """Describe the commands to the parser."""
    command = commands.add_parser("references", help="list the references of a corpus as TSV")
    add_corpus(command)
    command.add_argument("--relation", metavar="R", help="only this relation")
    command.set_defaults(command=references)
    command = commands.add_parser("info", help="what a corpus holds, or what this machine offers")
    add_corpus(
        command,
        required=False,
        otherwise=" (without: what keeps the page's ingestions apart from this machine)",
    )
    command.add_argument("--entity", metavar="NAME", help="an entity of the corpus and what it is related to")
    command.add_argument("--json", action="store_true", help="print as JSON")
    command.set_defaults(command=info)


def references(options: argparse.Namespace) -> None:
    """Print the reference table: source, target or nothing, relation, status, quoted text."""
    from engine.corpus import open_corpus
    from engine.records.text import reference_rows

    known = [relation.value for relation in Relation]
    if options.relation is not None and options.relation not in known:
        raise SettingsError(f"unknown relation {options.relation!r}; known relations: {', '.join(known)}")
    relation = None if options.relation is None else Relation(options.relation)
    for row in reference_rows(open_corpus(options.corpus), relation):
        print(*row, sep="\t")


def info(options: argparse.Namespace) -> None:
    """Print what a corpus holds; without one, what an ingestion of the page is kept from here."""
    from engine.corpus import open_corpus
    from engine.isolation.layers import in_words, layers_here
    from engine.records.text import info_text

    if options.corpus is None:
        held = layers_here()
        if options.json:
            print_json({"isolation": {str(layer): words for layer, words in held.items()}})
        else:
            print_lines([f"worker: {in_words(held)}"])
        return
    corpus = open_corpus(options.corpus)
    if options.entity:
        from engine.records.text import entities_named, entity_lines

        if options.json:
            print_json({"entities": entities_named(corpus, options.entity)})
        else:
            print_lines(entity_lines(corpus, options.entity))
        return
    found = corpus.info()
    if not options.json:
        print_lines(info_text(found))
        return
    print_json(
        {
            "name": found.name,
            "documents": found.documents,
            "passages": found.passages,
            "references": {
                "by_relation": dict(found.references_by_relation),
                "by_status": dict(found.references_by_status),
            },
            "entities": found.entities,
            "languages": dict(found.languages),
            "embedding": found.embedding,
            "sparse": found.sparse,
        }
    )
