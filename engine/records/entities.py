"""An entity of a corpus with what it is related to, as text and as plain values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.corpus.protocol import Corpus
from engine.corpus.related import RelatedEntity, entity_graph
from engine.errors import SettingsError
from engine.records.wording import plural


def entities_named(corpus: Corpus, name: str) -> list[dict[str, Any]]:
    """The entities of a name or alias, each with its relations. Raises SettingsError where there is none."""
    graph = entity_graph(corpus)
    numbers = graph.numbers(" ".join(name.split()))
    if not numbers:
        raise SettingsError(f"{corpus.name} has no entity named {name!r}; names are looked for whole")
    found = []
    for number in numbers:
        entity = graph.entity(number)
        found.append(
            {
                "id": entity.id,
                "name": entity.name,
                "kind": entity.kind.value,
                "language": entity.language,
                "score": entity.score,
                "aliases": list(entity.aliases),
                "roles": [{"role": role.name, "passage": role.source_id} for role in entity.roles],
                "definitions": list(entity.definitions),
                "passages": len(graph.passages(number)),
                "related": [_plain(one) for one in graph.related(number)],
            }
        )
    return found


def entity_lines(corpus: Corpus, name: str) -> Iterator[str]:
    """The same for a person to read."""
    for one in entities_named(corpus, name):
        kind = one["kind"].replace("_", " ")
        yield f"{one['name']}: {kind}, score {one['score']:.2f}, {plural(one['passages'], 'passage')}"
        if one["aliases"]:
            yield f"Also: {', '.join(one['aliases'])}"
        yield from (f"Role: {role['role']} ({role['passage']})" for role in one["roles"])
        if one["definitions"]:
            yield f"Defined by: {', '.join(one['definitions'])}"
        for other in one["related"]:
            detail = f" ({other['detail']})" if other["detail"] else ""
            where = f" [{', '.join(other['passages'])}]" if other["passages"] else ""
            yield f"  {other['relation']} {other['name']}{detail} {other['confidence']:.2f}{where}"


def _plain(one: RelatedEntity) -> dict[str, Any]:
    return {
        "relation": one.relation.value,
        "name": one.entity.name,
        "id": one.entity.id,
        "kind": one.entity.kind.value,
        "detail": one.detail,
        "confidence": round(one.confidence, 3),
        "passages": list(one.passages),
    }
