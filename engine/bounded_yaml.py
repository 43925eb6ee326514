"""Reading of untrusted YAML within limits: the only way in which the project reads YAML.

A few hundred bytes of YAML can expand to gigabytes, because a part with an anchor (``&a``) may be inserted in
many places (``*a``), and these in others. Here the events of a text are counted first, in linear time, and
the text is rejected before anything is built if it is too large, nested too deeply or would expand too far
(YAML 1.1, 3.2.2.2; the attack is the "billion laughs" of XML).
"""

from __future__ import annotations

from typing import Any

import yaml

from engine.errors import YamlError

LARGEST = 1_000_000
DEEPEST = 40
# The size of a node, in characters.
_NODE = 8
# Longer digits are no number, and would take long to convert.
_LONGEST_NUMBER = 40
# The parser in C is ten times faster; PyYAML has it if it was built with libyaml.
_BASE: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load(text: str | bytes, *, largest: int = LARGEST) -> Any:
    """Return the content of a YAML text with at most ``largest`` characters or bytes; None for an empty one.

    Raises YamlError for invalid YAML, and for a text that is too large, nested too deeply, or expands to more
    than twice ``largest`` by its aliases.
    """
    if len(text) > largest:
        raise YamlError(f"too long: {len(text):,} characters, at most {largest:,}")
    try:
        text = text if isinstance(text, str) else text.decode("utf-8-sig")
        _measure(text, 2 * max(largest, LARGEST))
        return yaml.load(text, Loader=_Loader)
    except yaml.YAMLError as error:
        raise YamlError(_problem(error)) from error
    except UnicodeError as error:
        raise YamlError("not text in UTF-8") from error
    # Errors of values that do not match their tag: "!!timestamp soon", or the 45th of a month.
    except (ValueError, AttributeError, LookupError, TypeError, OverflowError) as error:
        raise YamlError(f"a value has the wrong type ({_problem(error)})") from error


def _measure(text: str, most: int) -> None:
    """Raise YamlError if the content would be too deep or, with all aliases expanded, too large."""
    anchored: dict[str, int] = {}
    # Anchor and size of each open collection.
    open_nodes: list[tuple[str | None, int]] = []
    total = 0
    for event in yaml.parse(text, Loader=_BASE):
        if isinstance(event, yaml.CollectionStartEvent):
            open_nodes.append((event.anchor, _NODE))
            if len(open_nodes) > DEEPEST:
                raise YamlError(f"nested more than {DEEPEST} deep{_at(event)}")
            continue
        if isinstance(event, yaml.CollectionEndEvent):
            anchor, size = open_nodes.pop()
        elif isinstance(event, yaml.ScalarEvent):
            anchor, size = event.anchor, _NODE + len(event.value)
        elif isinstance(event, yaml.AliasEvent):
            # An unknown alias is inside its own target, or has none.
            if event.anchor not in anchored:
                raise YamlError(f"the alias *{event.anchor} refers to nothing complete before it")
            anchor, size = None, anchored[event.anchor]
        else:
            continue
        if anchor is not None:
            anchored[anchor] = size
        if open_nodes:
            above, so_far = open_nodes[-1]
            open_nodes[-1] = (above, so_far + size)
        total = size if not open_nodes else open_nodes[-1][1]
        if total > most:
            raise YamlError(f"its parts expand to more than {most:,} characters{_at(event)}")


def _at(event: yaml.Event) -> str:
    return "" if event.start_mark is None else f" in line {event.start_mark.line + 1}"


class _Loader(_BASE):  # type: ignore[misc]
    """Plain values only; numbers are decimal, so that "3:15" is a provision and not 195 minutes."""

    def number(self, node: yaml.ScalarNode) -> Any:
        """Return a number, or the text if it is too long or in base 60."""
        if ":" in node.value or len(node.value) > _LONGEST_NUMBER:
            return node.value
        is_whole = node.tag.endswith(":int")
        return self.construct_yaml_int(node) if is_whole else self.construct_yaml_float(node)


_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.number)
_Loader.add_constructor("tag:yaml.org,2002:float", _Loader.number)


def _problem(error: Exception) -> str:
    """Return the problem and its line on one line, without the text itself."""
    mark = getattr(error, "problem_mark", None)
    if mark is None:
        return " ".join(str(error).split())[:200]
    problem = getattr(error, "problem", None) or getattr(error, "context", None) or "not readable"
    return f"{problem} in line {mark.line + 1}"
